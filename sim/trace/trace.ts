import { LineDigest } from "./digest.ts";
import type { FailureEvent } from "./failure-events.ts";
import type { JobEvent } from "./job-events.ts";
import type { ProducerEvent } from "./producer-events.ts";
import type { TaskEvent } from "./task-events.ts";

/** Hosts, links, faults and the phases of a run. */
export type WorldEvent =
  | {
      readonly kind: "host";
      readonly state: "start" | "crash" | "restart" | "pause" | "resume" | "skew" | "stop";
      readonly incarnation: number;
      /** When a pause ends, in virtual milliseconds. */
      readonly until?: number;
      /** Where a wall clock goes wrong: how far it is ahead then, in milliseconds. */
      readonly aheadMs?: number;
      /** Where a wall clock goes wrong: by how many millionths it runs fast from then on. */
      readonly ppm?: number;
      /** Present at a crash of which its peers are not told. */
      readonly isHalfOpen?: true;
      /** Present where it was killed for its memory: how many raw events it held. */
      readonly held?: number;
    }
  | {
      readonly kind: "link";
      readonly to: string;
      readonly state: "cut" | "repaired" | "held" | "released";
    }
  | {
      readonly kind: "fault";
      readonly site: string;
      readonly verdict: string;
      readonly rule: string;
    }
  | {
      readonly kind: "phase";
      readonly phase: "safety" | "liveness" | "rest";
      /** The wall time at which the world began, if it is not {@linkcode EPOCH_MS}. */
      readonly epochMs?: number | undefined;
    };

/** What the code on a host does to its process. */
export type ProcessEvent =
  /** An exception that nobody caught, as `errorWords` writes it: its host crashes. */
  | { readonly kind: "uncaught"; readonly error: string }
  /** It goes on without waiting: so many steps of the world within so many virtual milliseconds. */
  | { readonly kind: "spinning"; readonly steps: number; readonly ms: number }
  /** What code under test printed. */
  | {
      readonly kind: "output";
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    };

/** One advanced event: the number of the copy and the outcome that `advance` was called with. */
export type AdvancedItem = readonly [
  copy: number,
  acked: number,
  failed: number,
  rejected: number,
  clean: boolean,
];

