import type { TraceEvent } from "../trace.ts";

/** How one member of an event's snapshot stands. `unsure`: the trace leaves it open which. */
export type Fate = "pending" | "acked" | "failed" | "rejected" | "unsure";

/** One subscriber's part in one broadcast event. */
export interface MemberFacts {
  readonly sub: SubFacts;
  fate: Fate;
  isClosed: boolean;
  readonly unconfirmed: Set<number>;
}

/** One broadcast copy of a raw event, from fan-out until it is advanced. */
export interface CopyFacts {
  readonly copy: number;
  readonly ref: string;
  readonly poll: PollFacts;
  readonly at: number;
  readonly lane: string;
  readonly members: Map<SubFacts, MemberFacts>;
  pending: number;
  /** When its last pending member was resolved. */
  resolvedAt: number;
  /** Trigger events that filters derived from this copy, with their sequence number once bound. */
  readonly derived: { readonly event: number; seq: number | null | undefined }[];
}

/** Whether the trace tells how each member resolved the event. */
export function isSure({ members }: CopyFacts): boolean {
  for (const { fate } of members.values()) if (fate === "unsure") return false;
  return true;
}

/**
 * A departed subscriber's unconfirmed events time out without a word to anybody (spec C-090, C-091):
 * 1. the subscriber binds a trigger event and leaves; 2. no confirmation comes; 3. one of its events is
 * older than the ack timeout; 4. the scan fails all its events, the young ones too.
 */
export function mayHaveTimedOut(sub: SubFacts, now: number): boolean {
  if (!sub.hasLeft) return false;
  for (const copy of sub.pendingCopies) {
    if (now - copy.at >= sub.group.manager.ackTimeoutMs) return true;
  }
  return false;
}

export type GroupEnd = "left" | "stopped" | "failed";

/** Subscribers of one key that share one poll. */
export interface GroupFacts {
  readonly key: string;
  readonly manager: ManagerFacts;
  readonly subs: Set<SubFacts>;
  poll: PollFacts | undefined;
  ended: GroupEnd | undefined;
  /** Whose leaving ended it. */
  lastLeaver: number | undefined;
  endedAt: number;
}

/** One poll: a producer (or a fast-path source) and what it broadcast. */
export interface PollFacts {
  readonly poll: number;
  readonly group: GroupFacts;
  readonly isAck: boolean;
  readonly lanes: Map<string, CopyFacts[]>;
  /** Lanes whose head is resolved. */
  readonly ready: Set<string>;
  /** Broadcast copies, oldest first; those advanced are taken off lazily. */
  readonly byAge: CopyFacts[];
  emitted: { readonly copy: number; readonly ref: string } | undefined;
  isInFlight: boolean;
  hasFailedAdvance: boolean;
  hasFactoryFailed: boolean;
  /** When its producer was asked for; scans are counted from here. */
  readonly openedAt: number;
  /** Its factory, source, lane hook or advance threw, or its source returned. */
  isFailing: boolean;
  acloses: number;
}

/** One subscription. */
export interface SubFacts {
  readonly sub: number;
  readonly trigger: number;
  readonly group: GroupFacts;
  readonly queue: number[];
  /** The copy whose window is open. */
  open: CopyFacts | undefined;
  isPulling: boolean;
  /** What the pull in progress must give. */
  awaited: number | "error" | undefined;
  failure: string | undefined;
  hasLeft: boolean;
  isDone: boolean;
  readonly pendingCopies: Set<CopyFacts>;
}

/** One incarnation of a manager. */
export interface ManagerFacts {
  readonly host: string;
  readonly maxQueue: number;
  readonly ackTimeoutMs: number;
  readonly cadenceMs: number;
  readonly strict: boolean;
  readonly groups: Map<string, GroupFacts>;
  readonly seqs: Map<number, { readonly copy: CopyFacts; readonly sub: SubFacts }>;
  readonly confirmed: Set<number>;
  readonly subs: Set<SubFacts>;
  readonly polls: Set<PollFacts>;
  nextSeq: number;
  pausedUntil: number;
}

const SCAN_MS_MIN = 10;

/**
 * What must be so, derived from the trace alone: the model of the shared stream (spec A.19).
 *
 * Holds: it knows nothing of the manager but what crossed its face. A checker reads these facts before
 * the event that it judges is applied.
 */
