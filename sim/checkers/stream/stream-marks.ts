import type { TraceEvent } from "../../trace/trace.ts";
import type { GroupFacts, PollFacts, SubFacts } from "./fact-shapes.ts";
import type { StreamFacts } from "./stream-facts.ts";

/** What should happen now and then in worlds with shared streams; a search lists what never did. */
export const STREAM_MARKS = [
  "a batch held an acked and a rejected item",
  "a batch held a clean and a failed item",
  "a batch held more than three items",
  "one event was acked by one and rejected by another",
  "a subscriber joined while events were outstanding",
  "a subscriber left with its window open",
  "the last subscriber left during an advance",
  "a key was taken again while its old poll was closing",
  "an ack timed out",
  "a confirmation came after its event had failed",
  "a subscriber overflowed",
  "a subscriber overflowed while a sibling went on",
  "an advance failed while another lane was ready",
  "everything was stopped with events outstanding",
  "everything was stopped with several groups busy",
  "a drain failed in stopAll while other groups were not closed",
  "a drain failed while somebody was subscribed",
  "a key was taken again while its old group drained",
  "a drain failed after its key had been taken again",
  "an advance failed after its group had failed",
  "an advance was slow and then failed",
  "a bind found no open event",
  "a filter was called with an event",
  "an event was delivered on the fast path",
  "a task rejected when its own window was closed and another one open",
] as const;

/** The same, where a broker may deliver a record again. */
export const REDELIVERY_MARKS = [
  "a record came again while its first copy was outstanding",
] as const;

type StreamMark = (typeof STREAM_MARKS | typeof REDELIVERY_MARKS)[number];

/**
 * Notes which marks a run reached, from the trace.
 *
 * Holds: judges nothing, and sees each event before the facts take it in.
 */
export class StreamMarks {
  readonly #sometimes: (mark: StreamMark) => void;
  /** When the advance began that each poll has in flight. */
  readonly #advancingSince = new Map<number, number>();

  constructor(sometimes: (mark: StreamMark) => void) {
    this.#sometimes = sometimes;
  }

  observe(event: TraceEvent, facts: StreamFacts): void {
    switch (event.kind) {
      case "advance":
        this.#advancingSince.set(event.poll, event.at);
        this.#hearAdvance(event);
        break;
      case "advanced":
        if (!event.ok) this.#hearAdvanceFailed(event, facts);
        break;
      case "subscribe":
        this.#hearSubscribe(event, facts);
        break;
      case "unsubscribe":
        this.#hearUnsubscribe(event, facts);
        break;
      case "force-failed":
        this.#hearForceFailed(event, facts);
        break;
      case "confirm":
        this.#hearConfirm(event, facts);
        break;
      case "stop-all":
        this.#hearStopAll(pollsOf(facts, event.host));
        break;
      case "emit":
        if (facts.copiesOf.has(event.ref))
          this.#sometimes("a record came again while its first copy was outstanding");
        break;
      case "deliver":
        this.#hearDeliver(facts.subs.get(event.sub));
        break;
      case "late-reject":
        if (facts.subs.get(event.sub)?.open !== undefined)
          this.#sometimes("a task rejected when its own window was closed and another one open");
        break;
      case "bind":
        if (event.seq === null) this.#sometimes("a bind found no open event");
        break;
      default:
        break;
    }
  }

