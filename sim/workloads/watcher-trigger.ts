import { invariant } from "../../src/invariant.ts";
import type { SharedStream, SharedStreamProducer, StreamKey } from "../../src/shared-stream/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";
import { type EventTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import type { ChoiceStream } from "../choices/choices.ts";
import type { Ratio } from "../faults/rule.ts";
import type { TraceIds } from "../hosts/traced-manager.ts";
import type { FiredPayload } from "../hosts/fired-payload.ts";
import type { StreamSpec } from "./stream-spec.ts";
import type { WATCHER_MARKS } from "./marks.ts";

/** What a record carries: its name in traces, and where it lies. */
export interface PublishedRecord {
  readonly ref: string;
  readonly partition: number;
}

/** Whether the safety phase is on: only then filters misbehave. */
export interface Mood {
  isCalm: boolean;
}

/** What one trigger is made of. */
export interface WatcherParts {
  readonly clock: Clock;
  readonly choice: ChoiceStream;
  readonly ids: TraceIds;
  readonly mood: Mood;
  readonly spec: StreamSpec;
  readonly ordinal: number;
  /** Told of each trigger event that the filter yields. */
  readonly onYield: (stream: SharedStream<unknown>, event: number) => void;
  /** Told before the filter raises. */
  readonly onRaise: () => void;
  /** Told of what should happen now and then. */
  readonly sometimes: (mark: (typeof WATCHER_MARKS)[number]) => void;
  readonly createProducer: () => SharedStreamProducer<unknown>;
}

/**
 * A trigger that watches a topic for records, and does with each what its scenario's rates say.
 *
 * Holds: once the mood is calm it fires, skips and rejects, but neither raises nor stalls.
 */
export class WatcherTrigger implements EventTrigger {
  readonly #parts: WatcherParts;
  readonly createSharedStreamProducer?: () => SharedStreamProducer<unknown>;
  readonly openSharedStream?: (signal: AbortSignal) => AsyncIterable<unknown>;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
    if (parts.spec.mode === "ack") {
      this.createSharedStreamProducer = () => parts.createProducer();
    } else {
      this.openSharedStream = (signal) => rawEventsOf(parts.createProducer(), signal);
    }
  }

  sharedStreamKey(): StreamKey {
    return ["topic", this.#parts.spec.name];
  }

  async *filterSharedStream(stream: SharedStream<unknown>): AsyncGenerator<TriggerEvent> {
    const { mood, spec, ordinal, clock } = this.#parts;
    for await (const raw of stream) {
      invariant(isRecord(raw), "A watcher got something else than a record");
      if (!mood.isCalm) {
        if (spec.stuckTrigger === ordinal) await sleep(clock, STUCK_MS);
        await this.#dawdle(raw);
        if (this.#strikes(spec.filter.raises, "raises")) {
          this.#parts.onRaise();
          throw new Error("The filter raised");
        }
      }
      if (this.#strikes(spec.filter.rejects, "rejects")) {
        this.#parts.sometimes("a filter rejected a record");
        stream.reject();
        continue;
      }
      yield* this.#derive(stream, raw);
      if (mood.isCalm || !this.#strikes(spec.filter.returns, "returns")) continue;
      this.#parts.sometimes("a filter returned of its own accord");
      return;
    }
  }

  *#derive(stream: SharedStream<unknown>, { ref }: PublishedRecord): Generator<TriggerEvent> {
    const { filter } = this.#parts.spec;
    if (!this.#strikes(filter.fires, "fires")) return;
    const times = this.#strikes(filter.firesTwice, "fires twice") ? 2 : 1;
    if (times === 2) this.#parts.sometimes("a filter fired twice for one record");
    for (let at = 0; at < times; at += 1) {
      const event = this.#parts.ids.take();
      const payload: { event: number; ref: string; circular?: unknown } = { event, ref };
      if (!this.#parts.mood.isCalm && this.#strikes(filter.unencodable, "unencodable")) {
        payload.circular = payload;
      }
      this.#parts.onYield(stream, event);
      yield new TriggerEvent<FiredPayload>(payload);
    }
  }

  async #dawdle({ partition }: PublishedRecord): Promise<void> {
    const { clock, spec } = this.#parts;
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

/** Longer than any run: the filter never comes back from here by itself. */
const STUCK_MS = 1_000_000_000;

function isRecord(raw: unknown): raw is PublishedRecord {
  return typeof raw === "object" && raw !== null && "ref" in raw && "partition" in raw;
}

/** The fast path: the same source, without anybody settling it. */
async function* rawEventsOf(
  producer: SharedStreamProducer<unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  for await (const [raw] of producer.openStream(signal)) yield raw;
}