export class StreamFacts {
  readonly managers: Map<string, ManagerFacts> = new Map();
  readonly subs: Map<number, SubFacts> = new Map();
  readonly polls: Map<number, PollFacts> = new Map();
  readonly copies: Map<number, CopyFacts> = new Map();
  /** How many outstanding copies each record has. */
  readonly copiesOf: Map<string, number> = new Map();
  /** Subscribers that wait in a pull although a failure is owed to them. */
  readonly owedFailure: Set<SubFacts> = new Set();
  /** Polls with a resolved lane head and no advance in flight. */
  readonly readyPolls: Set<PollFacts> = new Set();

  /** Up to here nothing more happens: time has moved on. */
  restedUntil = 0;
  /** The virtual time of the event that is being applied. */
  now = 0;

  apply(event: TraceEvent): void {
    this.now = event.at;
    switch (event.kind) {
      case "host":
        if (event.state === "crash") this.#forget(event.host);
        else if (event.state === "pause") this.#pause(event.host, event.until ?? event.at);
        break;
      case "manager":
        this.#startManager(event);
        break;
      case "subscribe":
        this.#subscribe(event);
        break;
      case "factory":
      case "open":
        this.#openPoll(event);
        break;
      case "factory-failed":
        this.#noteFailing(event.poll, true);
        break;
      case "group-failed":
        this.#groupFailed(event.host, event.key, event.at);
        break;
      case "emit":
        this.#emit(event);
        break;
      case "fan-out":
        this.#fanOut(event);
        break;
      case "lane-failed":
        this.#noteFailing(event.poll, false);
        break;
      case "poll-ended":
        this.#endSource(event);
        break;
      case "pull":
        this.#pull(event.sub);
        break;
      case "deliver":
      case "stream-error":
      case "stream-done":
        this.#answerPull(event);
        break;
      case "yield":
        this.#derive(event.sub, event.event);
        break;
      case "bind":
        this.#bind(event);
        break;
      case "confirm":
        for (const seq of event.seqs) this.#confirm(event.host, seq);
        break;
      case "reject":
        this.#reject(event.sub);
        break;
      case "force-failed":
        this.#forceFailed(event);
        break;
      case "unsubscribe":
        this.#leave(event.sub, event.at);
        break;
      case "stop-all":
        this.#stopAll(event.host, event.at);
        break;
      case "advance":
        this.#advance(event);
        break;
      case "advanced":
        this.#advanced(event.poll, event.ok);
        break;
      case "aclose":
        this.#countClose(event.poll);
        break;
      default:
        break;
    }
  }

