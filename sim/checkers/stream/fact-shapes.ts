import type { TraceEvent } from "../../trace/trace.ts";

/** The state of one member of an event's snapshot. `unsure`: the trace does not determine it. */
export type Fate = "pending" | "acked" | "failed" | "rejected" | "unsure";

/** One subscriber's part in one broadcast event. */
export interface MemberFacts {
  readonly sub: SubFacts;
  fate: Fate;
  isClosed: boolean;
  /** Whether a trigger event was bound to it. */
  hasBound: boolean;
  readonly unconfirmed: Set<number>;
  /** Whether a confirmation came that its group may have taken or not. */
  isDoubtful: boolean;
  /** Whether its filter rejected it, be it in vain. */
  hasRejected: boolean;
}

/** A subscriber to which an event was broadcast just now. */
export function memberFrom(sub: SubFacts): MemberFacts {
  return {
    sub,
    fate: "pending",
    isClosed: false,
    hasBound: false,
    unconfirmed: new Set(),
    isDoubtful: false,
    hasRejected: false,
  };
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

/** Whether the trace determines how each member resolved the event. */
export function isSure({ members }: CopyFacts): boolean {
  for (const { fate } of members.values()) if (fate === "unsure") return false;
  return true;
}

/**
 * A departed subscriber's unconfirmed events time out without a word to anybody (C-090,
 * C-091):
 * 1. the subscriber binds a trigger event and leaves; 2. no confirmation comes; 3. one of its
 * events is older than the ack timeout; 4. the scan fails all its events, the young ones too;
 * 5. a confirmation of the old one comes, which is too late if the scan was before it.
 */
export function mayHaveTimedOut(sub: SubFacts, now: number): boolean {
  return sub.hasLeft && (sub.wasOverdue || isOverdue(sub, now));
}

function isOverdue(sub: SubFacts, now: number): boolean {
  for (const copy of sub.pendingCopies) {
    if (now - copy.at >= sub.group.manager.ackTimeoutMs) return true;
  }
  return false;
}

/**
 * Returns the subscription that is force-failed. A trigger id may have two under a key:
 * 1. stopAll waits for one group, and another waits for its turn; 2. that one broadcasts on; 3. its
 * key is joined anew, by the same trigger; 4. the subscriber of the old group is overdue.
 */
export function forceFailedOf(
  { present }: ManagerFacts,
  { at, trigger, key, reason }: Extract<TraceEvent, { kind: "force-failed" }>,
): SubFacts | undefined {
  const subs = present.get(placeOf(trigger, key)) ?? [];
  const all = [...subs].filter(
    ({ group: { ended } }) => ended === undefined || ended === "stopped",
  );
  const newest = all.at(-1);
  if (reason !== "ackTimeout") return newest;
  return all.find((sub) => sub.failure === undefined && isOverdue(sub, at)) ?? newest;
}

/**
 * Returns the poll whose group has failed. A key may have several polls with a reason to fail: the
 * source of a group that was stopped long ago threw when it was closed, which fails nobody; and an
 * advance of one that drains now, in `drains`, has failed.
 */
export function failedPollOf(
  { polls }: ManagerFacts,
  key: string,
  drains: ReadonlySet<PollFacts>,
): PollFacts | undefined {
  const failing = [...polls].filter(
    ({ group, failings: { size } }) => group.key === key && size > 0 && group.ended !== "failed",
  );
  const live = failing.find(({ group }) => group.ended === undefined);
  return live ?? failing.find((poll) => drains.has(poll)) ?? failing[0];
}

/** Names a trigger under a key, where there is one subscription or, for a time, two. */
function placeOf(trigger: number, key: string): string {
  return `${trigger} ${key}`;
}

/** Notes that a subscription has begun. */
export function addSub(sub: SubFacts): void {
  const { group, trigger } = sub;
  const { subs, present } = group.manager;
  group.subs.add(sub);
  subs.add(sub);
  const place = placeOf(trigger, group.key);
  present.set(place, (present.get(place) ?? new Set()).add(sub));
}

/** Notes that a subscription has ended. */
export function removeSub(sub: SubFacts): void {
  const { group, trigger } = sub;
  const { present } = group.manager;
  group.subs.delete(sub);
  const place = placeOf(trigger, group.key);
  const subs = present.get(place);
  subs?.delete(sub);
  if (subs?.size === 0) present.delete(place);
}

/** How many events a subscriber on the fast path may not have pulled; on the ack path none. */
export function backlogMaxOf({ group: { poll }, nextPlace, hasStarted }: SubFacts): number {
  if (poll === undefined || poll.isAck) return 0;
  // What the source yielded just before it joined may be broadcast just after.
  return poll.places.size - nextPlace + (hasStarted ? 0 : 1);
}

export type GroupEnd = "left" | "stopped" | "failed";

/** Subscribers of one key that share one poll. */
export interface GroupFacts {
  readonly key: string;
  readonly manager: ManagerFacts;
  readonly createdAt: number;
  readonly subs: Set<SubFacts>;
  poll: PollFacts | undefined;
  ended: GroupEnd | undefined;
  /** Whose leaving ended it. */
  lastLeaver: number | undefined;
  endedAt: number;
  /** The errors of which one has failed it; undefined when the trace does not say. */
  causes: ReadonlySet<number> | undefined;
  /** The failure that its first subscriber got: it is everybody's. */
  reported: number | undefined;
}

/** One poll: a producer (or a fast-path source) and what it broadcast. */
export interface PollFacts {
  readonly poll: number;
  readonly group: GroupFacts;
  readonly isAck: boolean;
  /** On the fast path: the place of each emitted event, from 0. */
  readonly places: Map<number, number>;
  readonly lanes: Map<string, CopyFacts[]>;
  /** Lanes whose head is resolved. */
  readonly ready: Set<string>;
  /** Broadcast copies, oldest first; those advanced are taken off lazily. */
  readonly byAge: CopyFacts[];
  emitted: { readonly copy: number; readonly ref: string } | undefined;
  isInFlight: boolean;
  hasFailedAdvance: boolean;
  hasFactoryFailed: boolean;
  /** When its producer was created; scans are counted from here. */
  readonly openedAt: number;
  /** Why it fails: its factory, source, lane hook or advance threw, or its source returned. */
  readonly failings: Set<"returned" | "threw">;
  /** The numbers of the errors thrown, in this order; undefined: the manager itself made it. */
  readonly thrown: (number | undefined)[];
  acloses: number;
}

/** One subscription. */
export interface SubFacts {
  readonly sub: number;
  readonly trigger: number;
  readonly group: GroupFacts;
  readonly queue: number[];
  /** On the fast path: the place of the event that is due next. */
  nextPlace: number;
  /** On the fast path: whether it got any event yet. */
  hasStarted: boolean;
  /** The copy whose window is open. */
  open: CopyFacts | undefined;
  isPulling: boolean;
  /** Its filter is called with each event, instead of pulling them. */
  isVisiting: boolean;
  /** What its visitor threw last. */
  visitError: string | undefined;
  visitFailure: number | undefined;
  /** The number of the error with which it was failed alone. */
  ownFailure: number | undefined;
  /** Its iterator was ended: it gets no more events, but must still resolve those that it has. */
  isReturned: boolean;
  /** What the pull in progress must give. */
  awaited: number | "error" | undefined;
  failure: string | undefined;
  /** The failure that was thrown into a pull or a visit: a later one does not replace it. */
  thrown: string | undefined;
  /** Whether it had left and had an overdue event when one of its events was completed. */
  wasOverdue: boolean;
  hasLeft: boolean;
  isDone: boolean;
  readonly pendingCopies: Set<CopyFacts>;
}

/** One incarnation of a manager. */
export interface ManagerFacts {
  readonly host: string;
  readonly maxQueue: number;
  readonly ackTimeoutMs: number;
  /** For how long a new group waits for more subscribers. */
  readonly graceMs: number;
  readonly cadenceMs: number;
  readonly strict: boolean;
  readonly groups: Map<string, GroupFacts>;
  readonly seqs: Map<number, { readonly copy: CopyFacts; readonly sub: SubFacts }>;
  readonly confirmed: Set<number>;
  readonly subs: Set<SubFacts>;
  /** Of these, those that have not left, by trigger and key. */
  readonly present: Map<string, Set<SubFacts>>;
  readonly polls: Set<PollFacts>;
  nextSeq: number;
  pausedUntil: number;
  /** How many calls of `stopAll` have not returned yet. */
  stops: number;
}

/** Notes that one call of `stopAll` has returned. */
export function stopReturned(manager: ManagerFacts | undefined): void {
  if (manager !== undefined) manager.stops -= 1;
}

const SCAN_MS_MIN = 10;

/** A manager that has just been made. */
export function managerFrom(event: Extract<TraceEvent, { kind: "manager" }>): ManagerFacts {
  return {
    host: event.host,
    maxQueue: event.maxSubscriberQueue,
    ackTimeoutMs: event.ackTimeoutMs,
    graceMs: event.graceMs,
    cadenceMs: Math.max(SCAN_MS_MIN, event.ackTimeoutMs / 10),
    strict: event.strict,
    groups: new Map(),
    seqs: new Map(),
    confirmed: new Set(),
    subs: new Set(),
    present: new Map(),
    polls: new Set(),
    nextSeq: 0,
    pausedUntil: 0,
    stops: 0,
  };
}

/** A group that its first subscriber has just made. */
export function groupFrom(key: string, manager: ManagerFacts, createdAt: number): GroupFacts {
  return {
    key,
    manager,
    createdAt,
    subs: new Set(),
    poll: undefined,
    ended: undefined,
    lastLeaver: undefined,
    endedAt: 0,
    causes: undefined,
    reported: undefined,
  };
}

/** A subscription that has just been made. */
export function subFrom(
  event: Extract<TraceEvent, { kind: "subscribe" }>,
  group: GroupFacts,
): SubFacts {
  return {
    sub: event.sub,
    trigger: event.trigger,
    group,
    queue: [],
    nextPlace: group.poll?.places.size ?? 0,
    hasStarted: false,
    open: undefined,
    isPulling: false,
    isVisiting: false,
    visitError: undefined,
    visitFailure: undefined,
    ownFailure: undefined,
    isReturned: false,
    awaited: undefined,
    failure: undefined,
    thrown: undefined,
    wasOverdue: false,
    hasLeft: false,
    isDone: false,
    pendingCopies: new Set(),
  };
}

/** Creates a poll that has just created its producer, or opened its source. */
export function pollFrom(
  event: Extract<TraceEvent, { kind: "factory" | "open" }>,
  group: GroupFacts,
): PollFacts {
  return {
    poll: event.poll,
    group,
    isAck: event.kind === "factory" || event.ack,
    places: new Map(),
    lanes: new Map(),
    ready: new Set(),
    byAge: [],
    emitted: undefined,
    isInFlight: false,
    hasFailedAdvance: false,
    hasFactoryFailed: false,
    openedAt: event.at,
    failings: new Set(),
    thrown: [],
    acloses: 0,
  };
}

/** Notes that an error was thrown in a poll. */
export function noteThrown(poll: PollFacts, failure: number | undefined): void {
  poll.failings.add("threw");
  poll.thrown.push(failure);
}

/**
 * The errors of which one fails the group of this poll now. A group that waits for its turn in
 * `stopAll` polls on, and may fail until then. What a source throws once its group closes it is only
 * its way to end; the trace has "closed" by then, and not the error.
 */
export function causesOf({ thrown }: PollFacts): ReadonlySet<number> | undefined {
  const numbers = thrown.filter((failure) => failure !== undefined);
  return numbers.length < thrown.length ? undefined : new Set(numbers);
}