/** Every call into and out of a shared-stream manager, recorded from outside. */
export type StreamEvent =
  | {
      readonly kind: "manager";
      readonly maxSubscriberQueue: number;
      readonly ackTimeoutMs: number;
      readonly graceMs: number;
      readonly strict: boolean;
    }
  | {
      readonly kind: "subscribe";
      readonly sub: number;
      readonly trigger: number;
      readonly key: string;
    }
  | {
      readonly kind: "subscribe-refused";
      readonly trigger: number;
      readonly key: string;
      readonly error: string;
    }
  | { readonly kind: "factory"; readonly key: string; readonly poll: number }
  /** Here and below, `failure` is the number of the error object: equal for the same object. */
  | { readonly kind: "factory-failed"; readonly poll: number; readonly failure?: number }
  | { readonly kind: "open"; readonly key: string; readonly poll: number; readonly ack: boolean }
  | {
      readonly kind: "emit";
      readonly poll: number;
      readonly copy: number;
      readonly ref: string;
    }
  | {
      readonly kind: "fan-out";
      readonly poll: number;
      readonly copy: number;
      readonly lane: string;
    }
  /** Without a `failure` the hook returned what cannot be a lane. */
  | {
      readonly kind: "lane-failed";
      readonly poll: number;
      readonly copy: number;
      readonly failure?: number;
    }
  | {
      readonly kind: "poll-ended";
      readonly poll: number;
      readonly how: "threw" | "returned" | "closed";
      readonly failure?: number;
    }
  | {
      readonly kind: "advance";
      readonly poll: number;
      readonly items: readonly AdvancedItem[];
    }
  | {
      readonly kind: "advanced";
      readonly poll: number;
      readonly ok: boolean;
      readonly failure?: number;
    }
  | { readonly kind: "aclose"; readonly poll: number }
  | { readonly kind: "aclosed"; readonly poll: number }
  | { readonly kind: "pull"; readonly sub: number }
  | { readonly kind: "deliver"; readonly sub: number; readonly copy: number }
  | {
      readonly kind: "stream-error";
      readonly sub: number;
      readonly error: string;
      readonly failure?: number;
    }
  | { readonly kind: "stream-done"; readonly sub: number }
  /** A filter visits its stream: each `deliver` is a call, and the `pull` after it is its return. */
  | { readonly kind: "visit"; readonly sub: number }
  /** The visitor threw, which ends the visit: its promise then rejects with the same error. */
  | {
      readonly kind: "visit-threw";
      readonly sub: number;
      readonly error: string;
      readonly failure?: number;
    }
  | {
      readonly kind: "visit-failed";
      readonly sub: number;
      readonly error: string;
      readonly failure?: number;
    }
  /** The iterator was ended amid a visit. */
  | { readonly kind: "stream-return"; readonly sub: number }
  | { readonly kind: "yield"; readonly sub: number; readonly event: number }
  | {
      readonly kind: "bind";
      readonly sub: number;
      readonly event: number;
      readonly seq: number | null;
    }
  | { readonly kind: "confirm"; readonly seqs: readonly number[] }
  | { readonly kind: "reject"; readonly sub: number }
  /** An ambient reject by a task whose window is closed, or was cleared. */
  | { readonly kind: "late-reject"; readonly sub: number }
  /** A runner took a trigger event from a trigger that shares no stream. */
  | {
      readonly kind: "fired-alone";
      readonly trigger: number;
      readonly event: number;
      readonly ref: string;
    }
  /** The ambient reject of a trigger that shares no stream; must do nothing. */
  | { readonly kind: "reject-alone"; readonly trigger: number }
  | { readonly kind: "unsubscribe"; readonly sub: number }
  | { readonly kind: "unsubscribed"; readonly sub: number }
  | { readonly kind: "stop-all" }
  | { readonly kind: "stopped" }
  | FailureEvent
  /** A method of the manager threw, or its promise was rejected. */
  | { readonly kind: "manager-threw"; readonly method: string; readonly error: string }
  | { readonly kind: "groups"; readonly keys: readonly string[] }
  | {
      readonly kind: "outstanding";
      readonly outstanding: number;
      readonly lanes: number;
      readonly unconfirmed: number;
      readonly windows: number;
    };

/** What a client asks a broker to do with one delivery, or with all deliveries up to it. */
export type SettleAct = "ack" | "nack" | "extend" | "defer" | "terminate" | "seek" | "commit";

/** What outlives every crash: the broker's records and the rows of the database. */
export type DurableEvent =
  | { readonly kind: "published"; readonly ref: string; readonly key: string }
  /** It is published as what is no JSON; or a client has published it again, where it was. */
  | { readonly kind: "garbled" | "copied"; readonly ref: string }
  | {
      readonly kind: "delivered";
      readonly ref: string;
      readonly consumer: string;
      /** The partition, channel or key that a cumulative settlement covers; may be empty. */
      readonly unit: string;
      /** The record's position in the broker's own terms, for stories: "partition 0, offset 11". */
      readonly place?: string;
    }
  /** `why`: what else than an acknowledgement of the record has settled it, in words. */
  | {
      readonly kind: "settled";
      readonly ref: string;
      readonly consumer: string;
      readonly why?: string;
    }
  | {
      readonly kind: "settle";
      readonly ref: string;
      readonly consumer: string;
      /**
       * Identifies the delivery: a receipt handle or a delivery tag. A cumulative settlement has
       * `<unit>@<position>`, where the position is a whole number that grows.
       */
      readonly handle: string;
      readonly act: SettleAct;
      /** The name of the error with which the broker refused; empty when it accepted. */
      readonly refused: string;
      /** Who else has leased the record by now, where the broker accepts that all the same. */
      readonly heldBy?: string;
    }
  /** `atLimit`: the broker itself did it, when it had delivered the record as often as it may. */
  | { readonly kind: "dead-lettered"; readonly ref: string; readonly atLimit?: true }
  | { readonly kind: "on-leader-alone"; readonly ref: string }
  /** A dead-letter queue keeps so many, or for so long, and has none of it any more. */
  | { readonly kind: "dead-letter-dropped"; readonly ref: string }
  | {
      readonly kind: "lapsed";
      readonly consumer: string;
      /** The record whose lease ended; empty when a whole membership or session ended. */
      readonly ref: string;
    }
  | { readonly kind: "expired"; readonly ref: string }
  | {
      readonly kind: "persisted";
      readonly event: number;
      readonly trigger: number;
      readonly ref: string;
    }
  | {
      readonly kind: "claimed";
      readonly trigger: number;
      readonly triggerer: string;
    };