  #startManager(event: Extract<TraceEvent, { kind: "manager" }>): void {
    this.#forget(event.host);
    this.managers.set(event.host, {
      host: event.host,
      maxQueue: event.maxSubscriberQueue,
      ackTimeoutMs: event.ackTimeoutMs,
      cadenceMs: Math.max(SCAN_MS_MIN, event.ackTimeoutMs / 10),
      strict: event.strict,
      groups: new Map(),
      seqs: new Map(),
      confirmed: new Set(),
      subs: new Set(),
      polls: new Set(),
      nextSeq: 0,
      pausedUntil: 0,
    });
  }

  /** The incarnation is gone, and everything that it knew. */
  #forget(host: string): void {
    const manager = this.managers.get(host);
    if (manager === undefined) return;
    this.managers.delete(host);
    for (const sub of manager.subs) {
      this.subs.delete(sub.sub);
      this.owedFailure.delete(sub);
    }
    for (const poll of manager.polls) {
      this.polls.delete(poll.poll);
      this.readyPolls.delete(poll);
      for (const copy of poll.byAge) if (this.copies.has(copy.copy)) this.#dropCopy(copy);
    }
  }

  #pause(host: string, until: number): void {
    const manager = this.managers.get(host);
    if (manager !== undefined) manager.pausedUntil = until;
  }

  #dropCopy({ copy, ref }: CopyFacts): void {
    this.copies.delete(copy);
    const left = (this.copiesOf.get(ref) ?? 1) - 1;
    if (left > 0) this.copiesOf.set(ref, left);
    else this.copiesOf.delete(ref);
  }

  #subscribe(event: Extract<TraceEvent, { kind: "subscribe" }>): void {
    const manager = this.managers.get(event.host);
    if (manager === undefined) return;
    const known = manager.groups.get(event.key);
    let group = known;
    if (group === undefined || group.ended !== undefined) {
      group = {
        key: event.key,
        manager,
        subs: new Set(),
        poll: undefined,
        ended: undefined,
        lastLeaver: undefined,
        endedAt: 0,
      };
      manager.groups.set(event.key, group);
    }
    const sub: SubFacts = {
      sub: event.sub,
      trigger: event.trigger,
      group,
      queue: [],
      open: undefined,
      isPulling: false,
      awaited: undefined,
      failure: undefined,
      hasLeft: false,
      isDone: false,
      pendingCopies: new Set(),
    };
    group.subs.add(sub);
    manager.subs.add(sub);
    this.subs.set(event.sub, sub);
  }

  #openPoll(event: Extract<TraceEvent, { kind: "factory" | "open" }>): void {
    if (this.polls.has(event.poll)) return;
    const manager = this.managers.get(event.host);
    const group = manager?.groups.get(event.key);
    if (manager === undefined || group === undefined) return;
    const poll: PollFacts = {
      poll: event.poll,
      group,
      isAck: event.kind === "factory" || event.ack,
      lanes: new Map(),
      ready: new Set(),
      byAge: [],
      emitted: undefined,
      isInFlight: false,
      hasFailedAdvance: false,
      hasFactoryFailed: false,
      openedAt: event.at,
      isFailing: false,
      acloses: 0,
    };
    group.poll = poll;
    manager.polls.add(poll);
    this.polls.set(event.poll, poll);
  }

  #emit(event: Extract<TraceEvent, { kind: "emit" }>): void {
    const poll = this.polls.get(event.poll);
    if (poll === undefined) return;
    poll.emitted = { copy: event.copy, ref: event.ref };
  }

  #fanOut(event: Extract<TraceEvent, { kind: "fan-out" }>): void {
    const poll = this.polls.get(event.poll);
    if (poll === undefined) return;
    const { group } = poll;
    const copy: CopyFacts = {
      copy: event.copy,
      ref: poll.emitted?.ref ?? "",
      poll,
      at: event.at,
      lane: event.lane,
      members: new Map(),
      pending: 0,
      resolvedAt: event.at,
      derived: [],
    };
    this.copies.set(event.copy, copy);
    this.copiesOf.set(copy.ref, (this.copiesOf.get(copy.ref) ?? 0) + 1);
    poll.byAge.push(copy);
    const lane = poll.lanes.get(event.lane) ?? [];
    lane.push(copy);
    poll.lanes.set(event.lane, lane);
    for (const sub of group.subs) {
      if (sub.failure !== undefined) continue;
      copy.members.set(sub, { sub, fate: "pending", isClosed: false, unconfirmed: new Set() });
      copy.pending += 1;
      sub.pendingCopies.add(copy);
    }
    for (const sub of [...copy.members.keys()]) this.#enqueue(sub, copy);
    this.#noteLane(copy);
  }

  #enqueue(sub: SubFacts, copy: CopyFacts): void {
    const { maxQueue } = sub.group.manager;
    if (sub.isPulling) {
      sub.isPulling = false;
      sub.awaited = copy.copy;
      sub.open = copy;
    } else if (maxQueue > 0 && sub.queue.length >= maxQueue) {
      this.#forceFail(sub, "SubscriberOverflow");
    } else {
      sub.queue.push(copy.copy);
    }
  }

  #pull(number: number): void {
    const sub = this.subs.get(number);
    if (sub === undefined) return;
    this.#closeWindow(sub);
    if (sub.hasLeft || sub.isDone) {
      sub.awaited = undefined;
    } else if (sub.failure !== undefined) {
      sub.awaited = "error";
    } else {
      const next = sub.queue.shift();
      sub.awaited = next;
      sub.open = next === undefined ? undefined : this.copies.get(next);
      sub.isPulling = next === undefined;
    }
  }

  #answerPull(
    event: Extract<TraceEvent, { kind: "deliver" | "stream-error" | "stream-done" }>,
  ): void {
    const sub = this.subs.get(event.sub);
    if (sub === undefined) return;
    sub.awaited = undefined;
    sub.isPulling = false;
    this.owedFailure.delete(sub);
    if (event.kind !== "deliver") sub.isDone = true;
  }

  #closeWindow(sub: SubFacts): void {
    const copy = sub.open;
    sub.open = undefined;
    const member = copy?.members.get(sub);
    if (copy === undefined || member === undefined) return;
    member.isClosed = true;
    this.#complete(copy, member);
  }

  #complete(copy: CopyFacts, member: MemberFacts): void {
    if (!member.isClosed || member.unconfirmed.size > 0) return;
    const fate = mayHaveTimedOut(member.sub, this.now) ? "unsure" : "acked";
    this.#resolve(copy, member, fate);
  }

  #resolve(copy: CopyFacts, member: MemberFacts, fate: Fate): void {
    if (member.fate !== "pending") return;
    member.fate = fate;
    copy.pending -= 1;
    copy.resolvedAt = this.now;
    member.sub.pendingCopies.delete(copy);
    this.#noteLane(copy);
  }

  /** A lane is ready when its head has no pending member. */
  #noteLane(copy: CopyFacts): void {
    const { poll, lane } = copy;
    const head = poll.lanes.get(lane)?.[0];
    if (head === undefined) {
      poll.ready.delete(lane);
      poll.lanes.delete(lane);
    } else if (head.pending === 0) {
      poll.ready.add(lane);
    } else {
      poll.ready.delete(lane);
    }
    this.#notePoll(poll);
  }

  #notePoll(poll: PollFacts): void {
    if (poll.ready.size > 0 && !poll.isInFlight && !poll.hasFailedAdvance) {
      this.readyPolls.add(poll);
    } else {
      this.readyPolls.delete(poll);
    }
  }

  #derive(number: number, event: number): void {
    this.subs.get(number)?.open?.derived.push({ event, seq: undefined });
  }

  #bind(event: Extract<TraceEvent, { kind: "bind" }>): void {
    const sub = this.subs.get(event.sub);
    const manager = this.managers.get(event.host);
    if (sub === undefined || manager === undefined) return;
    const copy = sub.open;
    const derived = copy?.derived.findLast((one) => one.event === event.event);
    if (derived !== undefined) derived.seq = event.seq;
    if (event.seq === null) {
      this.#failUnbound(sub);
      return;
    }
    manager.nextSeq = event.seq + 1;
    const member = copy?.members.get(sub);
    if (copy === undefined || member?.fate !== "pending") return;
    member.unconfirmed.add(event.seq);
    manager.seqs.set(event.seq, { copy, sub });
  }

  /** What could not be bound because its group was evicted, strict persistence fails (spec E-02). */
  #failUnbound(sub: SubFacts): void {
    const member = sub.open?.members.get(sub);
    if (!sub.group.manager.strict || sub.group.ended === undefined) return;
    if (sub.open !== undefined && member !== undefined) this.#resolve(sub.open, member, "failed");
  }

  #confirm(host: string, seq: number): void {
    const manager = this.managers.get(host);
    const bound = manager?.seqs.get(seq);
    if (manager === undefined || bound === undefined) return;
    manager.seqs.delete(seq);
    manager.confirmed.add(seq);
    const { copy, sub } = bound;
    const member = copy.members.get(sub);
    if (member === undefined) return;
    if (sub.group.ended === undefined) {
      member.unconfirmed.delete(seq);
      this.#complete(copy, member);
    } else if (sub.group.ended === "stopped" && member.isClosed && member.unconfirmed.size === 1) {
      // A group that waits for its turn to stop may still take it; one that drains ignores it (C-062).
      this.#resolve(copy, member, "unsure");
    }
  }

  #reject(number: number): void {
    const sub = this.subs.get(number);
    const copy = sub?.open;
    const member = sub === undefined ? undefined : copy?.members.get(sub);
    if (copy === undefined || member === undefined) return;
    this.#resolve(copy, member, "rejected");
  }

  #forceFailed(event: Extract<TraceEvent, { kind: "force-failed" }>): void {
    if (event.reason !== "ackTimeout") return;
    const sub = this.subOf(event.host, event.trigger, event.key);
    if (sub !== undefined) this.#forceFail(sub, "AckTimeout");
  }

  /** The subscription that a trigger id has now. */
  subOf(host: string, trigger: number, key: string): SubFacts | undefined {
    const group = this.managers.get(host)?.groups.get(key);
    if (group === undefined) return undefined;
    for (const sub of group.subs) if (sub.trigger === trigger) return sub;
    return undefined;
  }

  #forceFail(sub: SubFacts, failure: string): void {
    sub.failure = failure;
    sub.queue.length = 0;
    for (const copy of [...sub.pendingCopies]) {
      const member = copy.members.get(sub);
      if (member !== undefined) this.#resolve(copy, member, "failed");
    }
    if (sub.isPulling) this.owedFailure.add(sub);
  }

  #leave(number: number, at: number): void {
    const sub = this.subs.get(number);
    if (sub === undefined || sub.hasLeft) return;
    sub.hasLeft = true;
    this.owedFailure.delete(sub);
    const { group } = sub;
    if (group.ended === undefined) {
      for (const copy of [...sub.pendingCopies]) this.#leaveCopy(sub, copy);
    }
    sub.open = undefined;
    sub.isPulling = false;
    group.subs.delete(sub);
    if (group.subs.size > 0 || group.ended !== undefined) return;
    group.lastLeaver = number;
    this.#endGroup(group, "left", at);
  }

  #leaveCopy(sub: SubFacts, copy: CopyFacts): void {
    const member = copy.members.get(sub);
    if (member === undefined) return;
    // Handed out, but not yet seen by the filter: pulled or not is a matter of turns.
    const isInHand = sub.open === copy && sub.awaited === copy.copy;
    if (isInHand) {
      this.#resolve(copy, member, "unsure");
    } else if (sub.open === copy) {
      this.#leaveOpen(sub, copy, member);
    } else if (!member.isClosed) {
      this.#resolve(copy, member, "failed");
    }
  }

  #leaveOpen(sub: SubFacts, copy: CopyFacts, member: MemberFacts): void {
    if (sub.group.manager.strict && member.unconfirmed.size === 0) {
      this.#resolve(copy, member, "unsure");
      return;
    }
    member.isClosed = true;
    this.#complete(copy, member);
  }

  #stopAll(host: string, at: number): void {
    const manager = this.managers.get(host);
    for (const group of manager?.groups.values() ?? []) {
      if (group.ended === undefined) this.#endGroup(group, "stopped", at);
    }
  }

  #endSource(event: Extract<TraceEvent, { kind: "poll-ended" }>): void {
    const poll = this.polls.get(event.poll);
    if (poll === undefined) return;
    if (event.how !== "closed") poll.isFailing = true;
  }

  #noteFailing(number: number, isFactory: boolean): void {
    const poll = this.polls.get(number);
    if (poll === undefined) return;
    poll.isFailing = true;
    if (isFactory) poll.hasFactoryFailed = true;
  }

  /** The manager says that a group of this key failed: one whose poll had a reason to. */
  #groupFailed(host: string, key: string, at: number): void {
    const failing = [...(this.managers.get(host)?.polls ?? [])].filter(
      ({ group, isFailing }) => group.key === key && isFailing && group.ended !== "failed",
    );
    const poll = failing.find(({ group }) => group.ended === undefined) ?? failing[0];
    if (poll !== undefined) this.#failGroup(poll.group, at);
  }

  /** A group that fails while it stops tells those who are still there (spec C-130). */
  #failGroup(group: GroupFacts, at: number): void {
    this.#endGroup(group, "failed", at);
    for (const sub of group.subs) {
      sub.failure = "group";
      sub.queue.length = 0;
      if (sub.isPulling) this.owedFailure.add(sub);
    }
  }

  #endGroup(group: GroupFacts, how: GroupEnd, at: number): void {
    group.ended = how;
    group.endedAt = at;
  }

  #advance(event: Extract<TraceEvent, { kind: "advance" }>): void {
    const poll = this.polls.get(event.poll);
    if (poll === undefined) return;
    poll.isInFlight = true;
    for (const [number] of event.items) {
      const copy = this.copies.get(number);
      if (copy === undefined) continue;
      this.#dropCopy(copy);
      const lane = poll.lanes.get(copy.lane);
      const at = lane?.indexOf(copy) ?? -1;
      if (at !== -1) lane?.splice(at, 1);
      for (const member of copy.members.values()) this.#settle(copy, member);
      this.#noteLane(copy);
    }
    while (poll.byAge[0] !== undefined && !this.copies.has(poll.byAge[0].copy)) poll.byAge.shift();
    this.#notePoll(poll);
  }

  /** An advanced event with a pending member of somebody who left: it, and all its others, timed out. */
  #settle(copy: CopyFacts, { sub, fate }: MemberFacts): void {
    if (fate === "pending" && mayHaveTimedOut(sub, this.now)) {
      for (const other of [...sub.pendingCopies]) {
        const member = other.members.get(sub);
        if (member !== undefined && other !== copy) this.#resolve(other, member, "unsure");
      }
    }
    sub.pendingCopies.delete(copy);
  }

  #advanced(number: number, ok: boolean): void {
    const poll = this.polls.get(number);
    if (poll === undefined) return;
    poll.isInFlight = false;
    if (!ok) {
      poll.hasFailedAdvance = true;
      poll.isFailing = true;
    }
    this.#notePoll(poll);
  }

  #countClose(number: number): void {
    const poll = this.polls.get(number);
    if (poll !== undefined) poll.acloses += 1;
  }
}
