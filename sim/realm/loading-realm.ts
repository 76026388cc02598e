import { SeededChoices } from "../choices/choices.ts";
import { callPlace } from "./call-place.ts";
import { EPOCH_MS } from "../trace/epoch.ts";
import { installRealm } from "./install.ts";
import { NotVirtual } from "./not-virtual.ts";
import { printOutside } from "./printing.ts";
import { type Arrival, type Callback, type Realm, runInRealm, setPlayingRealm } from "./realm.ts";

interface LoadedTimer {
  readonly where: string | undefined;
  keepsAlive: boolean;
}

/**
 * What a module sees while it is loaded: time stands still at the beginning of the world, chance is
 * the same each time, and what belongs to no run yet is refused.
 */
class LoadingRealm implements Realm {
  readonly monotonicMs = 0;
  readonly wallMs: number = EPOCH_MS;
  readonly hostName = "localhost";
  readonly isLoading = true;
  readonly #subject: string;
  readonly #chance = new SeededChoices(0, { record: false }).stream("data", "module");
  readonly #timers = new Map<unknown, LoadedTimer>();
  #refused: NotVirtual | undefined;

  constructor(subject: string) {
    this.#subject = subject;
  }

  choose(bound: number, label: string): number {
    return this.#chance.choose(bound, label);
  }

  setTimer(): unknown {
    return this.#timer();
  }

  setRepeating(): unknown {
    return this.#timer();
  }

  clearTimer(timer: unknown): void {
    this.#timers.delete(timer);
  }

  beginWork(): Arrival {
    return (deliver) => deliver();
  }

  guarded(fn: Callback): Callback {
    return fn;
  }

  refuse(use: string, cure?: string, why?: string): Error {
    this.#refused ??= new NotVirtual(this.#subject, { use, where: callPlace(), cure, why });
    return this.#refused;
  }

  print(stream: "stdout" | "stderr", text: string): void {
    printOutside(stream, text);
  }

  exit(call: string): Error {
    return this.refuse(call);
  }

  /** @throws {NotVirtual} when the module began something that goes on beside the runs */
  assertQuiet(): void {
    if (this.#refused !== undefined) throw this.#refused;
    for (const { where, keepsAlive } of this.#timers.values()) {
      if (!keepsAlive) continue;
      throw new NotVirtual(this.#subject, { use: "a timer that is set while it is loaded", where });
    }
  }

  /** A timer that never fires; one that was unreferenced is the housekeeping of some library. */
  #timer(): unknown {
    const known: LoadedTimer = { where: callPlace(), keepsAlive: true };
    const timer = {
      ref: () => ((known.keepsAlive = true), timer),
      unref: () => ((known.keepsAlive = false), timer),
      hasRef: () => known.keepsAlive,
      refresh: () => timer,
      close: () => this.clearTimer(timer),
      [Symbol.toPrimitive]: () => 0,
      [Symbol.dispose]: () => this.clearTimer(timer),
    };
    this.#timers.set(timer, known);
    return timer;
  }
}

/**
 * Loads code under test in the realm that its runs will have, so that what it captures is virtual.
 *
 * @param subject - what the code is called in messages
 * @param stalled - rejects when nothing is left that could end the loading
 * @throws {NotVirtual} when loading it starts a timer, a socket, a worker or the like
 */
export async function loadInRealm<T>(
  subject: string,
  load: () => Promise<T>,
  stalled?: Promise<never>,
): Promise<T> {
  installRealm();
  const realm = new LoadingRealm(subject);
  const before = setPlayingRealm(realm);
  try {
    const loading = runInRealm(realm, load);
    const loaded = await (stalled === undefined ? loading : Promise.race([loading, stalled]));
    realm.assertQuiet();
    return loaded;
  } catch (error) {
    realm.assertQuiet();
    throw error;
  } finally {
    setPlayingRealm(before);
  }
}
