import { type AdvanceItem, AdvanceOutcome } from "./outcome.ts";

type Fate = "acked" | "failed" | "rejected";

/** Takes the confirmation of one bound sequence number. */
export interface Gate {
  confirm(binding: Binding, seq: number): void;
}

/** One subscription in the books: what it still has to resolve, oldest event first. */
export interface Account {
  /** Where confirmations of its trigger events go. */
  readonly gate: Gate;
  readonly owed: Map<number, Binding>;
  hasLeft: boolean;
  hasFailed: boolean;
}

/** One subscription's part in one broadcast event. */
export interface Binding {
  readonly account: Account;
  readonly entry: Entry;
  isClosed: boolean;
  isResolved: boolean;
  /** Sequence numbers that are not confirmed yet; undefined until one is bound. */
  seqs: number[] | undefined;
}

/** One broadcast event that is not advanced yet. */
export interface Entry {
  readonly eventId: number;
  readonly brokerPayload: unknown;
  readonly lane: LaneQueue;
  readonly createdAt: number;
  readonly bindings: Binding[];
  pending: number;
  acked: number;
  failed: number;
  rejected: number;
}

interface LaneQueue {
  readonly text: string;
  readonly entries: Entry[];
  /** Entries before this index were harvested. */
  head: number;
  isReady: boolean;
}

/** A lane's contiguous prefix of resolved events. */
export interface Batch<Payload> {
  readonly lane: string;
  readonly items: readonly AdvanceItem<Payload>[];
}

/** A subscription that ran out of time, and the oldest event on which it did. */
export interface Overdue<A extends Account> {
  readonly account: A;
  readonly eventId: number;
}

/** What a ledger holds; all zero when nothing is outstanding. */
export interface Holdings {
  readonly outstanding: number;
  readonly lanes: number;
  readonly unconfirmed: number;
}

export function createAccount(gate: Gate): Account {
  return { gate, owed: new Map(), hasLeft: false, hasFailed: false };
}

/**
 * The books of one group in ack mode: who must resolve what, lane prefixes, deadlines.
 *
 * It knows no promise, no clock and no producer; the group does the waiting.
 *
 * Holds:
 * - the members of an event are those given at its fan-out, whatever comes later (I2), and each is
 *   counted once (I3);
 * - a binding is acked when its window is closed and all its sequence numbers are confirmed (I4);
 * - a batch is the longest resolved prefix of one lane, and is given out once (I5, I7, I8);
 * - a ready lane is served before another gets its second turn (I10).
 *
 * Costs: fan-out O(members); confirm, close, reject O(1); a harvest O(batch), however many lanes
 * there are; a scan O(overdue); overflow, timeout and leaving O(what the subscription owes).
 */
export class Ledger<Payload> {
  readonly #timeoutMs: number;
  readonly #seqs: Map<number, Binding>;
  readonly #lanes = new Map<string, LaneQueue>();
  /** Lanes with a resolved head, in the order in which they became ready. */
  readonly #ready: LaneQueue[] = [];
  /** Entries in fan-out order, which is the order of their deadlines; resolved ones go lazily. */
  readonly #byDeadline: Entry[] = [];
  #deadlineHead = 0;
  #nextEventId = 0;
  #outstanding = 0;

  /** `seqs` is the index of bound sequence numbers, shared by all ledgers of a manager. */
  constructor(timeoutMs: number, seqs: Map<number, Binding>) {
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
    return this.#nextEventId === 0 ? undefined : this.#nextEventId - 1;
  }

