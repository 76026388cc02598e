import type { Ratio } from "../faults/rule.ts";
import type { FilterForm } from "./filter-form.ts";

/** What the filters of a stream do with raw events; each rate is drawn per event and trigger. */
export interface FilterSpec {
  readonly form: FilterForm;
  readonly fires: Ratio;
  readonly firesTwice: Ratio;
  readonly rejects: Ratio;
  readonly raises: Ratio;
  readonly unencodable: Ratio;
  readonly returns: Ratio;
  readonly slow: Ratio;
  readonly slowFor: number;
}

/**
 * A topic, the triggers that share it, and what is published. Durations are virtual milliseconds.
 */
export interface StreamSpec {
  readonly name: string;
  readonly mode: "ack" | "fast";
  readonly partitions: number;
  readonly triggers: number;
  readonly publishEvery: number;
  readonly burst: number;
  readonly filter: FilterSpec;
  /** The trigger of this number (from 1) hangs in its first event until the safety phase ends. */
  readonly stuckTrigger?: number | undefined;
  /** Records of this partition (from 0) wait this long in every filter. */
  readonly slowPartition?: { readonly partition: number; readonly for: number } | undefined;
  /** The `nth` call of `advance` in the safety phase throws this error. */
  readonly advanceThrows?:
    | { readonly nth: number; readonly error: "Error" | "AbortError" }
    | undefined;
}
