import { type Account, EventPage, type LaneQueue, PAGE_SIZE, type Share } from "./event-page.ts";
import { Fifo } from "./fifo.ts";
import type { LaneKey } from "./key.ts";
import { type AdvanceItem, AdvanceOutcome } from "./outcome.ts";
import type { SeqIndex } from "./seq-index.ts";

/** A lane's contiguous prefix of resolved events. */
export interface Batch<Payload> {
  readonly lane: LaneKey;
  readonly items: readonly AdvanceItem<Payload>[];
}

/** A subscription that ran out of time, and the oldest event on which it did. */
export interface Overdue {
  readonly account: Account;
  readonly eventId: number;
}

/** What a ledger holds; all zero when nothing is outstanding. */
export interface Holdings {
  readonly outstanding: number;
  readonly lanes: number;
  readonly unconfirmed: number;
}

/**
 * The books of one group in ack mode: who must resolve what, lane prefixes, deadlines.
 *
 * It knows no promise, no clock and no producer; the group does the waiting.
 *
 * Holds:
 * - the members of an event are those given at its fan-out, whatever comes later (I2), and each is
 *   counted once (I3);
 * - an event is acked by who closed its window and had all its sequence numbers confirmed (I4);
 * - a batch is the longest resolved prefix of one lane, and is given out once (I5, I7, I8);
 * - a ready lane is served before another gets its second turn (I10).
 *
 * Costs: fan-out O(members); pull, close, bind, confirm, reject O(1); a harvest O(batch), however
 * many lanes there are; a scan O(overdue); overflow, timeout and leaving O(what the subscription
 * owes). No object is made for an event or for a subscriber's part in it.
 *
 * Why so: a subscriber consumes its events strictly in order, so a cursor says which windows it has
 * closed, and its queue is what lies between its cursor and the newest event. Only what waits for
 * a confirmation is written down by event and subscriber. Events lie in pages and not in one ring:
 * an event that stays outstanding for long holds its page, not everything that came after it.
 */
export class Ledger<Payload> {
  readonly #timeoutMs: number;
  readonly #seqs: SeqIndex;
  /** The pages with an event that is not advanced, by number: oldest, and first overdue, first. */
  readonly #pages = new Map<number, EventPage>();
  #newest: EventPage = new EventPage(0);
  readonly #lanes = new Map<LaneKey, LaneQueue>();
  /** Lanes with a resolved head, in the order in which they became ready. */
  readonly #ready = new Fifo<LaneQueue>();
  #outstanding = 0;
  /** Given out last: the next event with the same counts gets it, too. */
  #outcome = new AdvanceOutcome(0, 0);

