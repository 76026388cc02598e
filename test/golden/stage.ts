import { drain } from "../../sim/realm/drain.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import type {
  SharedStream,
  SharedStreamManager,
  SharedStreamTrigger,
} from "../../src/shared-stream/mod.ts";
import type { Clock } from "../../src/time/mod.ts";
import {
  type AdvanceMode,
  linesFrom,
  type ScriptConfig,
  type ScriptStep,
  type Seen,
} from "./script.ts";
import { ScriptedProducer } from "./scripted-producer.ts";

/** The face of what a script is played on. */
export type StagedManager = Pick<
  SharedStreamManager,
  "subscribe" | "bindPendingEvent" | "confirmPersisted" | "unsubscribe" | "stopAll" | "groupKeys"
>;

export type StagedManagerFactory = (clock: Clock, config: ScriptConfig) => StagedManager;

/** A subscriber that pulls when the script says so. */
interface Subscriber {
  readonly stream: SharedStream<unknown>;
  isPulling: boolean;
}

/**
 * One manager on a virtual clock, its subscribers and its scripted producers.
 *
 * Holds: what was seen is returned after everything has come to rest.
 */
export class Stage {
  readonly #clock = new VirtualClock();
  readonly #manager: StagedManager;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #producers = new Map<string, ScriptedProducer>();
  readonly #modes = new Map<string, AdvanceMode>();
  readonly #failingFactories = new Set<string>();
  readonly #bound: (number | null)[] = [];
  #seen: Seen[] = [];

  constructor(createManager: StagedManagerFactory, config: ScriptConfig) {
    this.#manager = createManager(this.#clock, config);
  }

  /** Performs one step; returns the lines to compare. */
  async perform(step: ScriptStep): Promise<readonly string[]> {
    this.#seen = [];
    this.#act(step);
    await drain();
    if (step.op === "tick") await this.#clock.advance((step.seconds ?? 0) * 1_000, drain);
    return linesFrom(this.#seen, this.#manager.groupKeys().map(String));
  }

  #act(step: ScriptStep): void {
    const { op, id = 0, key = "" } = step;
    const place = { triggerId: id, key };
    const producer = this.#producers.get(key);
    switch (op) {
      case "subscribe":
        this.#subscribe(id, key);
        break;
      case "pull":
        this.#pull(id, key);
        break;
      case "reject":
        this.#subscribers.get(nameOf(id, key))?.stream.reject();
        break;
      case "produce":
        producer?.emit(step.items ?? []);
        break;
      case "bind":
        this.#bound.push(this.#manager.bindPendingEvent(place));
        this.#see("bound", id, key, this.#bound.at(-1) !== null);
        break;
      case "confirm":
        this.#confirm(step.binds ?? []);
        break;
      case "unsubscribe":
        this.#unsubscribe(id, key);
        break;
      case "mode":
        this.#modes.set(key, step.mode ?? "ok");
        break;
      case "release":
        producer?.release(step.with ?? "ok");
        break;
      case "pollFail":
        producer?.end("fails");
        break;
      case "pollEnd":
        producer?.end("returns");
        break;
      case "factoryFail":
        if (step.on === true) this.#failingFactories.add(key);
        else this.#failingFactories.delete(key);
        break;
      case "stopAll":
        this.#watch(this.#manager.stopAll(), "stopped");
        break;
      case "tick":
        break;
      default:
        throw new RangeError(`Cannot perform a step: there is no op "${op}"`);
    }
  }

  readonly #see = (...seen: Seen): void => {
    this.#seen.push(seen);
  };

  /** Records when `act` has settled, and whether it threw. */
  #watch(act: Promise<void>, ...seen: Seen): void {
    act.then(
      () => this.#see(...seen),
      (error: unknown) => this.#see("thrown", String(error), ...seen),
    );
  }

  #subscribe(id: number, key: string): void {
    try {
      const trigger = this.#createTrigger(key);
      const stream = this.#manager.subscribe({ triggerId: id, trigger, key });
      this.#subscribers.set(nameOf(id, key), { stream, isPulling: false });
    } catch {
      this.#see("subscribeError", id, key);
    }
  }

  #pull(id: number, key: string): void {
    const name = nameOf(id, key);
    const subscriber = this.#subscribers.get(name);
    if (subscriber === undefined || subscriber.isPulling) return;
    subscriber.isPulling = true;
    const settle = (...seen: Seen): void => {
      // What an abandoned pull brings is not recorded.
      if (this.#subscribers.get(name) !== subscriber || !subscriber.isPulling) return;
      subscriber.isPulling = false;
      if (seen[0] !== "done") this.#see(...seen);
    };
    subscriber.stream.next().then(
      ({ done, value }) => settle(done === true ? "done" : "event", id, key, value),
      (error: unknown) => settle("error", id, key, kindFrom(error)),
    );
  }

  #confirm(binds: readonly number[]): void {
    const seqs = binds.map((at) => this.#bound[at]).filter((seq) => typeof seq === "number");
    // An iterable that can be read once only: every group must get its share of it.
    this.#manager.confirmPersisted(seqs.values());
  }

  #unsubscribe(id: number, key: string): void {
    const subscriber = this.#subscribers.get(nameOf(id, key));
    if (subscriber !== undefined) subscriber.isPulling = false;
    this.#watch(this.#manager.unsubscribe({ triggerId: id, key }), "unsubscribed", id, key);
  }

  #createTrigger(key: string): SharedStreamTrigger<unknown> {
    if (key === "fast") {
      return { openSharedStream: (signal) => rawsOf(this.#createProducer(key), signal) };
    }
    return {
      createSharedStreamProducer: () => {
        if (this.#failingFactories.has(key)) throw new Error("factory failed");
        return this.#createProducer(key);
      },
    };
  }

  #createProducer(key: string): ScriptedProducer {
    const mode = (): AdvanceMode => this.#modes.get(key) ?? "ok";
    const producer = new ScriptedProducer(key, { see: this.#see, mode });
    this.#producers.set(key, producer);
    return producer;
  }
}

function nameOf(id: number, key: string): string {
  return `${id} of ${key}`;
}

async function* rawsOf(producer: ScriptedProducer, signal: AbortSignal): AsyncGenerator<unknown> {
  for await (const [raw] of producer.openStream(signal)) yield raw;
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["SubscriberOverflow", "overflow"],
  ["AckTimeout", "ackTimeout"],
  ["PollTerminated", "pollTerminated"],
  ["poll failed", "pollFailed"],
  ["advance failed", "advanceFailed"],
  ["advance cancelled", "advanceCancelled"],
  ["lane failed", "laneFailed"],
  ["factory failed", "factoryFailed"],
]);

/** What the scripts call an error: by its class, or by the words that the stage put into it. */
function kindFrom(error: unknown): string {
  if (!(error instanceof Error)) return `not an Error: ${String(error)}`;
  return KINDS.get(error.name) ?? KINDS.get(error.message) ?? `${error.name}: ${error.message}`;
}
