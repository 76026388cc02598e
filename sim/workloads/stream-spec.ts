import type { Ratio } from "../faults/rule.ts";
import type { FilterForm } from "./filter-form.ts";

/** What the filters of a stream do; each probability is per raw event and trigger. */
export interface FilterSpec {
  /** How the filters get their events. */
  readonly form: FilterForm;
  /** That a filter fires a trigger event. */
  readonly fires: Ratio;
  /** That it fires two. */
  readonly firesTwice: Ratio;
  /** That it rejects the raw event. */
  readonly rejects: Ratio;
  /**
   * That a task which it started rejects when the window of the event is closed, by the ambient
   * form; this must change nothing.
   */
  readonly rejectsLate: Ratio;
  /** That it throws. */
  readonly raises: Ratio;
  /** That its trigger event cannot be encoded. */
  readonly unencodable: Ratio;
  /** That it ends, as a one-shot trigger does. */
  readonly returns: Ratio;
  /** That it takes `slowFor`. */
  readonly slow: Ratio;
  /** How long a slow filter takes, in virtual milliseconds. */
  readonly slowFor: number;
}

/**
 * A topic, the triggers that share it, and the records that are published.
 *
 * Units: virtual milliseconds.
 */
export interface StreamSpec {
  /** The name of the stream and of its topic. */
  readonly name: string;
  /**
   * Whether the producer advances the broker once events are resolved, or only fans out; or whether
   * each trigger reads the topic alone, in its own `run`, and nothing is shared.
   */
  readonly mode: "ack" | "fast" | "standalone";
  /** How many partitions the topic has. */
  readonly partitions: number;
  /** How many triggers subscribe at the start. */
  readonly triggers: number;
  /** How often records are published, give or take. */
  readonly publishEvery: number;
  /** How many records are published at a time. */
  readonly burst: number;
  /**
   * How many records the producer has broadcast at most that are not advanced yet; undefined: it
   * broadcasts what it can fetch.
   */
  readonly inFlightMax?: number | undefined;
  /** What the triggers' filters do. */
  readonly filter: FilterSpec;
  /** The trigger of this number (from 1) hangs in its first event until the safety phase ends. */
  readonly stuckTrigger?: number | undefined;
  /** Records of this partition (from 0) wait this long in every filter. */
  readonly slowPartition?: { readonly partition: number; readonly for: number } | undefined;
  /** Every `nth` call of `advance` in the safety phase throws this error. */
  readonly advanceThrows?:
    | { readonly nth: number; readonly error: "Error" | "AbortError" }
    | undefined;
}
