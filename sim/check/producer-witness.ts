import type { Lane, SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import type { Life } from "../hosts/host.ts";
import { refWithin } from "./producer-identify.ts";

/** Names the record that a pair is about; undefined when it cannot tell. */
export type Identify = (rawEvent: unknown, brokerPayload: unknown) => string | undefined;

/** The producer's pairs cannot be told apart: nothing can be judged. */
export class Unrecognisable extends TypeError {
  override readonly name = "Unrecognisable";

  constructor() {
    super(
      "Cannot recognise the record in a yielded pair: let the raw event or the payload keep its body or key, or pass identify",
    );
  }
}

/** After an abort a stream has so long to come to its end. */
const ABORT_MS_MAX = 30_000;
/** At one instant; a run publishes fewer than a hundred. */
const YIELDS_MAX = 1_000;
/** What was on its way at the abort may still come. */
const YIELD_AFTER_ABORT_MS_MAX = 5_000;

/**
 * Watches the manners of a producer: what crosses its face that no manager looks at.
 *
 * Holds: the watching changes nothing; what it sees goes to the trace as `breach`.
 */
export class ProducerWitness {
  readonly #life: Life;
  readonly #poll: number;
  readonly #producer: SharedStreamProducer<unknown>;
  readonly #identify: Identify;
  readonly #refs: Map<unknown, string>;
  readonly #onError: (error: unknown) => void;
  readonly #calls: () => number;
  readonly #onWork: () => void;
  readonly #payloads = new WeakSet<object>();
  readonly #told = new Set<string>();
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
      readonly onError: (error: unknown) => void;
      /** How often the client has asked for something so far. */
      readonly calls: () => number;
      /** Told each time the producer's own code has begun to run. */
      readonly onWork: () => void;
    },
  ) {
    this.#onWork = options.onWork;
    this.#calls = options.calls;
    this.#onError = options.onError;
    this.#life = life;
    this.#poll = poll;
    this.#producer = producer;
    this.#identify = options.identify ?? ((raw, payload) => refWithin(raw) ?? refWithin(payload));
    this.#refs = options.refs;
  }

  /** The producer as the manager gets it. */
  face(): SharedStreamProducer<unknown> {
    const producer = this.#producer;
    return {
      openStream: (signal) => this.#open(signal),
      advance: async (batch) => {
        try {
          const advanced = producer.advance(batch);
          this.#onWork();
          await advanced;
        } catch (error) {
          this.#onError(error);
          throw error;
        }
      },
      getAdvanceLane: (payload) => this.#lane(payload),
      aclose: async () => {
        await producer.aclose?.();
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
            this.#onWork();
            const result = await next;
            if (result.done !== true) this.#see(result.value);
            return result;
          } catch (error) {
            this.#onError(error);
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
    this.#breach(`the stream yields ${YIELDS_MAX} events without waiting for anything`);
    return true;
  }

  #see(pair: unknown): void {
    if (!Array.isArray(pair) || pair.length !== 2) {
      this.#breach("the stream yielded something else than a [rawEvent, brokerPayload] pair");
      return;
    }
    const [raw, payload] = pair as [unknown, unknown];
    const ref = this.#identify(raw, payload);
    if (ref === undefined) {
      this.#life.world.fail(new Unrecognisable());
      return;
    }
    const { now } = this.#life.world;
    if (this.#abortedAt !== undefined && now - this.#abortedAt > YIELD_AFTER_ABORT_MS_MAX) {
      this.#breach("the stream went on yielding after its signal aborted", ref);
    }
    if (typeof payload === "object" && payload !== null) {
      if (this.#payloads.has(payload)) {
        this.#breach("one payload object was yielded twice: each event needs its own", ref);
      }
      this.#payloads.add(payload);
    }
    this.#refs.set(raw, ref);
  }

  /** Synchronous, cheap, and the same each time it is asked. */
  #lane(payload: unknown): Lane {
    const hook = this.#producer.getAdvanceLane?.bind(this.#producer);
    if (hook === undefined) return undefined;
    const before = this.#calls();
    const lane = hook(payload);
    if (this.#calls() > before) {
      this.#breach("getAdvanceLane talks to the broker: it has to be cheap");
    } else if (isThenable(lane)) {
      this.#breach("getAdvanceLane answers with a promise: it has to be synchronous");
    } else if (textFrom(lane) !== textFrom(hook(payload))) {
      this.#breach("getAdvanceLane is not stable: two answers for one payload differ");
    }
    return lane;
  }

  #expectEnd(): void {
    this.#abortedAt = this.#life.world.now;
    if (!this.#isWaiting) return;
    this.#life.after(ABORT_MS_MAX, () => {
      if (!this.#isWaiting) return;
      this.#breach(`the stream did not end within ${ABORT_MS_MAX} ms after its signal aborted`);
    });
  }

  /** Told once each: what is done wrong is done wrong for every event. */
  #breach(what: string, ref = ""): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#life.trace({ kind: "breach", poll: this.#poll, what, ref });
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