  /** `seqs` is the index of bound sequence numbers, shared by all ledgers of a manager. */
  constructor(timeoutMs: number, seqs: SeqIndex) {
    this.#timeoutMs = timeoutMs;
    this.#seqs = seqs;
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  get isEmpty(): boolean {
    return this.#outstanding === 0;
  }

  /** The event that was broadcast last; undefined before the first. */
  get newestEventId(): number | undefined {
    const { firstId, size } = this.#newest;
    return firstId + size === 0 ? undefined : firstId + size - 1;
  }

  holdings(): Holdings {
    const unconfirmed = this.#unconfirmed().length;
    return { outstanding: this.#outstanding, lanes: this.#lanes.size, unconfirmed };
  }

  /** Enters an event that all of `members` must resolve, and queues it for each. */
  fanOut(
    event: { readonly raw: unknown; readonly brokerPayload: Payload; readonly lane: LaneKey },
    members: readonly Account[],
    now: number,
  ): void {
    const page = this.#newest.size === PAGE_SIZE ? this.#turnPage() : this.#newest;
    const at = page.size;
    if (at === 0) this.#pages.set(page.firstId / PAGE_SIZE, page);
    page.size += 1;
    page.raws[at] = event.raw;
    page.brokerPayloads[at] = event.brokerPayload;
    page.createdAt[at] = now;
    page.members[at] = members.length;
    page.pending[at] = members.length;
    this.#outstanding += 1;
    this.#enterLane(page, at, event.lane);
    for (let nth = 0; nth < members.length; nth += 1) {
      const account = members[nth] as Account;
      account.queued += 1;
      if (account.newest?.page !== page) account.openShare(page, at);
    }
    page.unresolved += 1;
    if (members.length === 0) this.#noteResolved(page, at);
  }

  /** Opens the window of the account's next event, which must be there; answers the raw event. */
  pull(account: Account): unknown {
    let share = account.current as Share;
    if (share.cursor === PAGE_SIZE) {
      share = share.next as Share;
      account.current = share;
    }
    account.queued -= 1;
    account.isOpen = true;
    account.hasBound = false;
    return share.page.raws[share.cursor];
  }

  /** The subscription moved past the event that it sits on. */
  close(account: Account): void {
    account.isOpen = false;
    const share = account.current as Share;
    const at = share.cursor;
    share.cursor = at + 1;
    if (share.isCursorResolved) share.isCursorResolved = false;
    else if (account.hasFailed) return;
    else if (share.isGated(at)) share.waiting += 1;
    else this.#resolve(share.page, at);
    if (share.cursor === PAGE_SIZE && share.waiting === 0) share.finish();
  }

  /** Whether the account sits on an event that it has not resolved. */
  isOpen(account: Account): boolean {
    return account.isOpen && !account.hasFailed && !account.current?.isCursorResolved;
  }

  /** The event that the account sits on. */
  openEventId({ current }: Account): number {
    return current === undefined ? 0 : current.page.firstId + current.cursor;
  }

  /** Ties `seq` to the open event: from now on it is not acked before the seq is confirmed. */
  bind(account: Account, seq: number): void {
    const share = account.current as Share;
    account.hasBound = true;
    share.addGate(share.cursor, seq);
    this.#seqs.add(seq, share, share.cursor);
  }

  /** The trigger event behind `seq` is persisted; the index has let go of it already. */
  confirm(share: Share, at: number, seq: number): void {
    share.removeGate(at, seq);
    if (share.isGated(at) || at >= share.cursor) return;
    share.waiting -= 1;
    this.#resolve(share.page, at);
    if (share.waiting === 0 && share.cursor === PAGE_SIZE) share.finish();
  }

  /** Rejects the open event. */
  reject(account: Account): void {
    this.#settleOpen(account, "rejected");
  }

  /** Fails the open event. */
  fail(account: Account): void {
    this.#settleOpen(account, "failed");
  }

  /** Gives up on a subscription: everything it owes counts as failed. */
  failAll(account: Account): void {
    if (account.hasFailed) return;
    account.hasFailed = true;
    for (const share of account.shares) {
      this.#failWaiting(share);
      this.#failAhead(share);
      share.finish();
    }
  }

  /**
   * The subscription leaves: the event it sits on counts as passed, what waits for a confirmation
   * goes on waiting, what it never pulled counts as failed.
   */
  leave(account: Account): void {
    account.hasLeft = true;
    if (account.isOpen) this.close(account);
    for (const share of account.shares) {
      this.#failAhead(share);
      share.cursor = PAGE_SIZE;
      if (share.waiting === 0) share.finish();
    }
  }

  /**
   * Fails whatever is overdue at `now`, and all else that the same subscriptions owe. Answers those
   * that are still there to be told.
   */
  failOverdue(now: number): readonly Overdue[] {
    const overdue: Overdue[] = [];
    for (const page of this.#pages.values()) {
      if (page.unresolved === 0) continue;
      for (let at = page.firstUnresolved; at < page.size; at += 1) {
        page.firstUnresolved = at;
        if (page.pending[at] === 0) continue;
        if (now - (page.createdAt[at] as number) < this.#timeoutMs) return overdue;
        this.#failEvent(page, at, overdue);
      }
    }
    return overdue;
  }

  /** The next ready lane's batch, or undefined when no lane is ready. */
  harvest(): Batch<Payload> | undefined {
    const queue = this.#ready.shift();
    if (queue === undefined) return undefined;
    const items: AdvanceItem<Payload>[] = [];
    let page = queue.headPage;
    let at = queue.headAt;
    for (;;) {
      if (page.pending[at] !== 0) break;
      items.push(this.#takeOut(page, at));
      const step = page.nextInLane[at] as number;
      if (step === 0) {
        this.#lanes.delete(queue.key);
        break;
      }
      const id = page.firstId + at + step;
      if (at + step >= PAGE_SIZE) page = this.#pages.get(Math.floor(id / PAGE_SIZE)) as EventPage;
      at = id - page.firstId;
      queue.headPage = page;
      queue.headAt = at;
    }
    this.#outstanding -= items.length;
    return { lane: queue.key, items };
  }

  /** Takes the numbers that are waited for out of the index; what they gate stays unresolved. */
  forgetSeqs(): void {
    for (const seq of this.#unconfirmed()) this.#seqs.remove(seq);
  }

  #unconfirmed(): readonly number[] {
    const found: number[] = [];
    for (const { shares } of this.#pages.values()) {
      for (const share of shares) for (const seq of share.seqs()) found.push(seq);
    }
    return found;
  }

  #turnPage(): EventPage {
    this.#newest = new EventPage(this.#newest.firstId + PAGE_SIZE);
    return this.#newest;
  }

  #enterLane(page: EventPage, at: number, key: LaneKey): void {
    const known = this.#lanes.get(key);
    if (known === undefined) {
      const ends = { headPage: page, headAt: at, tailPage: page, tailAt: at };
      const queue: LaneQueue = { key, ...ends };
      this.#lanes.set(key, queue);
      page.lanes[at] = queue;
      return;
    }
    const { tailPage, tailAt } = known;
    tailPage.nextInLane[tailAt] = page.firstId + at - (tailPage.firstId + tailAt);
    known.tailPage = page;
    known.tailAt = at;
    page.lanes[at] = known;
  }

  #takeOut(page: EventPage, at: number): AdvanceItem<Payload> {
    const failed = page.failed?.[at] ?? 0;
    const rejected = page.rejected?.[at] ?? 0;
    const acked = (page.members[at] as number) - failed - rejected;
    const known = this.#outcome;
    if (known.acked !== acked || known.failed !== failed || known.rejected !== rejected) {
      this.#outcome = new AdvanceOutcome(acked, failed, rejected);
    }
    const brokerPayload = page.brokerPayloads[at] as Payload;
    page.brokerPayloads[at] = undefined;
    page.lanes[at] = undefined;
    page.advanced += 1;
    if (page.advanced === PAGE_SIZE) this.#pages.delete(page.firstId / PAGE_SIZE);
    return Object.freeze({ brokerPayload, outcome: this.#outcome });
  }

  #failEvent(page: EventPage, at: number, overdue: Overdue[]): void {
    for (const share of page.shares) {
      const { account } = share;
      if (!share.owes(at)) continue;
      if (!account.hasLeft) overdue.push({ account, eventId: page.firstId + at });
      this.failAll(account);
    }
  }

  #settleOpen(account: Account, fate: "failed" | "rejected"): void {
    if (!this.isOpen(account)) return;
    const share = account.current as Share;
    this.#dropGates(share, share.cursor);
    share.isCursorResolved = true;
    this.#count(share.page, share.cursor, fate);
  }

  /** Fails what the share has behind its cursor and not confirmed. */
  #failWaiting(share: Share): void {
    for (let at = share.from; at < share.cursor && share.waiting > 0; at += 1) {
      if (!share.isGated(at)) continue;
      this.#dropGates(share, at);
      share.waiting -= 1;
      this.#count(share.page, at, "failed");
    }
  }