  holdings(): Holdings {
    let unconfirmed = 0;
    for (const lane of this.#lanes.values()) {
      for (let at = lane.head; at < lane.entries.length; at += 1) {
        for (const { seqs } of (lane.entries[at] as Entry).bindings)
          unconfirmed += seqs?.length ?? 0;
      }
    }
    return { outstanding: this.#outstanding, lanes: this.#lanes.size, unconfirmed };
  }

  /** Enters an event that all of `members` must resolve; answers their bindings in order. */
  fanOut(
    brokerPayload: Payload,
    laneText: string,
    members: readonly Account[],
    now: number,
  ): readonly Binding[] {
    const lane = this.#laneOf(laneText);
    const bindings: Binding[] = [];
    const entry: Entry = {
      eventId: this.#nextEventId,
      brokerPayload,
      lane,
      createdAt: now,
      bindings,
      pending: members.length,
      acked: 0,
      failed: 0,
      rejected: 0,
    };
    this.#nextEventId += 1;
    this.#outstanding += 1;
    lane.entries.push(entry);
    for (const account of members) {
      const binding: Binding = {
        account,
        entry,
        isClosed: false,
        isResolved: false,
        seqs: undefined,
      };
      bindings.push(binding);
      account.owed.set(entry.eventId, binding);
    }
    if (members.length === 0) this.#noteResolved(entry);
    else this.#byDeadline.push(entry);
    return bindings;
  }

  /** Ties `seq` to an open binding; from now on it is not acked before the seq is confirmed. */
  bind(binding: Binding, seq: number): void {
    binding.seqs ??= [];
    binding.seqs.push(seq);
    this.#seqs.set(seq, binding);
  }

  /** The trigger event behind `seq` is persisted. */
  confirm(binding: Binding, seq: number): void {
    this.#seqs.delete(seq);
    const at = binding.seqs?.indexOf(seq) ?? -1;
    if (at === -1) return;
    binding.seqs?.splice(at, 1);
    this.#complete(binding);
  }

  /** The subscription moved past the event. */
  close(binding: Binding): void {
    binding.isClosed = true;
    this.#complete(binding);
  }

  reject(binding: Binding): void {
    this.#resolve(binding, "rejected");
  }

  fail(binding: Binding): void {
    this.#resolve(binding, "failed");
  }

  /** Gives up on a subscription: everything it owes counts as failed. */
  failAll(account: Account): void {
    account.hasFailed = true;
    for (const binding of account.owed.values()) this.#resolve(binding, "failed");
  }

  /**
   * The subscription leaves: the event it sits on counts as passed, what waits for a confirmation
   * goes on waiting, what it never pulled counts as failed.
   */
  leave(account: Account, open: Binding | undefined): void {
    account.hasLeft = true;
    for (const binding of account.owed.values()) {
      if (binding === open) this.close(binding);
      else if (!binding.isClosed) this.#resolve(binding, "failed");
    }
  }

  /**
   * Fails whatever is overdue at `now`, and all else that the same subscriptions owe. Answers those
   * that are still there to be told.
   */
  failOverdue(now: number): readonly Overdue<Account>[] {
    const overdue: Overdue<Account>[] = [];
    for (;;) {
      const entry = this.#byDeadline[this.#deadlineHead];
      if (entry === undefined) break;
      if (entry.pending > 0) {
        if (now - entry.createdAt < this.#timeoutMs) break;
        this.#failEntry(entry, overdue);
      }
      this.#deadlineHead += 1;
    }
    this.#trimDeadlines();
    return overdue;
  }

  /** The next ready lane's batch, or undefined when no lane is ready. */
  harvest(): Batch<Payload> | undefined {
    const lane = this.#ready.shift();
    if (lane === undefined) return undefined;
    const items: AdvanceItem<Payload>[] = [];
    for (;;) {
      const entry = lane.entries[lane.head];
      if (entry === undefined || entry.pending > 0) break;
      const outcome = new AdvanceOutcome(entry.acked, entry.failed, entry.rejected);
      items.push(Object.freeze({ brokerPayload: entry.brokerPayload as Payload, outcome }));
      lane.head += 1;
    }
    this.#outstanding -= items.length;
    lane.isReady = false;
    if (lane.head === lane.entries.length) this.#lanes.delete(lane.text);
    else if (lane.head > lane.entries.length / 2) {
      lane.entries.splice(0, lane.head);
      lane.head = 0;
    }
    this.#passResolved();
    return { lane: lane.text, items };
  }

  /** Takes the numbers that are still waited for out of the index; what they gate stays unresolved. */
  forgetSeqs(): void {
    for (const { entries } of this.#lanes.values()) {
      for (const { bindings } of entries) {
        for (const { seqs = [] } of bindings) for (const seq of seqs) this.#seqs.delete(seq);
      }
    }
  }

  #laneOf(text: string): LaneQueue {
    const known = this.#lanes.get(text);
    if (known !== undefined) return known;
    const lane = { text, entries: [], head: 0, isReady: false };
    this.#lanes.set(text, lane);
    return lane;
  }

  #failEntry(entry: Entry, overdue: Overdue<Account>[]): void {
    for (const { account, isResolved } of entry.bindings) {
      if (isResolved) continue;
      if (!account.hasLeft) overdue.push({ account, eventId: entry.eventId });
      this.failAll(account);
    }
  }

  /** Lets go of what needs no deadline any more, so that nothing is kept until the next scan. */
  #passResolved(): void {
    while (this.#byDeadline[this.#deadlineHead]?.pending === 0) this.#deadlineHead += 1;
    this.#trimDeadlines();
  }

  #trimDeadlines(): void {
    const { length } = this.#byDeadline;
    if (this.#deadlineHead * 2 <= length) return;
    if (this.#deadlineHead === length) this.#byDeadline.length = 0;
    else this.#byDeadline.splice(0, this.#deadlineHead);
    this.#deadlineHead = 0;
  }

  #complete(binding: Binding): void {
    if (binding.isClosed && (binding.seqs === undefined || binding.seqs.length === 0)) {
      this.#resolve(binding, "acked");
    }
  }

  #resolve(binding: Binding, fate: Fate): void {
    if (binding.isResolved) return;
    binding.isResolved = true;
    const { entry, account, seqs } = binding;
    account.owed.delete(entry.eventId);
    if (seqs !== undefined) {
      for (const seq of seqs) this.#seqs.delete(seq);
      binding.seqs = undefined;
    }
    entry[fate] += 1;
    entry.pending -= 1;
    if (entry.pending === 0) this.#noteResolved(entry);
  }

  /** A resolved entry at its lane's head makes the lane ready. */
  #noteResolved({ lane }: Entry): void {
    if (lane.isReady || lane.entries[lane.head]?.pending !== 0) return;
    lane.isReady = true;
    this.#ready.push(lane);
  }
}
