/** The payload of a watcher's trigger event; `event` is its id in the trace. */
export interface FiredPayload {
  readonly event: number;
  readonly ref: string;
  /** Present only if the scenario wants a payload that cannot be encoded. */
  readonly circular?: unknown;
}
