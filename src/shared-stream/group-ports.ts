import type { SeqIndex } from "./ledger/seq-index.ts";
import type { SharedStreamProducer } from "./producer.ts";

/** Where a group's events come from: the trigger that subscribed first (C-014). */
export interface StreamSource<Raw> {
  readonly createSharedStreamProducer?: (() => SharedStreamProducer<Raw>) | undefined;
  readonly openSharedStream?: ((signal: AbortSignal) => AsyncIterable<Raw>) | undefined;
}

/** The options of a manager that concern its groups, resolved. */
export interface GroupPolicy {
  /** 0 for no bound. */
  readonly maxSubscriberQueue: number;
  readonly ackTimeoutMs: number;
  readonly cohortGraceMs: number;
  readonly strictPersistence: boolean;
}

/** What a group needs from its manager. */
export interface GroupOwner {
  /** Takes the group's key out of the map if it maps to this group; synchronous. */
  evict(): void;
  /** The sequence numbers of the manager. */
  readonly seqs: SeqIndex;
}