  #hearAdvance({ items }: Extract<TraceEvent, { kind: "advance" }>): void {
    const isAcked = items.some(
      ([, acked, failed, rejected]) => acked > 0 && failed + rejected === 0,
    );
    if (isAcked && items.some(([, , failed, rejected]) => rejected > 0 && failed === 0))
      this.#sometimes("a batch held an acked and a rejected item");
    if (items.some(([, , failed]) => failed > 0) && items.some(([, , failed]) => failed === 0))
      this.#sometimes("a batch held a clean and a failed item");
    if (items.length > 3) this.#sometimes("a batch held more than three items");
    if (items.some(([, acked, , rejected]) => acked > 0 && rejected > 0))
      this.#sometimes("one event was acked by one and rejected by another");
  }

  #hearAdvanceFailed(event: Extract<TraceEvent, { kind: "advanced" }>, facts: StreamFacts): void {
    const poll = facts.polls.get(event.poll);
    if (poll === undefined) return;
    if (poll.ready.size > 0) this.#sometimes("an advance failed while another lane was ready");
    if (event.at > (this.#advancingSince.get(event.poll) ?? event.at))
      this.#sometimes("an advance was slow and then failed");
    const { group } = poll;
    if (group.ended === "failed") this.#sometimes("an advance failed after its group had failed");
    if (group.ended === "stopped" || group.ended === "left")
      this.#hearDrainFailed(group, pollsOf(facts, event.host));
  }

  #hearDrainFailed(group: GroupFacts, polls: readonly PollFacts[]): void {
    if (group.subs.size > 0) this.#sometimes("a drain failed while somebody was subscribed");
    const successor = group.manager.groups.get(group.key);
    if (successor !== group && successor?.ended === undefined)
      this.#sometimes("a drain failed after its key had been taken again");
    const isOther = ({ group: other, acloses }: PollFacts) =>
      other !== group && other.ended === "stopped" && acloses === 0;
    if (group.ended === "stopped" && polls.some(isOther))
      this.#sometimes("a drain failed in stopAll while other groups were not closed");
  }

  #hearStopAll(polls: readonly PollFacts[]): void {
    const live = polls.filter(({ group }) => group.ended === undefined);
    if (polls.some(({ lanes }) => hasAny(lanes)))
      this.#sometimes("everything was stopped with events outstanding");
    if (live.filter(isBusy).length > 1)
      this.#sometimes("everything was stopped with several groups busy");
  }

  #hearSubscribe(
    { host, key }: Extract<TraceEvent, { kind: "subscribe" }>,
    facts: StreamFacts,
  ): void {
    const group = facts.managers.get(host)?.groups.get(key);
    if (group?.poll === undefined) return;
    if (group.ended === undefined) {
      if (hasAny(group.poll.lanes))
        this.#sometimes("a subscriber joined while events were outstanding");
    } else if (group.poll.acloses === 0) {
      this.#sometimes("a key was taken again while its old poll was closing");
      if (group.poll.isInFlight || group.poll.ready.size > 0)
        this.#sometimes("a key was taken again while its old group drained");
    }
  }

  #hearDeliver(sub: SubFacts | undefined): void {
    if (sub?.isVisiting === true) this.#sometimes("a filter was called with an event");
    if (sub?.group.poll?.isAck === false)
      this.#sometimes("an event was delivered on the fast path");
  }

  #hearUnsubscribe(
    { sub: number }: Extract<TraceEvent, { kind: "unsubscribe" }>,
    facts: StreamFacts,
  ): void {
    const sub = facts.subs.get(number);
    if (sub === undefined) return;
    if (sub.open !== undefined) this.#sometimes("a subscriber left with its window open");
    if (sub.group.subs.size === 1 && sub.group.poll?.isInFlight === true)
      this.#sometimes("the last subscriber left during an advance");
  }

  #hearForceFailed(event: Extract<TraceEvent, { kind: "force-failed" }>, facts: StreamFacts): void {
    if (event.reason === "ackTimeout") {
      this.#sometimes("an ack timed out");
      return;
    }
    const sub = facts.forceFailed(event);
    this.#sometimes("a subscriber overflowed");
    const siblings = [...(sub?.group.subs ?? [])];
    if (siblings.some((other) => other !== sub && other.failure === undefined))
      this.#sometimes("a subscriber overflowed while a sibling went on");
  }

  #hearConfirm(event: Extract<TraceEvent, { kind: "confirm" }>, facts: StreamFacts): void {
    const seqs = facts.managers.get(event.host)?.seqs;
    for (const seq of event.seqs) {
      const bound = seqs?.get(seq);
      if (bound?.copy.members.get(bound.sub)?.fate === "failed")
        this.#sometimes("a confirmation came after its event had failed");
    }
  }
}

/** Whether events are outstanding or an advance is in flight: its drain is not over at once. */
function isBusy({ isInFlight, lanes }: PollFacts): boolean {
  return isInFlight || hasAny(lanes);
}

function pollsOf(facts: StreamFacts, host: string): readonly PollFacts[] {
  return [...(facts.managers.get(host)?.polls ?? [])];
}

function hasAny(lanes: ReadonlyMap<string, readonly unknown[]>): boolean {
  for (const lane of lanes.values()) if (lane.length > 0) return true;
  return false;
}
