import type { TraceEvent } from "../../trace/trace.ts";
import {
  type CopyFacts,
  type Fate,
  type ManagerFacts,
  type MemberFacts,
  mayHaveTimedOut,
  type PollFacts,
  type SubFacts,
} from "./fact-shapes.ts";

/**
 * How events are resolved: windows, gates, rejects, time-outs, departures, lane heads.
 *
 * The half of the model that does not depend on trace events; `StreamFacts` applies them to it.
 */
export class Resolution {
  /** The virtual time of the event that is being applied. */
  now = 0;
  /** Subscribers that wait in a pull although they must get a failure. */
  readonly owedFailure: Set<SubFacts> = new Set();
  /** Subscribers whose pull or visit must end: they have left, or their stream is over. */
  readonly owedEnd: Set<SubFacts> = new Set();
  /** Polls with a resolved lane head and no advance in flight. */
  readonly readyPolls: Set<PollFacts> = new Set();
  /** Subscribers that may wait for an event which is there for them: no others need a look. */
  readonly waiting: Set<SubFacts> = new Set();

  /** Moves to the time of an event; whoever waited has been looked at, except on paused hosts. */
  advanceTo(at: number): void {
    if (at > this.now) {
      for (const sub of this.waiting) {
        if (sub.group.manager.pausedUntil <= this.now) this.waiting.delete(sub);
      }
    }
    this.now = at;
  }

  enqueue(sub: SubFacts, copy: CopyFacts): void {
    this.waiting.add(sub);
    const { maxQueue } = sub.group.manager;
    if (sub.isPulling) {
      sub.isPulling = false;
      sub.awaited = copy.copy;
      sub.open = copy;
    } else if (maxQueue > 0 && sub.queue.length >= maxQueue) {
      this.forceFail(sub, "SubscriberOverflow");
    } else {
      sub.queue.push(copy.copy);
    }
  }

  /** A pull: by a filter that iterates, or by one whose visitor has returned. */
  pull(sub: SubFacts | undefined, copies: ReadonlyMap<number, CopyFacts>): void {
    if (sub === undefined) return;
    this.waiting.add(sub);
    this.#closeWindow(sub);
    if (sub.isVisiting) return;
    if (sub.hasLeft || sub.isDone || sub.isReturned) {
      sub.awaited = undefined;
      this.owedEnd.add(sub);
    } else if (sub.failure !== undefined) {
      sub.awaited = "error";
      sub.thrown ??= sub.failure;
      this.owedFailure.add(sub);
    } else {
      sub.awaited = sub.queue[0];
      this.#openNext(sub, copies);
      sub.isPulling = sub.awaited === undefined;
    }
  }

  beginVisit(sub: SubFacts | undefined, copies: ReadonlyMap<number, CopyFacts>): void {
    if (sub === undefined) return;
    const isOver = sub.hasLeft || sub.isDone || sub.isReturned || sub.failure !== undefined;
    if (isOver) this.pull(sub, copies);
    else sub.isVisiting = true;
    this.waiting.add(sub);
  }

  /** The visitor threw, or the iterator was ended amid the visit. */
  endVisit(
    sub: SubFacts | undefined,
    event: Extract<TraceEvent, { kind: "visit-threw" | "stream-return" }>,
  ): void {
    if (sub === undefined) return;
    if (event.kind === "stream-return") sub.isReturned = true;
    else {
      sub.visitError = event.error;
      sub.visitFailure = event.failure;
    }
    if (event.kind === "visit-threw" || sub.isVisiting) this.owedEnd.add(sub);
    sub.isVisiting = false;
  }

  deliver(sub: SubFacts, copy: number, copies: ReadonlyMap<number, CopyFacts>): void {
    this.#endPull(sub);
    const place = sub.group.poll?.places.get(copy);
    if (place !== undefined) {
      sub.nextPlace = place + 1;
      sub.hasStarted = true;
    }
    if (!sub.isVisiting) return;
    this.#closeWindow(sub);
    this.#openNext(sub, copies);
  }

  /** The stream threw its failure, or ended. */
  endStream(sub: SubFacts): void {
    this.#endPull(sub);
    sub.isDone = true;
    sub.isVisiting = false;
  }

