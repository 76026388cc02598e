import type { Account } from "./account.ts";
import { EventPage, type Gate, PAGE_MASK, PAGE_SIZE } from "./event-page.ts";
import type { LaneKey } from "./key.ts";
import { Lanes } from "./lanes.ts";
import { type AdvanceItem, AdvanceOutcome } from "./outcome.ts";
import { NOBODY, type SeqIndex } from "./seq-index.ts";

/** A local: an imported constant is looked up at each use. */
const MASK = PAGE_MASK;

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
 * Costs: fan-out O(1), and O(members) where somebody came or went; pull, close, bind, confirm,
 * reject O(1); a harvest O(batch), however many lanes there are; a scan O(1) when nothing is
 * overdue, otherwise O(subscriptions), and for each that is late, as for one that overflows or
 * leaves, O(what it owes). No object is made for an event or for a subscriber's part in it.
 *
 * Why so: a subscriber consumes its events strictly in order, so the number of the event that it
 * pulls next says which windows it has closed, and what is queued for it. An event only counts what
 * it waits for, windows and sequence numbers; whose those are is asked when somebody fails, and his
 * account knows. Events lie in pages and not in one ring: an event that stays outstanding for long
 * holds its page, not everything that came after it.
 */
export class Ledger<Payload> implements Gate {
  readonly #timeoutMs: number;
  readonly #seqs: SeqIndex;
  /** The pages with an event that is not advanced, by number: oldest, and first overdue, first. */
  readonly #pages = new Map<number, EventPage>();
  #newest: EventPage = new EventPage(0, this);
  /** The number of the event that is broadcast next. */
  #nextId = 0;
  readonly #lanes = new Lanes();
  #outstanding = 0;
  /** Given out last: the next event with the same counts gets it, too. */
  #outcome = new AdvanceOutcome(0, 0);
  /** Whoever may owe something, in order of joining. */
  readonly #accounts = new Set<Account>();
  /** Of those, who has left: something that he bound was waited for then. */
  readonly #departed = new Set<Account>();
  /** Who has a part in everything that is broadcast now; the same list, if it is the same. */
  #members: readonly Account[] = [];
  readonly #becameReady: (() => void) | undefined;

  /**
   * `seqs` is the index of bound sequence numbers, shared by all ledgers of a manager. `becameReady`
   * is called when a lane is: amid the change that made it so, thus it may only take note.
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

  /** The event that was broadcast last; undefined before the first. */
  get newestEventId(): number | undefined {
    return this.#nextId === 0 ? undefined : this.#nextId - 1;
  }

