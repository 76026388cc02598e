import { beginVisit, endVisit, type RejectTarget } from "./ambient.ts";
import type { SubscriberCursor } from "./ledger/cursor.ts";
import type { Subscription } from "./subscription.ts";

/** The subscribers of a group, and the delivery of an event to all of them. */
export class Broadcast<Raw> implements RejectTarget {
  readonly #subscriptions = new Set<Subscription<Raw>>();
  readonly #overflowed: (subscription: Subscription<Raw>) => void;
  /** Whether the three lists below are up to date. Each list is replaced and never changed. */
  #isSnapshotValid = false;
  #cursors: readonly SubscriberCursor[] = [];
  #pulling: readonly Subscription<Raw>[] = [];
  #visiting: readonly Subscription<Raw>[] = [];
  /** The index in `#visiting` of the subscriber that is being shown an event. */
  #visitor = 0;

  /** `overflowed` is called during a delivery, with a subscriber whose queue is full. */
  constructor(overflowed: (subscription: Subscription<Raw>) => void) {
    this.#overflowed = overflowed;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  [Symbol.iterator](): IterableIterator<Subscription<Raw>> {
    return this.#subscriptions.values();
  }

  add(subscription: Subscription<Raw>): void {
    this.#subscriptions.add(subscription);
    this.#isSnapshotValid = false;
  }

  delete(subscription: Subscription<Raw>): void {
    this.#isSnapshotValid = false;
    this.#subscriptions.delete(subscription);
  }

  /** Makes the next event see who has failed and who visits by now. */
  invalidateSnapshot(): void {
    this.#isSnapshotValid = false;
  }

  /** Returns the cursors of all subscribers that have not failed: the members of the next event. */
  snapshot(): readonly SubscriberCursor[] {
    if (this.#isSnapshotValid) return this.#cursors;
    const members = [...this.#subscriptions].filter(({ cursor }) => !cursor.hasFailed);
    this.#cursors = members.map(({ cursor }) => cursor);
    this.#pulling = members.filter(({ isVisited }) => !isVisited);
    this.#visiting = members.filter(({ isVisited }) => isVisited);
    this.#isSnapshotValid = true;
    return this.#cursors;
  }

  /**
   * Delivers an event to the members of the last snapshot: to those who pull, then to those who
   * visit, because a visitor runs other people's code before it returns.
   */
  deliver(raw: Raw): void {
    const [pulling, visiting] = [this.#pulling, this.#visiting];
    for (const member of pulling) if (!member.deliver(raw)) this.#overflowed(member);
    if (visiting.length === 0) return;
    beginVisit(this);
    try {
      for (this.#visitor = 0; this.#visitor < visiting.length; this.#visitor += 1) {
        const member = visiting[this.#visitor] as Subscription<Raw>;
        if (!member.deliverToVisitor(raw)) this.#overflowed(member);
      }
    } finally {
      endVisit();
    }
  }

  /** Passes an ambient reject on to the subscriber that is being shown an event. */
  rejectIfOpen(window: number | undefined): void {
    this.#visiting[this.#visitor]?.rejectIfOpen(window);
  }
}
