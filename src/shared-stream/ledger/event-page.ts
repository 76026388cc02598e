import type { LaneKey } from "../key.ts";

/**
 * Events per page. A page is allocated and freed as a whole: small enough for a group with a few
 * events, large enough that the cost of a page is negligible per event.
 */
export const PAGE_SIZE = 256;
/** An event's index in its page is the low PAGE_BITS bits of its id. */
export const PAGE_BITS = 8;
export const PAGE_MASK: number = PAGE_SIZE - 1;

/** Called when a sequence number that an event of a page waits for is confirmed. */
export interface PendingListener {
  decrementPending(page: EventPage, at: number): void;
}

/** The events of one lane that are not advanced yet, as a linked list through the pages. */
export interface LaneQueue {
  readonly key: LaneKey;
  /** Head and tail are undefined while the lane is empty. */
  headPage: EventPage | undefined;
  headAt: number;
  tailPage: EventPage | undefined;
  tailAt: number;
}

/**
 * A run of consecutive events of a group, stored column by column: an event costs a few numbers and
 * three references, and no object.
 *
 * Everywhere in this room `at` is the index of an event in its page.
 */
export class EventPage {
  /** The id of the event at index 0. */
  readonly firstId: number;
  readonly listener: PendingListener;
  readonly raws: unknown[] = [];
  readonly brokerPayloads: unknown[] = [];
  readonly lanes: (LaneQueue | undefined)[] = [];
  /** In milliseconds of the clock that the group uses. */
  readonly createdAt: Float64Array = new Float64Array(PAGE_SIZE);
  /** The number of subscribers in the event's snapshot. */
  readonly members: Int32Array = new Int32Array(PAGE_SIZE);
  /** What the event still waits for: windows to close plus sequence numbers to be confirmed. */
  readonly pending: Int32Array = new Int32Array(PAGE_SIZE);
  /** The distance in ids to the next event of the same lane; 0 for the last one. */
  readonly nextInLane: Float64Array = new Float64Array(PAGE_SIZE);
  /** How many subscribers failed each event; allocated on the first failure. */
  failed: Int32Array | undefined;
  /** How many subscribers rejected each event; allocated on the first reject. */
  rejected: Int32Array | undefined;
  /** The page of the events that follow; undefined for the newest page. */
  next: EventPage | undefined;
  /** The event slot of the event at index 0 (see `SeqIndex`). */
  firstSlot = 0;
  /** How many events the page has so far. */
  size = 0;
  /** How many of its events are not resolved by all members. */
  unresolved = 0;
  /** All events before this index are resolved. */
  firstUnresolved = 0;
  /** How many of its events were handed to the producer. */
  advanced = 0;

  constructor(firstId: number, listener: PendingListener) {
    this.firstId = firstId;
    this.listener = listener;
  }

  countFailed(at: number): void {
    this.failed ??= new Int32Array(PAGE_SIZE);
    this.failed[at] = (this.failed[at] as number) + 1;
  }

  countRejected(at: number): void {
    this.rejected ??= new Int32Array(PAGE_SIZE);
    this.rejected[at] = (this.rejected[at] as number) + 1;
  }
}
