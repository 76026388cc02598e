import { invariant } from "../../src/invariant.ts";
import type {
  EventWindow,
  SharedStream,
  SharedStreamProducer,
  StreamKey,
} from "../../src/shared-stream/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";
import {
  type EventTrigger,
  filterEach,
  type FilteredEvents,
  TriggerEvent,
} from "../../src/triggerer/mod.ts";
import type { ChoiceStream } from "../choices/choices.ts";
import type { Ratio } from "../faults/rule.ts";
import type { TraceIds } from "../hosts/trace-ids.ts";
import type { FiredPayload } from "../hosts/fired-payload.ts";
import { rawEventsOf } from "./raw-events.ts";
import type { StreamSpec } from "./stream-spec.ts";
import type { WATCHER_MARKS } from "./marks.ts";

/** What a record carries: its name in traces, and where it lies. */
export interface PublishedRecord {
  readonly ref: string;
  readonly partition: number;
}

/** The phase of the run: filters misbehave in the safety phase only. */
export interface RunPhase {
  /** True from the liveness phase on. */
  isCalm: boolean;
}

type Rejectable = Pick<EventWindow, "reject">;

/** What one trigger is made of. */
export interface WatcherParts {
  readonly clock: Clock;
  readonly choice: ChoiceStream;
  readonly ids: TraceIds;
  readonly phase: RunPhase;
  readonly spec: StreamSpec;
  readonly ordinal: number;
  /** Whether its filter is synchronous. */
  readonly isSync: boolean;
  /** Called with each trigger event that the filter yields, and the stream or window it is at. */
  readonly onYield: (place: object, event: number) => void;
  /** Rejects the event at a stream or in a window by the ambient form. */
  readonly rejectAmbiently: (place: object) => void;
  /**
   * Returns the ambient reject of a task that outlives the event at hand: it must do nothing, and
   * is not made while the window is open.
   */
  readonly laterReject: (stream: object) => () => void;
  /** Calls the ambient reject where there is no stream; it must do nothing. */
  readonly rejectAlone: () => void;
  /** Called when a trigger event of a trigger without a stream was taken. */
  readonly onFiredAlone: (fired: FiredPayload) => void;
  /** Called before the filter throws. */
  readonly onRaise: () => void;
  /** Called with each mark that is reached. */
  readonly sometimes: (mark: (typeof WATCHER_MARKS)[number]) => void;
  readonly createProducer: () => SharedStreamProducer<unknown>;
}

/**
 * A trigger that watches a topic for records, and treats each as the scenario's rates say.
 *
 * Holds: once the phase is calm it fires, skips and rejects, but neither throws nor stalls. In its
 * synchronous form it never stalls and never returns.
 */
