import type { LaneKey } from "./key.ts";

/**
 * Events of a page. A page is what is allocated and let go of at once: small enough for a group
 * with a handful of events, large enough that its cost vanishes among them.
 */
export const PAGE_SIZE = 256;

/** Told what becomes of a sequence number that was bound to an event of a share. */
export interface Gate {
  confirm(share: Share, at: number): void;
  /** Nobody waits for it any more. */
  drop(share: Share, at: number): void;
}

/** The events of one lane that are not advanced yet: a chain through the pages. */
export interface LaneQueue {
  readonly key: LaneKey;
  /** Both are undefined while there is none. */
  headPage: EventPage | undefined;
  headAt: number;
  tailPage: EventPage | undefined;
  tailAt: number;
}

/**
 * A run of consecutive events of a group, column by column: what an event costs is a few numbers
 * and two references.
 */
export class EventPage {
  readonly firstId: number;
  readonly raws: unknown[] = [];
  readonly brokerPayloads: unknown[] = [];
  readonly lanes: (LaneQueue | undefined)[] = [];
  readonly createdAt: Float64Array = new Float64Array(PAGE_SIZE);
  /** How many were there at the broadcast. */
  readonly members: Int32Array = new Int32Array(PAGE_SIZE);
  /** What is missing: windows not closed, and bound sequence numbers not confirmed. */
  readonly pending: Int32Array = new Int32Array(PAGE_SIZE);
  /** How far on the next event of the lane is; 0 where there is none. */
  readonly nextInLane: Float64Array = new Float64Array(PAGE_SIZE);
  /** Who resolved it otherwise than by an ack; there once somebody did. */
  failed: Int32Array | undefined;
  rejected: Int32Array | undefined;
  /** One for each subscription that was there for an event of the page, in order of joining. */
  readonly shares: Share[] = [];
  size = 0;
  /** How many events somebody has not resolved. */
  unresolved = 0;
  /** All events before this one are resolved. */
  firstUnresolved = 0;
  advanced = 0;

  constructor(firstId: number) {
    this.firstId = firstId;
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

const NONE = new Float64Array(0);

/** One subscription's part in one page. */
export class Share {
  readonly account: Account;
  readonly page: EventPage;
  /** Who is told what becomes of the numbers that are bound to its events. */
  readonly gate: Gate;
  /** The first event for which it was there. */
  readonly from: number;
  /** Its windows are closed up to here: this one it sits on, or pulls next. */
  cursor: number;
  /** The event at the cursor is resolved already, although its window is open. */
  isCursorResolved = false;
  /** How many of the sequence numbers that were bound to its events are not confirmed. */
  waiting = 0;
  /** The event behind the cursor that was dropped last, and counts as failed. */
  dropped = -1;
  /** What was bound to its events, in order, confirmed or not; the first `#bounds` of them. */
  #bound: Float64Array = NONE;
  #bounds = 0;
  /** How much of that was there when the window at the cursor opened. */
  #boundBefore = 0;
  /** Where its account goes on after the last event of the page. */
  next: Share | undefined;

  constructor(account: Account, page: EventPage, from: number, gate: Gate) {
    this.account = account;
    this.page = page;
    this.gate = gate;
    this.from = from;
    this.cursor = from;
  }

  noteOpened(): void {
    this.#boundBefore = this.#bounds;
  }

  /** Writes down that `seq` was bound to the event at the cursor. */
  noteBound(seq: number): void {
    if (this.#bounds === this.#bound.length) this.#makeRoom();
    this.#bound[this.#bounds] = seq;
    this.#bounds += 1;
    this.waiting += 1;
  }

  /** All that was bound to its events, confirmed or not, in order. */
  bound(): Float64Array {
    return this.#bound.subarray(0, this.#bounds);
  }

  /** What was bound to the event at the cursor, while its window is open. */
  boundToOpen(): Float64Array {
    return this.#bound.subarray(this.#boundBefore, this.#bounds);
  }

  /** Nothing is left to resolve in it. */
  finish(): void {
    this.account.shares.delete(this);
    if (this.#bound.length === PAGE_SIZE) this.account.spare = this.#bound;
    this.#bound = NONE;
  }

  /** First for one an event, then for twice as many. */
  #makeRoom(): void {
    const { spare } = this.account;
    if (this.#bounds === 0 && spare !== undefined) {
      this.#bound = spare;
      this.account.spare = undefined;
      return;
    }
    const more = new Float64Array(Math.max(PAGE_SIZE, this.#bound.length * 2));
    more.set(this.#bound);
    this.#bound = more;
  }
}

/** One subscription in the books: what it has not pulled, and what it still has to resolve. */
export class Account {
  /** Shares with something to resolve, oldest first. */
  readonly shares: Set<Share> = new Set();
  current: Share | undefined;
  newest: Share | undefined;
  /** Of a finished share, for the next one: to make it costs as much as to write it. */
  spare: Float64Array | undefined;
  /** The event that it pulls next, once it has a share. */
  nextId = 0;
  /** It sits on the event at the cursor of its current share. */
  isOpen = false;
  /** Something was bound to that event, confirmed or not. */
  hasBound = false;
  hasLeft = false;
  hasFailed = false;

  /** The event at `at` of a page that is new to it is broadcast to it. */
  openShare(page: EventPage, at: number, gate: Gate): void {
    const share = new Share(this, page, at, gate);
    page.shares.push(share);
    this.shares.add(share);
    if (this.newest !== undefined) this.newest.next = share;
    this.newest = share;
    if (this.current !== undefined) return;
    this.current = share;
    this.nextId = page.firstId + at;
  }
}
