import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";

/** How long nothing may be settled at least, in virtual milliseconds. */
const SILENT_MS_MIN = 120_000;
/** Nothing may be settled for as long as this many ack timeouts. */
const TIMEOUTS = 3;
/** At the end of a run, which has waited for longer already. */
const TIMEOUTS_AT_END = 1;
/** How often the records that were read were read, on average, when the world is in a loop. */
const ROUNDS = 3;

/** More calls than these are refused within each second where they are made again too soon. */
const REFUSALS_PER_S = 1;

/** What the loop does, since a record was settled last. */
interface Loop {
  since: number;
  /** How often a record was broadcast that is owed, and which they were. */
  emits: number;
  readonly refs: Set<string>;
  /** How many calls were refused: when the faults are over, for want of capacity. */
  refusals: number;
  timeouts: number;
  overflows: number;
  groupFailures: number;
  /** Advanced events that a subscriber had failed or rejected. */
  unclean: number;
}

/**
 * goodput: when the storm is over, work that is done is of use.
 *
 * After faults and publishing have ended, records are settled, and the backlog shrinks. A world
 * that is busy and settles nothing is metastable: what began as the consequence of a fault keeps
 * itself going. It is told with what feeds it. One in which nothing happens is not meant: see
 * "settled".
 */
export function goodputReturns(): Checker {
  const owed = new Set<string>();
  const bound = new Map<number, number>();
  let loop: Loop | undefined;
  let storedAfterMs = 0;
  let ackTimeoutMs = 0;
  let at = 0;
  let isReported = false;
  const judge = (silentMs: number, report: Report): void => {
    if (loop === undefined || isReported || owed.size === 0) return;
    if (at - loop.since < silentMs) return;
    const seconds = Math.floor((at - loop.since) / 1_000);
    const what = `${owed.size} records are owed, and in ${seconds} s none was settled`;
    const current = loop;
    const busy = busyWords(current, seconds, () => feederOf(current, storedAfterMs, ackTimeoutMs));
    if (busy === undefined) return;
    isReported = true;
    report("metastable", `${what}, while ${busy}`);
  };
  const count = (add: (known: Loop) => void): void => {
    if (loop !== undefined) add(loop);
  };
  return {
    id: "goodput",
    promise: "once faults and publishing are over, records are settled and the backlog shrinks",
    on: {
      manager(event) {
        ackTimeoutMs = Math.max(ackTimeoutMs, event.ackTimeoutMs);
      },
      phase({ phase, at: now }) {
        if (phase === "liveness") loop = newLoop(now);
      },
      published: ({ ref }) => void owed.add(ref),
      settled(event) {
        if (owed.delete(event.ref) && loop !== undefined) loop = newLoop(event.at);
      },
      emit(event, _facts, report) {
        at = event.at;
        if (!owed.has(event.ref)) return;
        count((known) => {
          known.emits += 1;
          known.refs.add(event.ref);
        });
        judge(Math.max(SILENT_MS_MIN, TIMEOUTS * ackTimeoutMs), report);
      },
      fault(event, _facts, report) {
        if (loop === undefined) return;
        at = event.at;
        loop.refusals += 1;
        judge(Math.max(SILENT_MS_MIN, TIMEOUTS * ackTimeoutMs), report);
      },
      bind(event) {
        if (loop !== undefined) bound.set(event.event, event.at);
      },
      persisted(event) {
        const from = bound.get(event.event);
        bound.delete(event.event);
        if (from !== undefined) storedAfterMs = event.at - from;
      },
      "force-failed": ({ reason }) =>
        count((known) => (known[reason === "overflow" ? "overflows" : "timeouts"] += 1)),
      "group-failed": () => count((known) => (known.groupFailures += 1)),
      advance: ({ items }) => count((known) => (known.unclean += items.filter(isUnclean).length)),
    },
    onEnd(_facts, report) {
      judge(TIMEOUTS_AT_END * ackTimeoutMs, report);
    },
  };
}

function newLoop(since: number): Loop {
  return {
    since,
    emits: 0,
    refs: new Set(),
    refusals: 0,
    timeouts: 0,
    overflows: 0,
    groupFailures: 0,
    unclean: 0,
  };
}

function isUnclean([, , failed, rejected]: Extract<
  TraceEvent,
  { kind: "advance" }
>["items"][number]): boolean {
  return failed + rejected > 0;
}

/** What the loop is busy with, and what feeds it; undefined while it is not too busy. */
function busyWords(loop: Loop, seconds: number, feeder: () => string): string | undefined {
  const { refusals, emits, refs } = loop;
  if (refusals > REFUSALS_PER_S * seconds) {
    return `${refusals} calls were refused: whoever is refused calls again too soon, which takes the place of calls that are of use`;
  }
  if (emits === 0 || emits < ROUNDS * refs.size) return undefined;
  return `${refs.size} of them ${refs.size === 1 ? "was" : "were"} read ${emits} times: ${feeder()}`;
}

/** What keeps the loop going. */
function feederOf(loop: Loop, storedAfterMs: number, ackTimeoutMs: number): string {
  const { timeouts, overflows, groupFailures, unclean } = loop;
  if (timeouts > 0 && storedAfterMs > ackTimeoutMs) {
    const wait = `a trigger event waits ${Math.floor(storedAfterMs / 1_000)} s to be stored`;
    const given = `after the ack timeout of ${Math.floor(ackTimeoutMs / 1_000)} s its record is given up`;
    return `${wait}, but ${given}, read again and fired again, which makes the next wait longer`;
  }
  if (timeouts > 0)
    return `subscribers time out (${timeouts} times), and what they hold is read again`;
  if (overflows > 0) return `queues of subscribers overflow (${overflows} times)`;
  if (groupFailures > 0) return `groups fail (${groupFailures} times) and begin anew`;
  if (unclean > 0) return `subscribers do not accept them (${unclean} times)`;
  return "no subscriber times out or refuses them, and no group fails";
}
