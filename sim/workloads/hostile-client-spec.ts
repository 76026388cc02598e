import type { FilterForm } from "./filter-form.ts";

/** What a hostile client does to a manager. */
export interface HostileClientSpec {
  /** How many stream keys the client uses. */
  readonly keys: number;
  /** How many trigger ids the client uses. */
  readonly triggers: number;
  /** How many lanes the events of a stream have. */
  readonly lanes: number;
  /** How many actions the client performs. */
  readonly operations: number;
  /** What the client may do beyond ordinary use. */
  readonly hostile: {
    /** Whether streams, lane hooks, factories and advances may throw. */
    readonly failures: boolean;
    /** Whether the client may call `stopAll` in the middle of a run. */
    readonly stopAll: boolean;
    /** Whether the client may act again in the same turn, without awaiting anything. */
    readonly sameTurn: boolean;
    /** Whether a stream may yield several events at once. */
    readonly bursts: boolean;
    /** Whether filters go on pulling after their stream has failed or ended. */
    readonly pullsOn: boolean;
    /** Whether sources may throw when they are aborted, or something else when they are closed. */
    readonly badEnds: boolean;
    /**
     * Whether the client ends all its groups while they are busy: advances are slow or fail late,
     * and keys are joined again while their old group drains.
     */
    readonly busyStops: boolean;
    /**
     * Whether a slow advance may take minutes: longer than `stopAll` waits for a group before it
     * stops the next.
     */
    readonly longAdvances: boolean;
  };
  /** How the client's filters get their events. */
  readonly filter: { readonly form: FilterForm };
  /** Whether streams are settled by their producers, not at all, or as each trigger draws. */
  readonly mode: "ack" | "fast" | "either";
}
