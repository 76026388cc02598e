import type { SharedStreamProducer } from "./producer.ts";
import type { SeqIndex } from "./seq-index.ts";

/** What a group needs from the trigger that was there first (spec C-014). */
export interface StreamSource<Raw> {
  readonly createSharedStreamProducer?: (() => SharedStreamProducer<Raw>) | undefined;
  readonly openSharedStream?: ((signal: AbortSignal) => AsyncIterable<Raw>) | undefined;
}

/** The policies of a manager, in milliseconds. */
export interface GroupPolicy {
  readonly maxSubscriberQueue: number;
  readonly ackTimeoutMs: number;
  readonly cohortGraceMs: number;
  readonly strictPersistence: boolean;
}

/** What a group asks of its manager. */
export interface GroupOwner {
  /** Takes the group's key out of the map, if it still points to this group; synchronous. */
  evict(): void;
  /** The sequence numbers of the manager. */
  readonly seqs: SeqIndex;
}
