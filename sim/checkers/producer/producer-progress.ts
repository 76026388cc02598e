import type { Checker } from "../checker.ts";
import { breachWords } from "./breach-words.ts";
import {
  holdsSince,
  isGivenBackRightly,
  isLeftUnsettled,
  isNackedRefusal,
  mayBeDeadLettered,
  wasUnderWay,
  wasUpsetSince,
} from "./given-back.ts";
import type { ProducerFacts } from "./producer-facts.ts";
import type { CopyFacts, RecordFacts } from "./record-facts.ts";

function isOwed(record: RecordFacts): boolean {
  const { settledAt, isExpired, deadLetteredAt, copies, isGarbled } = record;
  if (isGarbled && copies.length === 0) return false;
  if (isExpired || settledAt !== undefined) return false;
  return deadLetteredAt === undefined || copies.length > 0;
}

/** Whether the last outcome of the record demands its redelivery. */
function isHeld({ copies }: RecordFacts): boolean {
  const last = copies.at(-1);
  return last !== undefined && last.decision === "hold";
}

/** Whether all that is known of the record is that everybody has done with it. */
function isDone({ copies }: RecordFacts): boolean {
  const last = copies.at(-1);
  return last !== undefined && (last.decision === "settle" || mayBeDeadLettered(last));
}

/** A record that has come so often without faults will go on coming. */
const COMINGS_MANY = 4;

/**
 * Whether the record is rejected and nacked each time it comes, as long as the run lasts: more
 * cannot be asked of its producer where the broker itself keeps no dead letters.
 */
function isRefusedAgainAndAgain(facts: ProducerFacts, { copies }: RecordFacts): boolean {
  const resolved = copies.findLast(({ outcome }) => outcome !== undefined);
  if (resolved === undefined || !isNackedRefusal(resolved)) return false;
  const calm = copies.filter(({ emittedAt }) => emittedAt > facts.calmSince).length;
  return calm >= COMINGS_MANY || (copies.at(-1)?.emittedAt ?? -1) > facts.progressedAt;
}

/** Whether an earlier record of its ordering unit is refused again and again. */
function isBehindRefused(facts: ProducerFacts, record: RecordFacts): boolean {
  if (record.unit === "") return false;
  return facts.earlierOf(record).some((earlier) => isRefusedAgainAndAgain(facts, earlier));
}

/**
 * Whether a record that every subscriber took is redelivered without reason: its producer is alive,
 * nothing failed, and no record of its lane had to be redelivered.
 */
function isDoneInVain(facts: ProducerFacts, { copies, settledAt }: RecordFacts): boolean {
  const last = copies.at(-1);
  if (last?.decision !== "settle" || settledAt !== undefined) return false;
  const { session, lane, emittedAt } = last;
  if (
    session.diedAt !== undefined ||
    session.closingAt !== undefined ||
    session.advance !== undefined
  ) {
    return false;
  }
  if (wasUpsetSince(facts, holdsSince(last)) || wasUnderWay(last)) return false;
  // Two deliveries of it were under way; the other one has failed since, and is tried again.
  if (copies.some((other) => other.resolvedAt >= emittedAt && isGivenBackRightly(other))) {
    return false;
  }
  return [...facts.copies.values()].every(
    (other) => other.session !== session || other.lane !== lane || !isGivenBackRightly(other),
  );
}

function isExcused(facts: ProducerFacts, record: RecordFacts): boolean {
  return isRefusedAgainAndAgain(facts, record) || isBehindRefused(facts, record);
}

export const heldComesBack: Checker<ProducerFacts> = {
  id: "G8",
  promise: "a held event comes back within bounded time, in this session",
  onEnd(facts, report) {
    for (const record of facts.records.values()) {
      if (!isOwed(record) || isDone(record) || isExcused(facts, record)) continue;
      const { ref, copies } = record;
      if (isHeld(record)) report("held-lost", `${ref} was held and never came back`, ref);
      else if (copies.length === 0) report("never-delivered", `${ref} was never handed out`, ref);
      else report("delivered-and-lost", `${ref} was handed out, lost, and never came back`, ref);
    }
  },
};