/** What happened, without time and place. */
export type TraceBody =
  | WorldEvent
  | ProcessEvent
  | StreamEvent
  | DurableEvent
  | ProducerEvent
  | TaskEvent
  | JobEvent;

/** One event of a run: `at` is the virtual time in milliseconds, `host` is where it happened. */
export type TraceEvent = { readonly at: number; readonly host: string } & TraceBody;

/** Called with each event as it happens: by a checker, by a counter. */
export type TraceListener = (event: TraceEvent) => void;

/** A run that emits more events than this is stopped. */
const TRACE_LENGTH_MAX = 50_000_000;

/**
 * The record of a run.
 *
 * Holds: the digest covers every event in order, as JSON with its members in the order in which
 * this file declares them. Error messages and stacks differ between JavaScript engines, so events
 * contain the names of errors only.
 *
 * @example
 * ```ts
 * import { Trace } from "faultlane/sim";
 *
 * const trace = new Trace(() => 250, { keep: true });
 * trace.emit("broker", { kind: "published", ref: "ref-000001", key: "a" });
 * console.log(trace.events()[0]?.at, trace.length); // => 250 1
 * ```
 */
export class Trace {
  readonly #digest: LineDigest | undefined;
  readonly #events: TraceEvent[] | undefined;
  readonly #listeners: TraceListener[] = [];
  readonly #now: () => number;
  readonly #marks = new Map<string, number>();
  #length = 0;

  /**
   * `now` returns the virtual time; `keep` keeps the events, not only their digest; with
   * `digest: false` there is no digest, which takes about a fifth of the time of a short run.
   */
  constructor(
    now: () => number,
    options: { readonly keep: boolean; readonly digest?: boolean | undefined },
  ) {
    this.#now = now;
    this.#digest = options.digest === false ? undefined : new LineDigest();
    this.#events = options.keep ? [] : undefined;
  }

  /** How many events were emitted. */
  get length(): number {
    return this.#length;
  }

  /** Calls `listener` with each event that is emitted from now on. */
  listen(listener: TraceListener): void {
    this.#listeners.push(listener);
  }

  /** Counts a situation that a search should reach in some runs: no event, nor part of the digest. */
  sometimes(mark: string): void {
    this.#marks.set(mark, (this.#marks.get(mark) ?? 0) + 1);
  }

  /** Returns how often each mark was reached, by name. */
  marks(): ReadonlyMap<string, number> {
    return this.#marks;
  }

  /**
   * Records an event at the current virtual time.
   *
   * @throws {RangeError} when the run has emitted 50 million events
   */
  emit(host: string, body: TraceBody): void {
    const event: TraceEvent = { at: this.#now(), host, ...body };
    this.#length += 1;
    if (this.#length > TRACE_LENGTH_MAX) {
      throw new RangeError(`Cannot trace more than ${TRACE_LENGTH_MAX} events in one run`);
    }
    this.#digest?.add(JSON.stringify(event));
    this.#events?.push(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Returns all events in order; empty unless the trace keeps them. */
  events(): readonly TraceEvent[] {
    return this.#events ?? [];
  }

  /** Returns the hex SHA-256 digest of the events so far; empty for a trace without a digest. */
  digest(): string {
    return this.#digest?.hex() ?? "";
  }
}