  /** Without the sequence numbers: the index counts those. */
  holdings(): Omit<Holdings, "unconfirmed"> {
    return { outstanding: this.#outstanding, lanes: this.#lanes.live };
  }

  /** How many events were broadcast to the account that it has not pulled. */
  queuedFor(account: Account): number {
    return account.page === undefined ? 0 : this.#nextId - account.nextId;
  }

  /** Whether the account sits on nothing, and pulls the newest event next. */
  isNewestNext(account: Account): boolean {
    return account.nextId === this.#nextId - 1 && !account.isOpen;
  }

  /**
   * Enters an event that all of `members` must resolve, and queues it for each; a list that was
   * given before must not have changed.
   */
  fanOut(
    event: { readonly raw: unknown; readonly brokerPayload: Payload; readonly lane: LaneKey },
    members: readonly Account[],
    now: number,
  ): void {
    const page = this.#newest.size === PAGE_SIZE ? this.#openPage() : this.#newest;
    const at = page.size;
    if (at === 0) this.#enter(page);
    if (members !== this.#members) {
      this.#members = members;
      for (const account of members) if (account.page === undefined) this.#join(account, page);
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
    if (members.length === 0) this.#noteResolved(page, at);
  }

  /** Opens the window of the account's next event, which must be there; answers the raw event. */
  pull(account: Account): unknown {
    account.open();
    return account.page?.raws[account.openAt];
  }

  /** The subscription moved past the event that it sits on. */
  close(account: Account): void {
    const at = account.openAt;
    if (account.close()) this.settle(account.page as EventPage, at);
  }

  /** The event that the account sits on. */
  openEventId({ nextId }: Account): number {
    return nextId - 1;
  }

  /** Draws a sequence number: from now on the open event is not acked before that is confirmed. */
  bind(account: Account): number {
    const page = account.page as EventPage;
    const at = account.openAt;
    page.pending[at] = (page.pending[at] as number) + 1;
    const seq = this.#seqs.draw(page, at);
    account.noteBound(seq);
    account.seqs.push(seq, this.#seqs);
    return seq;
  }

  /**
   * One of the things that an event waits for is settled: a window was closed, or a trigger event
   * was persisted, whose number the index has let go of already.
   */
  settle(page: EventPage, at: number): void {
    const pending = (page.pending[at] as number) - 1;
    page.pending[at] = pending;
    if (pending === 0) this.#noteResolved(page, at);
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
    this.#dropBound(account);
    account.hasFailed = true;
    if (!account.hasLeft) this.#failAhead(account);
    account.noteResolved();
    account.endQueue();
    this.#letGo(account);
  }

  /**
   * The subscription leaves: the event it sits on counts as passed, what waits for a confirmation
   * goes on waiting, what it never pulled counts as failed.
   */
  leave(account: Account): void {
    this.close(account);
    if (!account.hasFailed) this.#failAhead(account);
    account.hasLeft = true;
    account.endQueue();
    if (this.#oldestOwed(account) === undefined) this.#accounts.delete(account);
    else this.#departed.add(account);
  }

  /**
   * Fails whatever is overdue at `now`, and all else that the same subscriptions owe. Answers those
   * that are still there to be told.
   */
  failOverdue(now: number): readonly Overdue[] {
    for (const account of this.#departed) {
      if (this.#oldestOwed(account) === undefined) this.#letGo(account);
    }
    if (!this.#isOverdue(this.#oldestUnresolved(), now)) return [];
    const late: Overdue[] = [];
    for (const account of this.#accounts) {
      const eventId = this.#oldestOwed(account);
      if (this.#isOverdue(eventId, now)) late.push({ account, eventId });
    }
    late.sort((one, other) => one.eventId - other.eventId);
    for (const { account } of late) this.failAll(account);
    return late.filter(({ account }) => !account.hasLeft);
  }

  /** The next ready lane's batch, or undefined when no lane is ready. */
  harvest(): Batch<Payload> | undefined {
    const queue = this.#lanes.nextReady();
    if (queue === undefined) return undefined;
    const items: AdvanceItem<Payload>[] = [];
    let page = queue.headPage as EventPage;
    let at = queue.headAt;
    for (;;) {
      if (page.pending[at] !== 0) break;
      items.push(this.#takeOut(page, at));
      const step = page.nextInLane[at] as number;
      if (step === 0) {
        this.#lanes.release(queue);
        break;
      }
      const id = page.firstId + at + step;
      if (at + step >= PAGE_SIZE) page = this.#pageOf(id);
      at = id - page.firstId;
      queue.headPage = page;
      queue.headAt = at;
    }
    this.#outstanding -= items.length;
    return { lane: queue.key, items };
  }

  /** Takes the numbers that are waited for out of the index; what they gate stays unresolved. */
  forgetSeqs(): void {
    for (const { seqs } of this.#accounts) {
      for (let nth = 0; nth < seqs.count; nth += 1) this.#seqs.take(seqs.at(nth));
      seqs.clear();
    }
    for (const page of this.#pages.values()) this.#seqs.leave(page);
  }

  #openPage(): EventPage {
    const page = new EventPage(this.#nextId, this);
    this.#newest.next = page;
    this.#newest = page;
    return page;
  }

  #enter(page: EventPage): void {
    this.#pages.set(page.firstId / PAGE_SIZE, page);
    this.#seqs.enter(page);
  }

  #join(account: Account, page: EventPage): void {
    account.join(page, this.#nextId);
    this.#accounts.add(account);
  }

  #pageOf(eventId: number): EventPage {
    return this.#pages.get(Math.floor(eventId / PAGE_SIZE)) as EventPage;
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
    if (page.advanced === PAGE_SIZE) {
      this.#pages.delete(page.firstId / PAGE_SIZE);
      this.#seqs.leave(page);
    }
    return Object.freeze({ brokerPayload, outcome: this.#outcome });
  }

  #settleOpen(account: Account, fate: "failed" | "rejected"): void {
    if (!account.canBind) return;
    const page = account.page as EventPage;
    const at = account.openAt;
    const { seqs } = account;
    for (let nth = seqs.count - 1; account.hasBound && nth >= 0; nth -= 1) {
      const seq = seqs.at(nth);
      if (seq < account.firstSeqInWindow) break;
      if (this.#seqs.take(seq) !== NOBODY) this.settle(page, at);
    }
    account.noteResolved();
    if (fate === "failed") page.countFailed(at);
    else page.countRejected(at);
    this.settle(page, at);
  }

  /** The first event that somebody has not resolved. */
  #oldestUnresolved(): number | undefined {
    for (const page of this.#pages.values()) {
      if (page.unresolved === 0) continue;
      while (page.pending[page.firstUnresolved] === 0) page.firstUnresolved += 1;
      return page.firstId + page.firstUnresolved;
    }
    return undefined;
  }

  /** The first event that the account has not resolved. */
  #oldestOwed(account: Account): number | undefined {
    const seq = account.seqs.oldest(this.#seqs);
    if (seq !== undefined) return this.#seqs.eventOf(seq);
    const ahead = account.hasLeft ? this.#nextId : account.firstAhead;
    return ahead < this.#nextId ? ahead : undefined;
  }

  #isOverdue(eventId: number | undefined, now: number): eventId is number {
    if (eventId === undefined) return false;
    const { createdAt } = this.#pageOf(eventId);
    return now - (createdAt[eventId & MASK] as number) >= this.#timeoutMs;
  }

  #letGo(account: Account): void {
    this.#accounts.delete(account);
    this.#departed.delete(account);
  }

  /** Nothing that the account has bound is waited for; what it has passed has failed on that. */
  #dropBound({ seqs, firstAhead }: Account): void {
    const index = this.#seqs;
    let counted = -1;
    for (let nth = 0; nth < seqs.count; nth += 1) {
      const waiter = index.take(seqs.at(nth));
      if (waiter === NOBODY) continue;
      const page = index.pageAt(waiter);
      const at = waiter & MASK;
      if (waiter !== counted && page.firstId + at < firstAhead) page.countFailed(at);
      counted = waiter;
      this.settle(page, at);
    }
    seqs.clear();
  }

  /** Fails all that the account has not passed; nothing that is bound to it is waited for. */
  #failAhead(account: Account): void {
    let { page } = account;
    for (let id = account.firstAhead; page !== undefined && id < this.#nextId; id += 1) {
      if (id - page.firstId === PAGE_SIZE) page = page.next as EventPage;
      page.countFailed(id - page.firstId);
      this.settle(page, id - page.firstId);
    }
  }

  /** All are done with the event. */
  #noteResolved(page: EventPage, at: number): void {
    page.unresolved -= 1;
    page.raws[at] = undefined;
    if (this.#lanes.noteResolved(page, at)) this.#becameReady?.();
  }
}
