import type { TraceEvent } from "../../trace/trace.ts";
import {
  type CopyFacts,
  type GroupEnd,
  type GroupFacts,
  type ManagerFacts,
  type PollFacts,
  type SubFacts,
  addSub,
  backlogMaxOf,
  causesOf,
  failedPollOf,
  forceFailedOf,
  groupFrom,
  managerFrom,
  memberFrom,
  noteThrown,
  pollFrom,
  removeSub,
  stopReturned,
  subFrom,
} from "./fact-shapes.ts";
import { Resolution } from "./resolution.ts";

type EventOf<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

/**
 * What must hold, derived from the trace alone: a reference model of shared streams.
 *
 * Holds: it knows nothing of the manager but what crossed its face. A checker reads these facts
 * before the event that it judges is applied.
 */
export class StreamFacts {
  readonly managers: Map<string, ManagerFacts> = new Map();
  readonly subs: Map<number, SubFacts> = new Map();
  readonly polls: Map<number, PollFacts> = new Map();
  readonly copies: Map<number, CopyFacts> = new Map();
  /** How many outstanding copies each record has. */
  readonly copiesOf: Map<string, number> = new Map();
  /** Up to here nothing more happens: time has moved on. */
  restedUntil = 0;
  readonly #resolution = new Resolution();

  /** The virtual time of the last event. */
  get now(): number {
    return this.#resolution.now;
  }

  /** Subscribers that wait in a pull although they must get a failure. */
  readonly owedFailure: Set<SubFacts> = this.#resolution.owedFailure;

  /** Subscribers whose pull or visit must end: they have left, or their stream is over. */
  readonly owedEnd: Set<SubFacts> = this.#resolution.owedEnd;

  /** Polls of stopped groups whose advance has failed since; the manager is yet to report that. */
  readonly failedDrains: Set<PollFacts> = new Set();

  /** Polls with a resolved lane head and no advance in flight. */
  readonly readyPolls: Set<PollFacts> = this.#resolution.readyPolls;

  /** Subscribers that may wait for an event which is there for them. */
  readonly waiting: ReadonlySet<SubFacts> = this.#resolution.waiting;

  apply(event: TraceEvent): void {
    this.#resolution.advanceTo(event.at);
    switch (event.kind) {
      case "host":
        if (event.state === "crash") this.#forget(event.host);
        else if (event.state === "pause") this.#pause(event.host, event.until ?? event.at);
        else if (event.state === "resume") this.#pause(event.host, event.at);
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
        this.#noteFailing(event, true);
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
        this.#noteFailing(event, false);
        break;
      case "poll-ended":
        this.#endSource(event);
        break;
      default:
        this.#applyWork(event);
    }
  }