/** How long an advance may take when the broker replies. */
const ADVANCE_MS_MAX = 15_000;

export const doneIsSettled: Checker<ProducerFacts> = {
  id: "progress",
  promise: "an event that everybody has done with is settled, and does not come again",
  on: {
    emit(event, facts, report) {
      const record = facts.records.get(event.ref);
      if (record === undefined) return;
      const last = record.copies.at(-1);
      if (last !== undefined && !record.isExpired && isLeftUnsettled(facts, last)) {
        report(
          "unsettled-at-the-end",
          `${event.ref} was taken by everybody; its producer ended without settling it, and it comes again`,
          event.ref,
        );
      }
      if (!isDoneInVain(facts, record)) return;
      report(
        "redelivered-when-done",
        `${event.ref} was taken by everybody, and is handed out again`,
        event.ref,
      );
    },
    lapsed(event, facts, report) {
      const record = facts.records.get(event.ref);
      if (record === undefined || !isDoneInVain(facts, record)) return;
      report(
        "lease-ended-when-done",
        `${event.ref} was taken by everybody, and its lease ended unsettled`,
        event.ref,
      );
    },
  },
  onQuiet(facts, report) {
    for (const { advance, diedAt } of facts.sessions.values()) {
      if (advance === undefined || diedAt !== undefined) continue;
      const ms = facts.restedUntil - advance.at;
      if (ms < ADVANCE_MS_MAX || facts.disturbedUntil >= advance.at) continue;
      if (facts.wasTroubledSince(advance.at)) continue;
      const ref = advance.copies[0]?.record.ref;
      report(
        "advance-hangs",
        `advance has not returned for ${ms} ms, though the broker is there`,
        ref,
      );
    }
  },
  onEnd(facts, report) {
    for (const record of facts.records.values()) {
      if (!isOwed(record) || !isDone(record) || isExcused(facts, record)) continue;
      const isTaken = record.copies.at(-1)?.decision === "settle";
      const what = isTaken ? "taken by everybody" : "rejected";
      report("done-unsettled", `${record.ref} was ${what} and is still not settled`, record.ref);
    }
  },
};

const NONE = { decision: undefined, isNacked: false } as const;
/** How often one record may be redelivered in a short time. */
const SIGHTINGS_MAX = 40;
const SHORT_MS = 5_000;
/**
 * While calls fail there may be several messages of a record, each of which comes in its turn: 1. a
 * copy is put into a queue where it rests; 2. the ack of the first one fails; 3. both come again.
 */
const TROUBLED_SHORT_MS = 1_000;

export const nothingSpins: Checker<ProducerFacts> = {
  id: "hot-loop",
  promise: "a producer waits without spinning, and repeats nothing at full speed",
  on: {
    breach({ breach }, _facts, report) {
      const isItsOwn = breach.what === "spinning" || breach.what === "asked-at-once";
      if (isItsOwn) report(breach.what, breachWords(breach));
    },
    emit(event, facts, report) {
      const all = facts.records.get(event.ref)?.copies ?? [];
      if (all.length < SIGHTINGS_MAX) return;
      const earlier = sightingBefore(all, SIGHTINGS_MAX);
      if (earlier === undefined) return;
      const ms = event.at - earlier.emittedAt;
      const isTroubled = facts.wasTroubledSince(earlier.emittedAt);
      if (ms > (isTroubled ? TROUBLED_SHORT_MS : SHORT_MS)) return;
      report(
        "hot-loop",
        `${event.ref} was handed out ${SIGHTINGS_MAX} times within ${ms} ms`,
        event.ref,
      );
    },
  },
};

/** Of what came as often as that, the first; what is nacked comes again as soon as the broker likes. */
function sightingBefore(copies: readonly CopyFacts[], times: number): CopyFacts | undefined {
  let left = times;
  for (let at = copies.length - 1; at >= 0; at -= 1) {
    if (isNackedRefusal(copies[at - 1] ?? NONE)) continue;
    left -= 1;
    if (left === 0) return copies[at];
  }
  return undefined;
}
