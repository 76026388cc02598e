import type { LaneKey } from "./key.ts";

/**
 * Events of a page. A page is what is allocated and let go of at once: small enough for a group
 * with a handful of events, large enough that its cost vanishes among them.
 */
export const PAGE_SIZE = 256;

/** Takes the confirmation of one bound sequence number. */
export interface Gate {
  confirm(share: Share, at: number, seq: number): void;
}

/** The events of one lane that are not advanced yet: a chain through the pages. */
export interface LaneQueue {
  readonly key: LaneKey;
  headPage: EventPage;
  headAt: number;
  tailPage: EventPage;
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
  /** How many were there at the broadcast, and how many of them have not resolved it yet. */
  readonly members: Int32Array = new Int32Array(PAGE_SIZE);
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
}

/** One subscription's part in one page. */
export class Share {
  readonly account: Account;
  readonly page: EventPage;
  /** The account's, at hand for confirmations. */
  readonly gate: Gate;
  /** The first event for which it was there. */
  readonly from: number;
  /** Its windows are closed up to here: this one it sits on, or pulls next. */
  cursor: number;
  /** The event at the cursor is resolved already, although its window is open. */
  isCursorResolved = false;
  /** How many events behind the cursor wait for a confirmation. */
  waiting = 0;
  /** By event: a bound sequence number that is not confirmed, plus 1; 0 where there is none. */
  gates: Float64Array | undefined;
  /** The others, where more than one was bound to an event; rare. */
  moreGates: Map<number, Set<number>> | undefined;
  /** Where its account goes on after the last event of the page. */
  next: Share | undefined;

  constructor(account: Account, page: EventPage, from: number) {
    this.account = account;
    this.page = page;
    this.gate = account.gate;
    this.from = from;
    this.cursor = from;
  }

  /** Whether the subscription has not resolved an event of the page. */
  owes(at: number): boolean {
    if (this.account.hasFailed || at < this.from) return false;
    if (at < this.cursor) return this.isGated(at);
    return at > this.cursor || !this.isCursorResolved;
  }

  /** Whether the event waits for a confirmation. */
  isGated(at: number): boolean {
    return this.gates !== undefined && this.gates[at] !== 0;
  }

  addGate(at: number, seq: number): void {
    this.gates ??= new Float64Array(PAGE_SIZE);
    if (this.gates[at] === 0) {
      this.gates[at] = seq + 1;
      return;
    }
    this.moreGates ??= new Map<number, Set<number>>();
    const more = this.moreGates.get(at) ?? new Set<number>();
    this.moreGates.set(at, more.add(seq));
  }

  removeGate(at: number, seq: number): void {
    const gates = this.gates as Float64Array;
    const more = this.moreGates?.get(at);
    if (gates[at] !== seq + 1) more?.delete(seq);
    else if (more === undefined) gates[at] = 0;
    else {
      const [other = 0] = more;
      more.delete(other);
      gates[at] = other + 1;
    }
    if (more?.size === 0) this.moreGates?.delete(at);
  }

  /** Takes off a gate of a gated event; answers its sequence number. */
  takeGate(at: number): number {
    const seq = ((this.gates as Float64Array)[at] as number) - 1;
    this.removeGate(at, seq);
    return seq;
  }

  /** All sequence numbers for which events of the share wait. */
  seqs(): readonly number[] {
    const seqs: number[] = [];
    for (const gate of this.gates ?? []) if (gate !== 0) seqs.push(gate - 1);
    for (const more of this.moreGates?.values() ?? []) for (const seq of more) seqs.push(seq);
    return seqs;
  }

  /** Nothing is left to resolve in it. */
  finish(): void {
    this.account.shares.delete(this);
    this.gates = undefined;
  }
}

/** One subscription in the books: what it has not pulled, and what it still has to resolve. */
export class Account {
  /** Where confirmations of its trigger events go. */
  readonly gate: Gate;
  /** Shares with something to resolve, oldest first. */
  readonly shares: Set<Share> = new Set();
  current: Share | undefined;
  newest: Share | undefined;
  /** Events that were broadcast to it and that it has not pulled. */
  queued = 0;
  /** It sits on the event at the cursor of its current share. */
  isOpen = false;
  /** Something was bound to that event, confirmed or not. */
  hasBound = false;
  hasLeft = false;
  hasFailed = false;

  constructor(gate: Gate) {
    this.gate = gate;
  }

  /** The event at `at` of a new page is broadcast to it. */
  openShare(page: EventPage, at: number): void {
    const share = new Share(this, page, at);
    page.shares.push(share);
    this.shares.add(share);
    if (this.newest !== undefined) this.newest.next = share;
    this.newest = share;
    this.current ??= share;
  }
}
