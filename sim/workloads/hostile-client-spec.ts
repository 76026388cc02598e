import type { FilterForm } from "./filter-form.ts";

/** How many of each thing a hostile client works with, and what it may do. */
export interface HostileClientSpec {
  readonly keys: number;
  readonly triggers: number;
  readonly lanes: number;
  /** How many acts the client performs. */
  readonly operations: number;
  /** What the client may do beside the ordinary. */
  readonly hostile: {
    readonly failures: boolean;
    readonly stopAll: boolean;
    readonly sameTurn: boolean;
    readonly bursts: boolean;
    readonly pullsOn: boolean;
  };
  readonly filter: { readonly form: FilterForm };
  /** How its streams are settled: each by its producer, not at all, or as each trigger draws. */
  readonly mode: "ack" | "fast" | "either";
}
