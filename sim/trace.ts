import { LineDigest } from "./digest.ts";
import type { JobEvent } from "./job-events.ts";
import type { TaskEvent } from "./task-events.ts";

/** Whole-world happenings: hosts, links, faults, phases. */
type WorldEvent =
  | {
      readonly kind: "host";
      readonly state: "start" | "crash" | "restart" | "pause" | "skew" | "stop";
      readonly incarnation: number;
      /** Of a pause: when it ends. */
      readonly until?: number;
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
  | { readonly kind: "phase"; readonly phase: "safety" | "liveness" | "rest" };

/** One advanced event: its copy number and how its snapshot resolved it. */
export type AdvancedItem = readonly [
  copy: number,
  acked: number,
  failed: number,
  rejected: number,
  clean: boolean,
];

/** What crosses the face of a shared-stream manager, seen from outside. */
type StreamEvent =
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
  | { readonly kind: "factory-failed"; readonly poll: number }
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
  | { readonly kind: "lane-failed"; readonly poll: number; readonly copy: number }
  | {
      readonly kind: "poll-ended";
      readonly poll: number;
      readonly how: "threw" | "returned" | "closed";
    }
  | {
      readonly kind: "advance";
      readonly poll: number;
      readonly items: readonly AdvancedItem[];
    }
  | { readonly kind: "advanced"; readonly poll: number; readonly ok: boolean }
  | { readonly kind: "aclose"; readonly poll: number }
  | { readonly kind: "aclosed"; readonly poll: number }
  | { readonly kind: "pull"; readonly sub: number }
  | { readonly kind: "deliver"; readonly sub: number; readonly copy: number }
  | { readonly kind: "stream-error"; readonly sub: number; readonly error: string }
  | { readonly kind: "stream-done"; readonly sub: number }
  | { readonly kind: "yield"; readonly sub: number; readonly event: number }
  | {
      readonly kind: "bind";
      readonly sub: number;
      readonly event: number;
      readonly seq: number | null;
    }
  | { readonly kind: "confirm"; readonly seqs: readonly number[] }
  | { readonly kind: "reject"; readonly sub: number }
  | { readonly kind: "unsubscribe"; readonly sub: number }
  | { readonly kind: "unsubscribed"; readonly sub: number }
  | { readonly kind: "stop-all" }
  | { readonly kind: "stopped" }
  | {
      readonly kind: "force-failed";
      readonly trigger: number;
      readonly key: string;
      readonly reason: string;
    }
  | { readonly kind: "group-failed"; readonly key: string }
  | { readonly kind: "groups"; readonly keys: readonly string[] }
  | {
      readonly kind: "books";
      readonly outstanding: number;
      readonly lanes: number;
      readonly unconfirmed: number;
      readonly windows: number;
    };

/** What a client asks a broker to do with one delivery, or with all up to it. */
export type SettleAct = "ack" | "nack" | "extend" | "defer" | "terminate" | "seek" | "commit";

/** What the outside world keeps: the broker's log, the database's rows. */
type KeptEvent =
  | { readonly kind: "published"; readonly ref: string; readonly key: string }
  | {
      readonly kind: "delivered";
      readonly ref: string;
      readonly consumer: string;
      /** What a cumulative settlement of it reaches, or what keeps its order; may be empty. */
      readonly unit: string;
      /** Where it lies, in the broker's own words, for stories: "partition 0, offset 11". */
      readonly place?: string;
    }
  | { readonly kind: "settled"; readonly ref: string; readonly consumer: string }
  | {
      readonly kind: "settle";
      readonly ref: string;
      readonly consumer: string;
      /**
       * Names the delivery that is settled: a receipt handle, a tag; of a cumulative position
       * `<unit>@<position>` with a whole number that grows.
       */
      readonly handle: string;
      readonly act: SettleAct;
      /** Why the broker refused, by the error's name; empty when it did not. */
      readonly refused: string;
    }
  | { readonly kind: "dead-lettered"; readonly ref: string }
  | {
      readonly kind: "lapsed";
      readonly consumer: string;
      /** The record whose lease ended; empty for a membership or session as a whole. */
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

/** What a producer under test does that no manager tells: its manners, and what it holds. */
type ProducerEvent =
  | { readonly kind: "breach"; readonly poll: number; readonly what: string; readonly ref: string }
  | { readonly kind: "client-call"; readonly poll: number; readonly site: string }
  | { readonly kind: "disturbed"; readonly name: string }
  | { readonly kind: "still-open"; readonly poll: number; readonly what: readonly string[] };

export type TraceBody = WorldEvent | StreamEvent | KeptEvent | ProducerEvent | TaskEvent | JobEvent;

/** One thing that happened: when (virtual ms), where, what. */
export type TraceEvent = { readonly at: number; readonly host: string } & TraceBody;

/** Whoever wants to hear each event as it happens: a checker, a counter. */
export type TraceListener = (event: TraceEvent) => void;

/** Where a run stops when it emits without end. */
const TRACE_LENGTH_MAX = 50_000_000;

/**
 * The record of a run.
 *
 * Holds: the digest covers every event in order in its canonical form, JSON with the members in the
 * order in which this file lists them. Left out, because an engine words it for itself: messages
 * and stacks; errors appear by name.
 */
export class Trace {
  readonly #digest = new LineDigest();
  readonly #kept: TraceEvent[] | undefined;
  readonly #listeners: TraceListener[] = [];
  readonly #now: () => number;
  readonly #marks = new Map<string, number>();
  #length = 0;

  constructor(now: () => number, options: { readonly keep: boolean }) {
    this.#now = now;
    this.#kept = options.keep ? [] : undefined;
  }

  get length(): number {
    return this.#length;
  }

  listen(listener: TraceListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Says that something happened which a search should bring about now and then. A mark is counted
   * and nothing else: it is no event, and no part of the digest.
   */
  sometimes(mark: string): void {
    this.#marks.set(mark, (this.#marks.get(mark) ?? 0) + 1);
  }

  /** How often each mark was reached, by name. */
  marks(): ReadonlyMap<string, number> {
    return this.#marks;
  }

  emit(host: string, body: TraceBody): void {
    const event: TraceEvent = { at: this.#now(), host, ...body };
    this.#length += 1;
    if (this.#length > TRACE_LENGTH_MAX) {
      throw new RangeError(`Cannot trace more than ${TRACE_LENGTH_MAX} events in one run`);
    }
    this.#digest.add(JSON.stringify(event));
    this.#kept?.push(event);
    for (const listener of this.#listeners) listener(event);
  }

  events(): readonly TraceEvent[] {
    return this.#kept ?? [];
  }

  digest(): string {
    return this.#digest.hex();
  }
}
