/**
 * What a ledger does, in the plainest words: an object for each event and each member's part in
 * it, looked through from end to end wherever something is sought.
 *
 * @module
 */

export interface MemberModel {
  /** Events that it has not pulled, oldest first. */
  queue: EventModel[];
  open: EventModel | undefined;
  isFailed: boolean;
  hasLeft: boolean;
}

interface PartModel {
  isClosed: boolean;
  readonly seqs: Set<number>;
}

export interface EventModel {
  readonly id: number;
  readonly lane: number;
  readonly at: number;
  readonly pending: Map<MemberModel, PartModel>;
  readonly counts: { acked: number; failed: number; rejected: number };
}

/** An advanced event: its number, and how its members resolved it. */
export type ItemModel = readonly [id: number, acked: number, failed: number, rejected: number];

export class LedgerModel {
  readonly members: MemberModel[] = [];
  readonly lanes: Map<number, EventModel[]> = new Map();
  readonly seqs: Map<number, readonly [EventModel, MemberModel]> = new Map();
  readonly #timeoutMs: number;
  #events = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get outstanding(): number {
    return [...this.lanes.values()].reduce((sum, { length }) => sum + length, 0);
  }

  join(): MemberModel {
    const member = { queue: [], open: undefined, isFailed: false, hasLeft: false };
    this.members.push(member);
    return member;
  }

  /** Returns the members of the next event. */
  present(): readonly MemberModel[] {
    return this.members.filter(({ isFailed, hasLeft }) => !isFailed && !hasLeft);
  }

  emit(lane: number, at: number): number {
    const members = this.present();
    const pending = new Map(
      members.map((one) => [one, { isClosed: false, seqs: new Set<number>() }]),
    );
    const counts = { acked: 0, failed: 0, rejected: 0 };
    const event = { id: this.#events, lane, at, pending, counts };
    this.#events += 1;
    const known = this.lanes.get(lane);
    if (known === undefined) this.lanes.set(lane, [event]);
    else known.push(event);
    for (const member of members) member.queue.push(event);
    return event.id;
  }

  close(member: MemberModel): void {
    const { open } = member;
    member.open = undefined;
    const part = open?.pending.get(member);
    if (open === undefined || part === undefined) return;
    part.isClosed = true;
    this.#complete(open, member);
  }

  pull(member: MemberModel): number {
    member.open = member.queue.shift() as EventModel;
    return member.open.id;
  }

  canBind({ open, ...rest }: MemberModel, member: MemberModel): boolean {
    return !rest.isFailed && open?.pending.has(member) === true;
  }

  bind(member: MemberModel, seq: number): void {
    const open = member.open as EventModel;
    open.pending.get(member)?.seqs.add(seq);
    this.seqs.set(seq, [open, member]);
  }

  confirm(seq: number): void {
    const [event, member] = this.seqs.get(seq) as readonly [EventModel, MemberModel];
    this.seqs.delete(seq);
    event.pending.get(member)?.seqs.delete(seq);
    this.#complete(event, member);
  }

  settle(member: MemberModel, fate: "failed" | "rejected"): void {
    if (member.open !== undefined) this.#resolve(member.open, member, fate);
  }

  failAll(member: MemberModel): void {
    member.isFailed = true;
    for (const event of this.#all()) this.#resolve(event, member, "failed");
  }

  leave(member: MemberModel): void {
    member.hasLeft = true;
    this.close(member);
    for (const event of this.#all()) {
      if (event.pending.get(member)?.isClosed === false) this.#resolve(event, member, "failed");
    }
  }

  /** It takes part in nothing more, and goes on owing what it has not resolved. */
  abandon(member: MemberModel): void {
    member.hasLeft = true;
    member.open = undefined;
  }

  /** Returns the overdue members that have not left, each with its event. */
  failOverdue(now: number): readonly (readonly [member: number, event: number])[] {
    const told: (readonly [number, number])[] = [];
    for (const event of this.#all().toSorted((one, other) => one.id - other.id)) {
      if (now - event.at < this.#timeoutMs) continue;
      for (const member of [...event.pending.keys()]) {
        if (!member.hasLeft) told.push([this.members.indexOf(member), event.id]);
        this.failAll(member);
      }
    }
    return told;
  }

  /** Whether a batch is due; which lane's is the ledger's choice. */
  get hasReady(): boolean {
    return [...this.lanes.values()].some(([head]) => head?.pending.size === 0);
  }

  /** The resolved prefix of a lane, taken out. */
  harvest(lane: number): readonly ItemModel[] {
    const events = this.lanes.get(lane) ?? [];
    const end = events.findIndex(({ pending }) => pending.size > 0);
    const batch = events.splice(0, end === -1 ? events.length : end);
    if (events.length === 0) this.lanes.delete(lane);
    return batch.map(({ id, counts }) => [id, counts.acked, counts.failed, counts.rejected]);
  }

  #all(): EventModel[] {
    return [...this.lanes.values()].flat();
  }

  #complete(event: EventModel, member: MemberModel): void {
    const part = event.pending.get(member);
    if (part?.isClosed === true && part.seqs.size === 0) this.#resolve(event, member, "acked");
  }

  #resolve(event: EventModel, member: MemberModel, fate: keyof EventModel["counts"]): void {
    const part = event.pending.get(member);
    if (part === undefined) return;
    event.pending.delete(member);
    for (const seq of part.seqs) this.seqs.delete(seq);
    event.counts[fate] += 1;
  }
}