  #endPull(sub: SubFacts): void {
    sub.awaited = undefined;
    sub.isPulling = false;
    this.owedFailure.delete(sub);
    this.owedEnd.delete(sub);
  }

  #openNext(sub: SubFacts, copies: ReadonlyMap<number, CopyFacts>): void {
    const next = sub.queue.shift();
    sub.open = next === undefined ? undefined : copies.get(next);
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
    const { sub } = member;
    sub.wasOverdue ||= mayHaveTimedOut(sub, this.now);
    this.#resolve(copy, member, member.isDoubtful || sub.wasOverdue ? "unsure" : "acked");
  }

  #resolve(copy: CopyFacts, member: MemberFacts, fate: Fate): void {
    if (member.fate !== "pending") return;
    // What waits for a confirmation when its group ends is abandoned, or resolved if the group waits
    // for its turn to stop (C-062).
    const isAbandoned = member.sub.group.ended !== undefined && member.unconfirmed.size > 0;
    member.fate = isAbandoned ? "unsure" : fate;
    copy.pending -= 1;
    copy.resolvedAt = this.now;
    member.sub.pendingCopies.delete(copy);
    this.noteLane(copy);
  }

  /** A lane is ready when its head has no pending member. */
  noteLane(copy: CopyFacts): void {
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
    this.notePoll(poll);
  }

  notePoll(poll: PollFacts): void {
    if (poll.ready.size > 0 && !poll.isInFlight && !poll.hasFailedAdvance) {
      this.readyPolls.add(poll);
    } else {
      this.readyPolls.delete(poll);
    }
  }

  bind(
    manager: ManagerFacts,
    sub: SubFacts,
    event: { readonly event: number; readonly seq: number | null },
  ): void {
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
    member.hasBound = true;
    member.unconfirmed.add(event.seq);
    manager.seqs.set(event.seq, { copy, sub });
  }

  confirm(manager: ManagerFacts, seq: number): void {
    const bound = manager.seqs.get(seq);
    if (bound === undefined) return;
    manager.seqs.delete(seq);
    // Only strict persistence asks for it, when the event is advanced.
    if (manager.strict) manager.confirmed.add(seq);
    const { copy, sub } = bound;
    const member = copy.members.get(sub);
    if (member === undefined) return;
    // A group that waits for its turn to stop may still take it; one that drains ignores it (C-062).
    if (sub.group.ended === "stopped") member.isDoubtful = true;
    else if (sub.group.ended !== undefined) return;
    member.unconfirmed.delete(seq);
    this.#complete(copy, member);
  }

  /**
   * What could not be bound because its group was evicted, strict persistence fails (E-02).
   */
  #failUnbound(sub: SubFacts): void {
    const member = sub.open?.members.get(sub);
    if (!sub.group.manager.strict || sub.group.ended === undefined) return;
    if (sub.open !== undefined && member !== undefined) this.#resolve(sub.open, member, "failed");
  }

  reject(sub: SubFacts | undefined): void {
    const copy = sub?.open;
    const member = sub === undefined ? undefined : copy?.members.get(sub);
    if (copy === undefined || member === undefined) return;
    member.hasRejected = true;
    this.#resolve(copy, member, "rejected");
  }

  forceFail(sub: SubFacts, failure: string): void {
    this.fail(sub, failure);
    for (const copy of [...sub.pendingCopies]) {
      const member = copy.members.get(sub);
      if (member !== undefined) this.#resolve(copy, member, "failed");
    }
  }

  /** A failure takes the place of all that is queued, and of one that was not thrown yet. */
  fail(sub: SubFacts, failure: string): void {
    sub.failure = failure;
    sub.queue.length = 0;
    if (!sub.isPulling && !sub.isVisiting) return;
    sub.thrown ??= failure;
    this.owedFailure.add(sub);
  }

  leaveCopy(sub: SubFacts, copy: CopyFacts): void {
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
    if (sub.group.manager.strict && !member.hasBound) {
      this.#resolve(copy, member, "failed");
      return;
    }
    member.isClosed = true;
    this.#complete(copy, member);
  }

  /**
   * An advanced event with a pending member of somebody who left: it, and all its others, timed
   * out.
   */
  settle(copy: CopyFacts, { sub, fate }: MemberFacts): void {
    if (fate === "pending" && mayHaveTimedOut(sub, this.now)) {
      for (const other of [...sub.pendingCopies]) {
        const member = other.members.get(sub);
        if (member !== undefined && other !== copy) this.#resolve(other, member, "unsure");
      }
    }
    sub.pendingCopies.delete(copy);
  }

  /** A filter derived a trigger event from what it sits on. */
  derive(sub: SubFacts | undefined, event: number): void {
    sub?.open?.derived.push({ event, seq: undefined });
  }
}
