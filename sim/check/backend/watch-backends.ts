import {
  onUncaughtException,
  onUnhandledRejection,
  systemClock,
} from "../../../src/platform/mod.ts";
import type { StateBackend } from "../../../src/store/mod.ts";
import { sleep } from "../../../src/time/mod.ts";
import { installRealm } from "../../realm/install.ts";
import { ProcessExited } from "../../realm/process-exited.ts";
import { runWithoutExit } from "../../realm/realm.ts";
import { CallWatch, type HungCall } from "./call-watch.ts";
import {
  type CreateStateBackend,
  inWords,
  type StateBackendSubject,
} from "./state-backend-subject.ts";

/**
 * What a check came to: its own result, an exception that nobody caught meanwhile, or a call that
 * did not settle in time.
 */
export type Watched<T> =
  | { readonly result: T }
  | { readonly uncaught: unknown }
  | { readonly hung: HungCall };

/** How long what an abandoned check has begun may go on throwing, in real milliseconds. */
const AFTERMATH_MS = 100;

/** How long the stores of an abandoned check have to close, in real milliseconds. */
const CLOSE_MS = 1_000;

/** What is watched, and how. */
export interface BackendWatch {
  readonly create: CreateStateBackend;
  /** How long one call has to settle, in real milliseconds. */
  readonly callTimeoutMs: number;
}

/**
 * Runs a check of backends that work on the real machine, until it is done, a call has not settled
 * in time, or an exception is thrown that nobody catches: in a timer, as a rejection that nobody
 * handles, by a call of process.exit. Such an exception does not end the process. The check is then
 * abandoned: its next call of a backend never settles. After a call that hangs, open stores are
 * closed, so that locks which they hold do not stop the next check.
 */
export async function watchBackends<T>(
  { create, callTimeoutMs }: BackendWatch,
  check: (create: CreateStateBackend) => Promise<T>,
): Promise<Watched<T>> {
  installRealm();
  const { promise, resolve } = Promise.withResolvers<Watched<T>>();
  const controller = new AbortController();
  const abandon = (watched: Watched<T>): void => {
    controller.abort();
    resolve(watched);
  };
  const note = (uncaught: unknown): void => abandon({ uncaught });
  using _exceptions = onUncaughtException(note);
  using _rejections = onUnhandledRejection(note);
  const guard = (call: string): Error => {
    const error = new ProcessExited(call);
    note(error);
    return error;
  };
  using calls = new CallWatch(callTimeoutMs, (hung) => abandon({ hung }));
  const stores = new WatchedStores(calls, controller.signal);
  const stoppable: CreateStateBackend = () => stores.open(create);
  const result = runWithoutExit(guard, () => check(stoppable));
  const watched = await Promise.race([promise, settled(result)]);
  if ("uncaught" in watched) await sleep(systemClock, AFTERMATH_MS);
  if ("hung" in watched) await Promise.race([stores.closeAll(), sleep(systemClock, CLOSE_MS)]);
  return watched;
}

/** Lets what the check has left behind throw, if it is due. */
async function settled<T>(check: Promise<T>): Promise<Watched<T>> {
  try {
    return { result: await check };
  } finally {
    await sleep(systemClock, 0);
  }
}

/** The stores of one check: each call of them is watched, and none begins once it is abandoned. */
class WatchedStores {
  readonly #calls: CallWatch;
  readonly #abandoned: AbortSignal;
  readonly #open = new Set<StateBackendSubject>();

  constructor(calls: CallWatch, abandoned: AbortSignal) {
    this.#calls = calls;
    this.#abandoned = abandoned;
  }

  async open(create: CreateStateBackend): Promise<StateBackendSubject> {
    const made = await this.#calls.watch(() => "createBackend()", create);
    const subject: StateBackendSubject = "clients" in made ? made : { clients: [made] };
    this.#open.add(subject);
    const [first, ...others] = subject.clients;
    const { interrupt } = subject;
    return {
      ...(interrupt !== undefined && {
        interrupt: async () => {
          const end = await this.#calls.watch(() => "interrupt()", interrupt);
          return () => this.#calls.watch(() => "the end of interrupt()", end);
        },
      }),
      clients: [this.#watched(first), ...others.map((one) => this.#watched(one))],
      close: async () => {
        this.#open.delete(subject);
        await this.#calls.watch(
          () => "close()",
          () => subject.close?.(),
        );
      },
    };
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open].map(async (subject) => subject.close?.()));
  }

  #watched(backend: StateBackend): StateBackend {
    return new Proxy(backend, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown =>
          this.#abandoned.aborted
            ? new Promise(() => undefined)
            : this.#calls.watch(
                () => `${String(name)}(${args.map(inWords).join(", ")})`,
                () => Reflect.apply(member, target, args) as unknown,
              );
      },
    });
  }
}