  /** What subscribers, confirmations and advances do. */
  #applyWork(event: TraceEvent): void {
    switch (event.kind) {
      case "pull":
        this.#resolution.pull(this.subs.get(event.sub), this.copies);
        break;
      case "visit":
        this.#resolution.beginVisit(this.subs.get(event.sub), this.copies);
        break;
      case "visit-threw":
      case "stream-return":
        this.#resolution.endVisit(this.subs.get(event.sub), event);
        break;
      case "deliver":
      case "stream-error":
      case "stream-done":
      case "visit-failed":
        this.#answerPull(event);
        break;
      case "yield":
        this.#resolution.derive(this.subs.get(event.sub), event.event);
        break;
      case "bind":
        this.#bind(event);
        break;
      case "confirm":
        this.#confirm(event);
        break;
      case "reject":
        this.#resolution.reject(this.subs.get(event.sub));
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
      case "stopped":
        stopReturned(this.managers.get(event.host));
        break;
      case "advance":
        this.#advance(event);
        break;
      case "advanced":
        this.#advanced(event);
        break;
      case "aclose": {
        const poll = this.polls.get(event.poll);
        if (poll !== undefined) poll.acloses += 1;
        break;
      }
      default:
        break;
    }
  }

  #startManager(event: EventOf<"manager">): void {
    this.#forget(event.host);
    this.managers.set(event.host, managerFrom(event));
  }

  /** Forgets everything about a dead incarnation. */
  #forget(host: string): void {
    const manager = this.managers.get(host);
    if (manager === undefined) return;
    this.managers.delete(host);
    for (const sub of manager.subs) {
      this.subs.delete(sub.sub);
      this.#resolution.waiting.delete(sub);
      this.owedFailure.delete(sub);
      this.owedEnd.delete(sub);
    }
    for (const poll of manager.polls) {
      this.polls.delete(poll.poll);
      this.readyPolls.delete(poll);
      this.failedDrains.delete(poll);
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

  #subscribe(event: EventOf<"subscribe">): void {
    const manager = this.managers.get(event.host);
    if (manager === undefined) return;
    const known = manager.groups.get(event.key);
    let group = known;
    if (group === undefined || group.ended !== undefined) {
      group = groupFrom(event.key, manager, event.at);
      manager.groups.set(event.key, group);
    }
    const sub = subFrom(event, group);
    addSub(sub);
    this.subs.set(event.sub, sub);
  }

  #openPoll(event: EventOf<"factory" | "open">): void {
    if (this.polls.has(event.poll)) return;
    const manager = this.managers.get(event.host);
    const group = manager?.groups.get(event.key);
    if (manager === undefined || group === undefined) return;
    const poll = pollFrom(event, group);
    group.poll = poll;
    manager.polls.add(poll);
    this.polls.set(event.poll, poll);
  }

  #emit(event: EventOf<"emit">): void {
    const poll = this.polls.get(event.poll);
    if (poll === undefined) return;
    poll.emitted = { copy: event.copy, ref: event.ref };
    if (poll.isAck) return;
    poll.places.set(event.copy, poll.places.size);
    for (const sub of poll.group.subs) this.#resolution.waiting.add(sub);
  }

  #fanOut(event: EventOf<"fan-out">): void {
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
      copy.members.set(sub, memberFrom(sub));
      copy.pending += 1;
      sub.pendingCopies.add(copy);
    }
    for (const sub of [...copy.members.keys()]) this.#resolution.enqueue(sub, copy);
    this.#resolution.noteLane(copy);
  }

  #answerPull(event: EventOf<"deliver" | "stream-error" | "stream-done" | "visit-failed">): void {
    const sub = this.subs.get(event.sub);
    if (sub === undefined) return;
    if (event.kind === "stream-error" && (sub.thrown ?? sub.failure) === "group") {
      sub.group.reported ??= event.failure;
    }
    if (event.kind === "deliver") this.#resolution.deliver(sub, event.copy, this.copies);
    else if (event.kind === "visit-failed") this.owedEnd.delete(sub);
    else this.#resolution.endStream(sub);
  }

  #forceFailed(event: EventOf<"force-failed">): void {
    const sub = this.forceFailed(event);
    if (sub === undefined) return;
    sub.ownFailure = event.failure;
    if (event.reason === "ackTimeout") this.#resolution.forceFail(sub, "AckTimeout");
    else if (backlogMaxOf(sub) > sub.group.manager.maxQueue) {
      // On the ack path the fan-out itself shows which queue was full.
      this.#resolution.forceFail(sub, "SubscriberOverflow");
    }
  }

  /** The subscription that is force-failed. */
  forceFailed(event: EventOf<"force-failed">): SubFacts | undefined {
    const manager = this.managers.get(event.host);
    return manager && forceFailedOf(manager, event);
  }

  #leave(number: number, at: number): void {
    const sub = this.subs.get(number);
    if (sub === undefined || sub.hasLeft) return;
    sub.hasLeft = true;
    this.owedFailure.delete(sub);
    if (sub.isPulling || sub.isVisiting) this.owedEnd.add(sub);
    sub.isVisiting = false;
    const { group } = sub;
    if (group.ended === undefined) {
      for (const copy of [...sub.pendingCopies]) this.#resolution.leaveCopy(sub, copy);
    }
    sub.open = undefined;
    sub.isPulling = false;
    removeSub(sub);
    if (group.subs.size > 0 || group.ended !== undefined) return;
    group.lastLeaver = number;
    this.#endGroup(group, "left", at);
  }

  #stopAll(host: string, at: number): void {
    const manager = this.managers.get(host);
    if (manager !== undefined) manager.stops += 1;
    for (const group of manager?.groups.values() ?? []) {
      if (group.ended === undefined) this.#endGroup(group, "stopped", at);
    }
  }

  #endSource(event: EventOf<"poll-ended">): void {
    const poll = this.polls.get(event.poll);
    if (poll === undefined) return;
    if (event.how !== "closed") poll.failings.add(event.how);
    if (event.how === "threw") poll.thrown.push(event.failure);
  }

  #noteFailing(
    { poll: number, failure }: Pick<EventOf<"advanced">, "poll" | "failure">,
    isFactory: boolean,
  ): void {
    const poll = this.polls.get(number);
    if (poll === undefined) return;
    noteThrown(poll, failure);
    if (isFactory) poll.hasFactoryFailed = true;
  }

  /** Applies the manager's report that a group of this key has failed. */
  #groupFailed(host: string, key: string, at: number): void {
    const manager = this.managers.get(host);
    const poll = manager && failedPollOf(manager, key, this.failedDrains);
    if (poll === undefined) return;
    poll.group.causes = causesOf(poll);
    this.failedDrains.delete(poll);
    this.#failGroup(poll.group, at);
  }

  /** A group that fails while it stops reports that to its remaining subscribers (C-130). */
  #failGroup(group: GroupFacts, at: number): void {
    this.#endGroup(group, "failed", at);
    for (const sub of group.subs) this.#resolution.fail(sub, "group");
  }

  #endGroup(group: GroupFacts, how: GroupEnd, at: number): void {
    group.ended = how;
    group.endedAt = at;
  }

  #advance(event: EventOf<"advance">): void {
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
      for (const member of copy.members.values()) this.#resolution.settle(copy, member);
      this.#resolution.noteLane(copy);
    }
    while (poll.byAge[0] !== undefined && !this.copies.has(poll.byAge[0].copy)) poll.byAge.shift();
    this.#resolution.notePoll(poll);
  }

  #advanced({ poll: number, ok, failure }: EventOf<"advanced">): void {
    const poll = this.polls.get(number);
    if (poll === undefined) return;
    poll.isInFlight = false;
    if (!ok) {
      poll.hasFailedAdvance = true;
      if (poll.group.ended === "stopped") this.failedDrains.add(poll);
      noteThrown(poll, failure);
    }
    this.#resolution.notePoll(poll);
  }

  #bind(event: EventOf<"bind">): void {
    const sub = this.subs.get(event.sub);
    const manager = this.managers.get(event.host);
    if (sub !== undefined && manager !== undefined) this.#resolution.bind(manager, sub, event);
  }

  #confirm(event: EventOf<"confirm">): void {
    const manager = this.managers.get(event.host);
    if (manager === undefined) return;
    for (const seq of event.seqs) this.#resolution.confirm(manager, seq);
  }
}
