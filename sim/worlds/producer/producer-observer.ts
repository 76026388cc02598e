import type { Lane, SharedStreamProducer } from "../../../src/shared-stream/mod.ts";
import type { Life } from "../../hosts/life.ts";
import { errorWords } from "../../trace/error-words.ts";
import type { Breach } from "../../trace/producer-events.ts";
import { refWithin } from "./record-ref.ts";

/** Returns the ref of the record of a yielded pair; undefined if it cannot be recognised. */
export type Identify = (rawEvent: unknown, brokerPayload: unknown) => string | undefined;

/**
 * Thrown when a yielded pair does not show which record it is about: nothing can be judged. Pass
 * `identify` then.
 *
 * @example
 * ```ts
 * import { brokers, checkProducer, Unrecognisable } from "faultlane/check";
 *
 * const check = checkProducer({
 *   broker: brokers.kafka(),
 *   createProducer: () => ({
 *     async *openStream() {
 *       yield [{}, {}] as const;
 *     },
 *     advance: async () => {},
 *   }),
 * });
 * const error = await check.catch((thrown: unknown) => thrown);
 * console.log(error instanceof Unrecognisable); // => true
 * ```
 */
export class Unrecognisable extends TypeError {
  /** Always "Unrecognisable". */
  override readonly name = "Unrecognisable";

  /** Creates the error. */
  constructor() {
    super(
      "Cannot recognise the record in a yielded pair: let the raw event or the payload keep its body or key, or pass identify",
    );
  }
}

/** How long after an abort a stream may take to end. */
const ABORT_MS_MAX = 30_000;
/** At one instant; a run publishes fewer than a hundred. */
const YIELDS_MAX = 1_000;
/** How long after an abort a stream may still yield what it has fetched. */
const YIELD_AFTER_ABORT_MS_MAX = 5_000;

/**
 * Observes whether a producer keeps its contract, beyond what a manager checks.
 *
 * Holds: observing changes nothing; what it sees is traced as `breach` and `producer-error`.
 */
export class ProducerObserver {
  readonly #life: Life;
  readonly #poll: number;
  readonly #producer: SharedStreamProducer<unknown>;
  readonly #identify: Identify;
  readonly #refs: Map<unknown, string>;
  readonly #calls: () => number;
  readonly #payloads = new WeakSet<object>();
  readonly #reported = new Set<Breach["what"]>();
  #isWaiting = false;
  #yields = 0;
  #yieldsAt = -1;
  #abortedAt: number | undefined;

  constructor(
    life: Life,
    poll: number,
    producer: SharedStreamProducer<unknown>,
    options: {
      readonly identify: Identify | undefined;
      readonly refs: Map<unknown, string>;
      /** How many calls the client has made so far. */
      readonly calls: () => number;
    },
  ) {
    this.#calls = options.calls;
    this.#life = life;
    this.#poll = poll;
    this.#producer = producer;
    this.#identify = options.identify ?? ((raw, payload) => refWithin(raw) ?? refWithin(payload));
    this.#refs = options.refs;
  }

  /** The producer as the manager gets it; `onClosed` is called when `aclose` has ended. */
  asProducer(onClosed: () => void): SharedStreamProducer<unknown> {
    const producer = this.#producer;
    const close = async (): Promise<void> => {
      await producer.aclose?.();
    };
    return {
      openStream: (signal) => this.#open(signal),
      advance: async (batch) => {
        try {
          const advanced = producer.advance(batch);
          await advanced;
        } catch (error) {
          this.#traceError("advance", error);
          throw error;
        }
      },
      getAdvanceLane: (payload) => this.#lane(payload),
      aclose: async () => {
        try {
          await close();
        } finally {
          onClosed();
        }
      },
    };
  }

  #open(signal: AbortSignal): AsyncIterable<readonly [unknown, unknown]> {
    signal.addEventListener("abort", () => this.#expectEnd(), { once: true });
    const source = this.#producer.openStream(signal);
    const inner = source[Symbol.asyncIterator]();
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          this.#isWaiting = true;
          try {
            if (this.#isFlood()) await new Promise<never>(() => undefined);
            const next = inner.next();
            const result = await next;
            if (result.done !== true) this.#see(result.value);
            return result;
          } catch (error) {
            this.#traceError("stream", error);
            throw error;
          } finally {
            this.#isWaiting = false;
          }
        },
        return: async () => {
          await inner.return?.();
          return { done: true, value: undefined };
        },
      }),
    };
  }

  /** Whether it has yielded so much at one instant that this instant would never end. */
  #isFlood(): boolean {
    const { now } = this.#life.world;
    if (this.#yieldsAt !== now) this.#yields = 0;
    this.#yieldsAt = now;
    this.#yields += 1;
    if (this.#yields <= YIELDS_MAX) return false;
    this.#breach({ what: "endless-yields", yields: YIELDS_MAX });
    return true;
  }

  #see(pair: unknown): void {
    if (!Array.isArray(pair) || pair.length !== 2) {
      this.#breach({ what: "not-a-pair" });
      return;
    }
    const [raw, payload] = pair as [unknown, unknown];
    const ref = this.#identify(raw, payload);
    if (ref === undefined) {
      this.#life.world.fail(new Unrecognisable());
      return;
    }
    // What the workload publishes has a body.
    if (raw === undefined || raw === null) this.#breach({ what: "no-raw-event" }, ref);
    const { now } = this.#life.world;
    if (this.#abortedAt !== undefined && now - this.#abortedAt > YIELD_AFTER_ABORT_MS_MAX) {
      this.#breach({ what: "yield-after-abort" }, ref);
    }
    if (typeof payload === "object" && payload !== null) {
      if (this.#payloads.has(payload)) {
        this.#breach({ what: "payload-reused" }, ref);
      }
      this.#payloads.add(payload);
    }
    this.#refs.set(raw, ref);
  }

  /** Checks that the hook is synchronous and returns the same lane each time. */
  #lane(payload: unknown): Lane {
    const hook = this.#producer.getAdvanceLane?.bind(this.#producer);
    if (hook === undefined) return undefined;
    const before = this.#calls();
    const lane = hook(payload);
    if (this.#calls() > before) {
      this.#breach({ what: "lane-calls-broker" });
    } else if (isThenable(lane)) {
      this.#breach({ what: "lane-promise" });
    } else if (textFrom(lane) !== textFrom(hook(payload))) {
      this.#breach({ what: "lane-unstable" });
    }
    return lane;
  }

  #expectEnd(): void {
    this.#abortedAt = this.#life.world.now;
    if (!this.#isWaiting) return;
    this.#life.after(ABORT_MS_MAX, () => {
      if (!this.#isWaiting) return;
      this.#breach({ what: "stream-not-ended", ms: ABORT_MS_MAX });
    });
  }

  /** Reports each kind of breach once, because it usually occurs for every event. */
  #breach(breach: Breach, ref = ""): void {
    if (this.#reported.has(breach.what)) return;
    this.#reported.add(breach.what);
    this.#life.trace({ kind: "breach", poll: this.#poll, breach, ref });
  }

  #traceError(from: "advance" | "stream", error: unknown): void {
    this.#life.trace({ kind: "producer-error", poll: this.#poll, from, error: errorWords(error) });
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value;
}

function textFrom(lane: unknown): string {
  if (typeof lane === "bigint") return `${lane}n`;
  if (Array.isArray(lane)) return lane.map(textFrom).join();
  return typeof lane === "object" && lane !== null ? "?" : `${typeof lane} ${String(lane)}`;
}
