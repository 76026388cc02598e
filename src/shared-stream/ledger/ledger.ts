import type { LaneKey } from "../key.ts";
import { type AdvanceItem, AdvanceOutcome } from "../outcome.ts";
import type { SubscriberCursor } from "./cursor.ts";
import { EventPage, PAGE_MASK, PAGE_SIZE, type PendingListener } from "./event-page.ts";
import { Lanes } from "./lanes.ts";
import type { Batch, LedgerCounts, Overdue } from "./ledger-results.ts";
import { NO_WAITER, type SeqIndex } from "./seq-index.ts";

/** A local copy, because V8 looks an imported constant up at each use. */
const MASK = PAGE_MASK;

/**
 * The bookkeeping of one group in ack mode: which subscribers each event still waits for, which
 * events of a lane may be advanced, and who is overdue.
 *
 * It is pure: it knows no promise, no clock and no producer.
 *
 * Holds:
 * - the members of an event are those passed to its fan-out, whatever happens later (I2), and each
 *   is counted once (I3);
 * - a subscriber acks an event once it closed the window and all its sequence numbers are confirmed
 *   (I4);
 * - a batch is the longest resolved prefix of one lane, and is returned once (I5, I7, I8);
 * - ready lanes take turns (I10).
 *
 * Costs: fan-out O(1), and O(members) after somebody joined or left; pull, close, bind, confirm,
 * reject O(1); a harvest O(batch), however many lanes there are; a scan O(1) when nothing is
 * overdue and O(subscriptions) otherwise; failing a subscriber, and a leave, O(what it owes).
 * Neither an event nor a subscriber's part in it allocates an object.
 *
 * Why so: a subscriber reads events strictly in order, so the id of its next event says which
 * windows it has closed and how many events are queued for it. An event stores only a count; which
 * subscribers it waits for is looked up in their cursors when one fails. Events lie in pages and
 * not in one ring, so that an event that stays outstanding for long keeps its page alive, and not
 * everything that came after it.
 */
export class Ledger<Payload> implements PendingListener {
  readonly #timeoutMs: number;
  readonly #seqs: SeqIndex;
  /** The pages that have events to advance, by page number; the oldest first. */
  readonly #pages = new Map<number, EventPage>();
  #newest: EventPage = new EventPage(0, this);
  /** The id of the next event. */
  #nextId = 0;
  readonly #lanes = new Lanes();
  #outstanding = 0;
  /** The last outcome returned; shared by consecutive events with the same counts. */
  #outcome = new AdvanceOutcome(0, 0);
  /** The cursors that may owe something, in the order in which they joined. */
  readonly #cursors = new Set<SubscriberCursor>();
  /** Those of `#cursors` that have left or were abandoned while they owed something. */
  readonly #departed = new Set<SubscriberCursor>();
  /** The members of the last event, to notice by identity when they changed. */
  #members: readonly SubscriberCursor[] = [];
  readonly #becameReady: (() => void) | undefined;

  /**
   * `seqs` is shared by all ledgers of a manager. `becameReady` is called when a lane becomes
   * ready, in the middle of the change that made it so: it must not call the ledger.
   */
  constructor(timeoutMs: number, seqs: SeqIndex, becameReady?: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#seqs = seqs;
    this.#becameReady = becameReady;
  }

  get hasReady(): boolean {
    return this.#lanes.hasReady;
  }

  get isEmpty(): boolean {
    return this.#outstanding === 0;
  }

  /** The id of the last event; undefined before the first. */
  get newestEventId(): number | undefined {
    return this.#nextId === 0 ? undefined : this.#nextId - 1;
  }

