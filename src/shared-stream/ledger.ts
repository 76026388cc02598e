import { type Account, EventPage, type Gate, PAGE_SIZE, type Share } from "./event-page.ts";
import type { LaneKey } from "./key.ts";
import { Lanes } from "./lanes.ts";
import { type AdvanceItem, AdvanceOutcome } from "./outcome.ts";
import { NOBODY, type SeqIndex } from "./seq-index.ts";

/** Of what the index looks at, one in so many must be wanted for a pass over all of it. */
const SWEPT_AT = 8;

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
 * Costs: fan-out O(1), and O(members) where a page begins or somebody came or went; pull, close,
 * bind, confirm, reject O(1); a harvest O(batch), however many lanes there are; a scan O(overdue);
 * overflow, timeout and leaving O(what the subscription owes). No object is made for an event or
 * for a subscriber's part in it.
 *
 * Why so: a subscriber consumes its events strictly in order, so a cursor says which windows it has
 * closed, and its queue is what lies between its cursor and the newest event. An event only counts
 * what it waits for, windows and numbers; whose they are is asked when somebody fails. Events lie
 * in pages and not in one ring: an event that stays outstanding for long holds its page, not
 * everything that came after it.
 */
export class Ledger<Payload> implements Gate {
  readonly #timeoutMs: number;
  readonly #seqs: SeqIndex;
  /** The pages with an event that is not advanced, by number: oldest, and first overdue, first. */
  readonly #pages = new Map<number, EventPage>();
  #newest: EventPage = new EventPage(0);
  /** The number of the event that is broadcast next. */
  #nextId = 0;
  readonly #lanes = new Lanes();
  #outstanding = 0;
  /** Given out last: the next event with the same counts gets it, too. */
  #outcome = new AdvanceOutcome(0, 0);

  /** Who has a share in everything that is broadcast now; the same list, if it is the same. */
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

  holdings(): Holdings {
    let unconfirmed = 0;
    for (const { shares } of this.#pages.values()) {
      for (const { waiting } of shares) unconfirmed += waiting;
    }
    return { outstanding: this.#outstanding, lanes: this.#lanes.live, unconfirmed };
  }

  /** How many events were broadcast to the account that it has not pulled. */
  queuedFor(account: Account): number {
    return account.current === undefined ? 0 : this.#nextId - account.nextId;
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
    const last = this.#newest;
    const page = last.size === PAGE_SIZE ? new EventPage(last.firstId + PAGE_SIZE) : last;
    this.#newest = page;
    const at = page.size;
    if (at === 0) this.#pages.set(page.firstId / PAGE_SIZE, page);
    page.size += 1;
    this.#nextId += 1;
    page.raws[at] = event.raw;
    page.brokerPayloads[at] = event.brokerPayload;
    page.createdAt[at] = now;
    page.members[at] = members.length;
    page.pending[at] = members.length;
    this.#outstanding += 1;
    this.#lanes.append(page, at, event.lane);
    if (at === 0 || members !== this.#members) {
      this.#members = members;
      for (const account of members) {
        if (account.newest?.page !== page) account.openShare(page, at, this);
      }
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
    account.nextId += 1;
    account.isOpen = true;
    account.hasBound = false;
    share.noteOpened();
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

  /** Draws a sequence number: from now on the open event is not acked before that is confirmed. */
  bind(account: Account): number {
    const share = account.current as Share;
    const at = share.cursor;
    const { pending } = share.page;
    account.hasBound = true;
    pending[at] = (pending[at] as number) + 1;
    const seq = this.#seqs.draw(share, at);
    share.noteBound(seq);
    return seq;
  }

  /** A trigger event of the share's event is persisted; the index has let go of it already. */
  confirm(share: Share, at: number): void {
    share.waiting -= 1;
    this.#resolve(share.page, at);
    if (share.waiting === 0 && share.cursor === PAGE_SIZE) share.finish();
  }

  /** What the share is waiting for does not come; behind its cursor it has failed on that. */
  drop(share: Share, at: number): void {
    const { page } = share;
    share.waiting -= 1;
    if (at !== share.cursor && at !== share.dropped) {
      share.dropped = at;
      page.countFailed(at);
    }
    this.#resolve(page, at);
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
    this.#failTogether([account]);
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
        const late = page.shares.filter((share) => this.#owes(share, at));
        for (const { account } of late) {
          if (!account.hasLeft) overdue.push({ account, eventId: page.firstId + at });
        }
        this.#failTogether(late.map(({ account }) => account));
      }
    }
    return overdue;
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
    for (const { shares } of this.#pages.values()) {
      for (const share of shares) {
        for (const seq of share.bound()) this.#seqs.remove(seq);
        share.waiting = 0;
      }
    }
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

  #settleOpen(account: Account, fate: "failed" | "rejected"): void {
    if (!this.isOpen(account)) return;
    const share = account.current as Share;
    this.#dropAll(share, share.boundToOpen());
    share.isCursorResolved = true;
    if (fate === "failed") share.page.countFailed(share.cursor);
    else share.page.countRejected(share.cursor);
    this.#resolve(share.page, share.cursor);
  }

  /** Whether the share's subscription has not resolved an event of the page. */
  #owes(share: Share, at: number): boolean {
    if (share.account.hasFailed || at < share.from) return false;
    if (at < share.cursor) return share.bound().some((seq) => this.#seqs.eventOf(seq) === at);
    return at > share.cursor || !share.isCursorResolved;
  }

  #failTogether(accounts: readonly Account[]): void {
    const shares = accounts.filter(({ hasFailed }) => !hasFailed).flatMap((one) => [...one.shares]);
    for (const account of accounts) account.hasFailed = true;
    const waiting = shares.reduce((sum, share) => sum + share.waiting, 0);
    // Number by number is how memory lies: that is worth it where enough of them are theirs.
    if (waiting > this.#seqs.extent / SWEPT_AT) this.#seqs.dropFailed();
    for (const share of shares) {
      this.#dropAll(share, share.bound());
      this.#failAhead(share);
      share.finish();
    }
  }

  /** Drops those of `seqs`, all of them the share's, that are waited for. */
  #dropAll(share: Share, seqs: Float64Array): void {
    for (let nth = 0; nth < seqs.length && share.waiting > 0; nth += 1) {
      const at = this.#seqs.remove(seqs[nth] as number);
      if (at !== NOBODY) this.drop(share, at);
    }
  }

  /** Fails what the share has at its cursor and ahead of it; what was bound there is dropped. */
  #failAhead({ page, cursor, isCursorResolved }: Share): void {
    for (let at = isCursorResolved ? cursor + 1 : cursor; at < page.size; at += 1) {
      page.countFailed(at);
      this.#resolve(page, at);
    }
  }

  /** One of the things that the event waits for is settled. */
  #resolve(page: EventPage, at: number): void {
    const pending = (page.pending[at] as number) - 1;
    page.pending[at] = pending;
    if (pending === 0) this.#noteResolved(page, at);
  }

  /** All are done with the event. */
  #noteResolved(page: EventPage, at: number): void {
    page.unresolved -= 1;
    page.raws[at] = undefined;
    if (this.#lanes.noteResolved(page, at)) this.#becameReady?.();
  }
}