  /** Fails what the share has at its cursor and ahead of it. */
  #failAhead(share: Share): void {
    const { page, cursor } = share;
    if (cursor === PAGE_SIZE) return;
    this.#dropGates(share, cursor);
    for (let at = share.isCursorResolved ? cursor + 1 : cursor; at < page.size; at += 1) {
      this.#count(page, at, "failed");
    }
  }

  #dropGates(share: Share, at: number): void {
    while (share.isGated(at)) this.#seqs.remove(share.takeGate(at));
  }

  #count(page: EventPage, at: number, fate: "failed" | "rejected"): void {
    page[fate] ??= new Int32Array(PAGE_SIZE);
    const counts = page[fate];
    counts[at] = (counts[at] as number) + 1;
    this.#resolve(page, at);
  }

  /** One member is done with the event. */
  #resolve(page: EventPage, at: number): void {
    const pending = (page.pending[at] as number) - 1;
    page.pending[at] = pending;
    if (pending === 0) this.#noteResolved(page, at);
  }

  /** A resolved event at its lane's head makes the lane ready, which happens once to each head. */
  #noteResolved(page: EventPage, at: number): void {
    page.unresolved -= 1;
    page.raws[at] = undefined;
    const queue = page.lanes[at] as LaneQueue;
    if (queue.headAt === at && queue.headPage === page) this.#ready.push(queue);
  }
}