  counts(): LedgerCounts {
    return { outstanding: this.#outstanding, lanes: this.#lanes.live };
  }

  /**
   * Returns what it keeps in memory of subscribers and lanes: those that have left and, at the last
   * look, still owed an event; and empty lanes beside the live ones.
   */
  kept(): { readonly subscribers: number; readonly departed: number; readonly lanes: number } {
    return {
      subscribers: this.#cursors.size,
      departed: this.#departed.size,
      lanes: this.#lanes.kept,
    };
  }

  /** Returns how many events the subscriber has not pulled. */
  queuedFor(cursor: SubscriberCursor): number {
    return cursor.page === undefined ? 0 : this.#nextId - cursor.nextId;
  }

  /** Whether the subscriber has no window open and has pulled everything but the newest event. */
  isNewestNext(cursor: SubscriberCursor): boolean {
    return cursor.nextId === this.#nextId - 1 && !cursor.isOpen;
  }

  /**
   * Adds an event that `members` must resolve, and queues it for each. An array that was passed
   * before must not have been changed since.
   */
  fanOut(
    event: { readonly raw: unknown; readonly brokerPayload: Payload; readonly lane: LaneKey },
    members: readonly SubscriberCursor[],
    now: number,
  ): void {
    const page = this.#newest.size === PAGE_SIZE ? this.#openPage() : this.#newest;
    const at = page.size;
    if (at === 0) this.#addPage(page);
    if (members !== this.#members) {
      this.#members = members;
      for (const cursor of members) if (cursor.page === undefined) this.#join(cursor, page);
    }
    page.size += 1;
    page.unresolved += 1;
    this.#nextId += 1;
    this.#outstanding += 1;
    page.raws[at] = event.raw;
    page.brokerPayloads[at] = event.brokerPayload;
    page.createdAt[at] = now;
    page.members[at] = members.length;
    page.pending[at] = members.length;
    this.#lanes.append(page, at, event.lane);
    if (members.length === 0) this.#markResolved(page, at);
  }

  /** Opens the window of the next event, which must be there, and returns the raw event. */
  pull(cursor: SubscriberCursor): unknown {
    cursor.open();
    return cursor.page?.raws[cursor.openAt];
  }

  /** Closes the window, if one is open. */
  close(cursor: SubscriberCursor): void {
    const at = cursor.openAt;
    if (cursor.close()) this.decrementPending(cursor.page as EventPage, at);
  }

  /** Returns the id of the open event. */
  openEventId({ nextId }: SubscriberCursor): number {
    return nextId - 1;
  }

  /** Draws a sequence number; the open event is not acked before that is confirmed. */
  bind(cursor: SubscriberCursor): number {
    const page = cursor.page as EventPage;
    const at = cursor.openAt;
    page.pending[at] = (page.pending[at] as number) + 1;
    const seq = this.#seqs.draw(page, at);
    cursor.markBound(seq);
    cursor.seqs.push(seq, this.#seqs);
    return seq;
  }

  /**
   * Counts down what an event waits for: a window was closed, or a sequence number was confirmed or
   * abandoned, which has been removed from the index before.
   */
  decrementPending(page: EventPage, at: number): void {
    const pending = (page.pending[at] as number) - 1;
    page.pending[at] = pending;
    if (pending === 0) this.#markResolved(page, at);
  }

  /** Rejects the open event. */
  reject(cursor: SubscriberCursor): void {
    this.#resolveOpen(cursor, "rejected");
  }

  /** Fails the open event. */
  fail(cursor: SubscriberCursor): void {
    this.#resolveOpen(cursor, "failed");
  }

  /** Fails everything that a subscriber owes, and excludes it from later events. */
  failAll(cursor: SubscriberCursor): void {
    this.#failBound(cursor);
    cursor.hasFailed = true;
    if (!cursor.hasLeft) this.#failUnpassed(cursor);
    cursor.markResolved();
    cursor.detach();
    this.#forget(cursor);
  }

  /**
   * Takes a subscriber out: its open event counts as passed, events that it never pulled as failed.
   * What waits for a confirmation goes on waiting.
   */
  leave(cursor: SubscriberCursor): void {
    this.close(cursor);
    if (!cursor.hasFailed) this.#failUnpassed(cursor);
    cursor.hasLeft = true;
    cursor.detach();
    this.#depart(cursor);
  }

  /**
   * Takes a subscriber out and resolves nothing: only the ack timeout fails what it owes, and no
   * later event waits for it.
   */
  abandon(cursor: SubscriberCursor): void {
    // Without a page it has failed, or was in no event's snapshot: it owes nothing.
    cursor.abandon(cursor.page === undefined ? 0 : this.#nextId);
    this.#depart(cursor);
  }

  /**
   * Fails each subscriber that owes an event which is overdue at `now`, with everything else that
   * it owes. Returns those that are still there, ordered by event.
   */
  failOverdue(now: number): readonly Overdue[] {
    for (const cursor of this.#departed) {
      if (this.#oldestOwedBy(cursor) === undefined) this.#forget(cursor);
    }
    if (!this.#isOverdue(this.#oldestUnresolved(), now)) return [];
    const overdue: Overdue[] = [];
    for (const cursor of this.#cursors) {
      const eventId = this.#oldestOwedBy(cursor);
      if (this.#isOverdue(eventId, now)) overdue.push({ cursor, eventId });
    }
    overdue.sort((one, other) => one.eventId - other.eventId);
    const present = overdue.filter(({ cursor }) => !this.#departed.has(cursor));
    for (const { cursor } of overdue) this.failAll(cursor);
    return present;
  }

  /** Takes the next ready lane's batch out; undefined when no lane is ready. */
  harvest(): Batch<Payload> | undefined {
    const queue = this.#lanes.takeReady();
    if (queue === undefined) return undefined;
    const items: AdvanceItem<Payload>[] = [];
    let page = queue.headPage as EventPage;
    let at = queue.headAt;
    for (;;) {
      if (page.pending[at] !== 0) break;
      items.push(this.#takeOut(page, at));
      const distance = page.nextInLane[at] as number;
      if (distance === 0) {
        this.#lanes.markEmpty(queue);
        break;
      }
      const id = page.firstId + at + distance;
      if (at + distance >= PAGE_SIZE) page = this.#pageOf(id);
      at = id - page.firstId;
      queue.headPage = page;
      queue.headAt = at;
    }
    this.#outstanding -= items.length;
    return { lane: queue.key, items };
  }

  /** Abandons all unconfirmed sequence numbers; the events that wait for them stay unresolved. */
  forgetSeqs(): void {
    for (const { seqs } of this.#cursors) {
      for (let nth = 0; nth < seqs.count; nth += 1) this.#seqs.take(seqs.at(nth));
      seqs.clear();
    }
    for (const page of this.#pages.values()) this.#seqs.removePage(page);
  }

  #openPage(): EventPage {
    const page = new EventPage(this.#nextId, this);
    this.#newest.next = page;
    this.#newest = page;
    return page;
  }

  #addPage(page: EventPage): void {
    this.#pages.set(page.firstId / PAGE_SIZE, page);
    this.#seqs.addPage(page);
  }

  #join(cursor: SubscriberCursor, page: EventPage): void {
    cursor.join(page, this.#nextId);
    this.#cursors.add(cursor);
  }

  #pageOf(eventId: number): EventPage {
    return this.#pages.get(Math.floor(eventId / PAGE_SIZE)) as EventPage;
  }

  /** Removes a resolved event from its page. */
  #takeOut(page: EventPage, at: number): AdvanceItem<Payload> {
    const failed = page.failed?.[at] ?? 0;
    const rejected = page.rejected?.[at] ?? 0;
    const acked = (page.members[at] as number) - failed - rejected;
    const last = this.#outcome;
    if (last.acked !== acked || last.failed !== failed || last.rejected !== rejected) {
      this.#outcome = new AdvanceOutcome(acked, failed, rejected);
    }
    const brokerPayload = page.brokerPayloads[at] as Payload;
    page.brokerPayloads[at] = undefined;
    page.lanes[at] = undefined;
    page.advanced += 1;
    if (page.advanced === PAGE_SIZE) {
      this.#pages.delete(page.firstId / PAGE_SIZE);
      this.#seqs.removePage(page);
    }
    return Object.freeze({ brokerPayload, outcome: this.#outcome });
  }

  /** Resolves the open event for one subscriber, whatever was bound to it in this window. */
  #resolveOpen(cursor: SubscriberCursor, as: "failed" | "rejected"): void {
    if (!cursor.canBind) return;
    const page = cursor.page as EventPage;
    const at = cursor.openAt;
    const { seqs } = cursor;
    for (let nth = seqs.count - 1; cursor.hasBound && nth >= 0; nth -= 1) {
      const seq = seqs.at(nth);
      if (seq < cursor.firstSeqInWindow) break;
      if (this.#seqs.take(seq) !== NO_WAITER) this.decrementPending(page, at);
    }
    cursor.markResolved();
    if (as === "failed") page.countFailed(at);
    else page.countRejected(at);
    this.decrementPending(page, at);
  }

  /** Returns the id of the oldest event that is not resolved by all members. */
  #oldestUnresolved(): number | undefined {
    for (const page of this.#pages.values()) {
      if (page.unresolved === 0) continue;
      while (page.pending[page.firstUnresolved] === 0) page.firstUnresolved += 1;
      return page.firstId + page.firstUnresolved;
    }
    return undefined;
  }

  /** Returns the id of the oldest event that one subscriber has not resolved. */
  #oldestOwedBy(cursor: SubscriberCursor): number | undefined {
    const seq = cursor.seqs.oldest(this.#seqs);
    if (seq !== undefined) return this.#seqs.eventIdOf(seq);
    const unpassed = cursor.hasLeft ? this.#nextId : cursor.firstUnpassed;
    return unpassed < cursor.endIdUpTo(this.#nextId) ? unpassed : undefined;
  }

  #isOverdue(eventId: number | undefined, now: number): eventId is number {
    if (eventId === undefined) return false;
    const { createdAt } = this.#pageOf(eventId);
    return now - (createdAt[eventId & MASK] as number) >= this.#timeoutMs;
  }

  /** Keeps a cursor that has departed as long as it owes an event. */
  #depart(cursor: SubscriberCursor): void {
    if (this.#oldestOwedBy(cursor) === undefined) this.#cursors.delete(cursor);
    else this.#departed.add(cursor);
  }

  #forget(cursor: SubscriberCursor): void {
    this.#cursors.delete(cursor);
    this.#departed.delete(cursor);
  }

  /** Fails the events that wait for a sequence number of this subscriber. */
  #failBound({ seqs, firstUnpassed }: SubscriberCursor): void {
    const index = this.#seqs;
    let counted = NO_WAITER;
    for (let nth = 0; nth < seqs.count; nth += 1) {
      const eventSlot = index.take(seqs.at(nth));
      if (eventSlot === NO_WAITER) continue;
      const page = index.pageAt(eventSlot);
      const at = eventSlot & MASK;
      // The open event is counted by `#failUnpassed`, an event with several numbers once.
      if (eventSlot !== counted && page.firstId + at < firstUnpassed) page.countFailed(at);
      counted = eventSlot;
      this.decrementPending(page, at);
    }
    seqs.clear();
  }

  /** Fails the open event, unless it is resolved, and all events that were not pulled. */
  #failUnpassed(cursor: SubscriberCursor): void {
    let { page } = cursor;
    const endId = cursor.endIdUpTo(this.#nextId);
    for (let id = cursor.firstUnpassed; page !== undefined && id < endId; id += 1) {
      if (id - page.firstId === PAGE_SIZE) page = page.next as EventPage;
      page.countFailed(id - page.firstId);
      this.decrementPending(page, id - page.firstId);
    }
  }

  /** Handles that all members of an event have resolved it. */
  #markResolved(page: EventPage, at: number): void {
    page.unresolved -= 1;
    page.raws[at] = undefined;
    if (this.#lanes.markResolved(page, at)) this.#becameReady?.();
  }
}