export class WatcherTrigger implements EventTrigger {
  readonly #parts: WatcherParts;
  readonly createSharedStreamProducer?: () => SharedStreamProducer<unknown>;
  readonly openSharedStream?: (signal: AbortSignal) => AsyncIterable<unknown>;
  readonly filterSharedEvent?: (raw: unknown, window: Rejectable) => FilteredEvents;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
    if (parts.spec.mode === "ack") {
      this.createSharedStreamProducer = () => parts.createProducer();
    } else if (parts.spec.mode === "fast") {
      this.openSharedStream = (signal) => {
        const producer = parts.createProducer();
        return rawEventsOf(() => producer, signal);
      };
    }
    if (parts.isSync) {
      this.filterSharedEvent = (raw, window) => this.#filterAtOnce(raw, window, window);
    }
  }

  sharedStreamKey(): StreamKey | null {
    const { mode, name } = this.#parts.spec;
    return mode === "standalone" ? null : ["topic", name];
  }

  /** Reads the topic alone; what it has read it never settles, so that it reads it anew. */
  async *run(signal: AbortSignal): AsyncGenerator<TriggerEvent> {
    const { createProducer, onFiredAlone, phase, sometimes } = this.#parts;
    const producer = createProducer();
    try {
      for await (const raw of rawEventsOf(() => producer, signal)) {
        invariant(isRecord(raw), "A watcher got something else than a record");
        if (!phase.isCalm) {
          await this.#dawdle(raw);
          this.#raise();
        }
        if (this.#rejectsAlone()) continue;
        for (const fired of this.#derive(this, raw)) {
          yield fired;
          const payload = fired.payload as FiredPayload;
          if (payload.circular !== undefined) continue;
          onFiredAlone(payload);
          sometimes("a trigger without a stream fired");
        }
        if (this.#returns()) return;
      }
    } finally {
      await producer.aclose?.();
    }
  }

  async *filterSharedStream(stream: SharedStream<unknown>): AsyncGenerator<TriggerEvent> {
    const { phase, spec, isSync } = this.#parts;
    if (isSync) {
      // The manager has no visits.
      yield* filterEach(stream, (raw, window) => this.#filterAtOnce(raw, window, stream));
      return;
    }
    for await (const raw of stream) {
      invariant(isRecord(raw), "A watcher got something else than a record");
      if (this.#strikes(spec.filter.rejectsLate, "rejects late")) void this.#rejectLate(stream);
      if (!phase.isCalm) {
        await this.#dawdle(raw);
        this.#raise();
      }
      if (this.#rejects(stream, stream)) continue;
      yield* this.#derive(stream, raw);
      if (this.#returns()) return;
    }
  }

  /** Whether the filter ends of its own accord. */
  #returns(): boolean {
    const { phase, spec, sometimes } = this.#parts;
    if (phase.isCalm || !this.#strikes(spec.filter.returns, "returns")) return false;
    sometimes("a filter returned of its own accord");
    return true;
  }

  /** Whether a trigger without a stream refuses a record, which it tells nobody. */
  #rejectsAlone(): boolean {
    const { spec, rejectAlone, sometimes } = this.#parts;
    if (!this.#strikes(spec.filter.rejects, "rejects")) return false;
    sometimes("a trigger without a stream called the ambient reject");
    rejectAlone();
    return true;
  }

  /** Outlives the event at hand, whose window is open, and rejects then. */
  async #rejectLate(stream: object): Promise<void> {
    const { clock, choice, laterReject } = this.#parts;
    const reject = laterReject(stream);
    await sleep(clock, LATE_MS[choice.choose(LATE_MS.length, "how late")] as number);
    reject();
  }

  /** The synchronous form, which can neither wait nor end of its own accord. */
  #filterAtOnce(raw: unknown, window: Rejectable, place: object): FilteredEvents {
    invariant(isRecord(raw), "A watcher got something else than a record");
    if (!this.#parts.phase.isCalm) this.#raise();
    return this.#rejects(window, place) ? undefined : [...this.#derive(place, raw)];
  }

  #raise(): void {
    if (!this.#strikes(this.#parts.spec.filter.raises, "raises")) return;
    this.#parts.onRaise();
    throw new Error("The filter raised");
  }

  #rejects(window: Rejectable, place: object): boolean {
    const { filter } = this.#parts.spec;
    if (!this.#strikes(filter.rejects, "rejects")) return false;
    this.#parts.sometimes("a filter rejected a record");
    const isAmbient = filter.form !== "async" && this.#parts.choice.choose(2, "reject how") === 1;
    if (isAmbient) this.#parts.rejectAmbiently(place);
    else window.reject();
    return true;
  }

  *#derive(place: object, { ref }: PublishedRecord): Generator<TriggerEvent> {
    const { filter } = this.#parts.spec;
    if (!this.#strikes(filter.fires, "fires")) return;
    const times = this.#strikes(filter.firesTwice, "fires twice") ? 2 : 1;
    if (times === 2) this.#parts.sometimes("a filter fired twice for one record");
    for (let at = 0; at < times; at += 1) {
      const event = this.#parts.ids.take();
      const payload: { event: number; ref: string; circular?: unknown } = { event, ref };
      if (!this.#parts.phase.isCalm && this.#strikes(filter.unencodable, "unencodable")) {
        payload.circular = payload;
      }
      this.#parts.onYield(place, event);
      yield new TriggerEvent<FiredPayload>(payload);
    }
  }

  async #dawdle({ partition }: PublishedRecord): Promise<void> {
    const { clock, ordinal, spec } = this.#parts;
    if (spec.stuckTrigger === ordinal) await sleep(clock, STUCK_MS);
    if (spec.slowPartition?.partition === partition) await sleep(clock, spec.slowPartition.for);
    if (!this.#strikes(spec.filter.slow, "slow")) return;
    this.#parts.sometimes("a filter was slow");
    await sleep(clock, spec.filter.slowFor);
  }

  #strikes({ numerator, denominator }: Ratio, label: string): boolean {
    if (numerator === 0) return false;
    if (numerator === denominator) return true;
    return this.#parts.choice.choose(denominator, label) >= denominator - numerator;
  }
}

/** How long after it began a task that outlives its event rejects. */
const LATE_MS = [5, 150, 600, 2_500] as const;
/** Longer than any run: the filter never resumes by itself. */
const STUCK_MS = 1_000_000_000;

function isRecord(raw: unknown): raw is PublishedRecord {
  return typeof raw === "object" && raw !== null && "ref" in raw && "partition" in raw;
}
