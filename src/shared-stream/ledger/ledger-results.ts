import type { LaneKey } from "../key.ts";
import type { AdvanceItem } from "../outcome.ts";
import type { SubscriberCursor } from "./cursor.ts";

/** The resolved events at the head of one lane, without a gap. */
export interface Batch<Payload> {
  readonly lane: LaneKey;
  readonly items: readonly AdvanceItem<Payload>[];
}

/** A subscription that exceeded the ack timeout, and the oldest event that it owes. */
export interface Overdue {
  readonly cursor: SubscriberCursor;
  readonly eventId: number;
}

/** What a ledger holds; all zero when nothing is outstanding. */
export interface LedgerCounts {
  readonly outstanding: number;
  readonly lanes: number;
}
