import type { Checker, Report } from "../checker.ts";
import {
  holdsSince,
  isGivenBackRightly,
  isNackedRefusal,
  mayBeDeadLettered,
  mayHaveTwin,
  wasDisruptedSince,
  wasUnderWay,
  wasUpsetSince,
} from "./given-back.ts";
import type { ProducerFacts } from "./producer-facts.ts";
import type { CopyFacts, RecordFacts } from "./record-facts.ts";

/** What a settled record was at that instant, seen through all its copies. */
type Standing = "owed-nothing" | "held" | "unresolved" | "unread" | "not-dead-lettered";

/**
 * One good copy is enough, whatever happens to later copies.
 */
function standingOf(record: RecordFacts): Standing {
  const decisions = record.copies.map(({ decision }) => decision);
  if (decisions.includes("settle")) return "owed-nothing";
  if (record.copies.some(mayBeDeadLettered)) {
    return record.deadLetteredAt === undefined ? "not-dead-lettered" : "owed-nothing";
  }
  if (decisions.includes("hold")) return "held";
  if (record.copies.length > 0) return "unresolved";
  return record.isGarbled ? "owed-nothing" : "unread";
}

function outcomeWords({ outcome }: CopyFacts): string {
  if (outcome === undefined) return "nothing yet";
  const { acked, failed, rejected } = outcome;
  return `${acked} acked, ${failed} failed, ${rejected} rejected`;
}

/** Whether the settlement that is being judged names this very record, or reaches it from afar. */
function onSettled(
  facts: ProducerFacts,
  event: { readonly ref: string; readonly consumer: string },
  judge: (record: RecordFacts, standing: Standing) => void,
): void {
  if (!facts.isOurs(event.consumer)) return;
  const record = facts.records.get(event.ref);
  if (record === undefined || record.isExpired || record.settledByRival) return;
  if (record.settledAt !== undefined) return;
  judge(record, standingOf(record));
}

export const heldIsNotSettled: Checker<ProducerFacts> = {
  id: "G1",
  promise: "an event that failed, or that nobody took, is not settled",
  on: {
    settled(event, facts, report) {
      onSettled(facts, event, (record, standing) => {
        if (standing !== "held") return;
        const last = record.copies.findLast(({ outcome }) => outcome !== undefined) as CopyFacts;
        report(
          "settled-against-outcome",
          `${record.ref} was settled, though its outcome was ${outcomeWords(last)}`,
          event.ref,
        );
      });
    },
  },
};

export const commitPassesNothing: Checker<ProducerFacts> = {
  id: "G2",
  promise: "a settlement never passes an event that is held or not resolved yet",
  on: {
    settled(event, facts, report) {
      onSettled(facts, event, (record, standing) => {
        if (standing === "unresolved") {
          report(
            "settled-outstanding",
            `${record.ref} was settled while it was still outstanding`,
            event.ref,
          );
        } else if (standing === "unread") {
          report(
            "settled-unread",
            `${record.ref} was settled before it was ever handed out`,
            event.ref,
          );
        }
      });
    },
  },
};

export const rejectedIsDeadLettered: Checker<ProducerFacts> = {
  id: "G3",
  promise: "exactly the rejected events are dead-lettered, durably, before they are settled",
  on: {
    settled(event, facts, report) {
      onSettled(facts, event, (record, standing) => {
        if (standing !== "not-dead-lettered") return;
        report(
          "rejected-not-dead-lettered",
          `${record.ref} was rejected and settled, but is in no dead-letter queue`,
          event.ref,
        );
      });
    },
    emit(event, facts, report) {
      const record = facts.records.get(event.ref);
      if (record === undefined || !isRejectedInVain(facts, record, event.poll)) return;
      report(
        "rejected-redelivered",
        `${event.ref} was rejected, not dead-lettered, and handed out again`,
        event.ref,
      );
    },
    "dead-lettered"(event, facts, report) {
      const record = facts.records.get(event.ref);
      if (record === undefined) return;
      judgeDeadLetter(facts, record, report);
    },
    "dead-letter-dropped"(event, facts, report) {
      const record = facts.records.get(event.ref);
      if (record === undefined || !record.copies.some(mayBeDeadLettered)) return;
      report(
        "dead-letter-dropped",
        `${event.ref} was rejected, and its dead-letter queue has dropped it unread`,
        event.ref,
      );
    },
  },
};

/**
 * Whether this producer gave a rejected record back, so that everybody gets it again, those
 * included who were content. Behind a held event of its lane it has to come again, and after a
 * disruption it may.
 */
function isRejectedInVain(facts: ProducerFacts, record: RecordFacts, poll: number): boolean {
  const last = record.copies.findLast(({ outcome }) => outcome !== undefined);
  if (last === undefined || !mayBeDeadLettered(last)) return false;
  if (record.deadLetteredAt !== undefined || isGivenBackRightly(last)) return false;
  if (last.session.poll !== poll || wasUnderWay(last)) return false;
  // Among these is a dead-letter queue that itself refuses: then holding it is right.
  if (wasUpsetSince(facts, holdsSince(last))) return false;
  return [...facts.copies.values()].every(
    (copy) => copy.session !== last.session || copy.lane !== last.lane || !isGivenBackRightly(copy),
  );
}

function judgeDeadLetter(facts: ProducerFacts, record: RecordFacts, report: Report): void {
  const { ref, copies, deadLetteredAt, isGarbled } = record;
  if (isGarbled && copies.length === 0) return;
  if (!copies.some(mayBeDeadLettered)) {
    const last = copies.findLast(({ outcome }) => outcome !== undefined);
    const why = last === undefined ? "no outcome yet" : outcomeWords(last);
    report(
      "dead-lettered-against-outcome",
      `${ref} was dead-lettered, though its outcome was ${why}`,
      ref,
    );
    return;
  }
  // At-least-once is what a dead-letter queue gets, too: 1. the record is written there; 2. the
  // commit past it fails, or the host dies; 3. the record is read again; 4. and written again.
  if (deadLetteredAt === undefined || facts.lastDisruptionAt >= deadLetteredAt) return;
  if (facts.troubledUntil >= deadLetteredAt) return;
  // A rival that joined earlier, or an earlier producer that was closed late and has left: the
  // consumer learns of it only from its next heartbeat.
  if (Math.max(facts.disturbedUntil, facts.leftUntil) >= deadLetteredAt) return;
  // Both copies were under way already: each of them is settled for itself.
  const early = copies.filter(
    (copy) => mayBeDeadLettered(copy) && copy.emittedAt <= deadLetteredAt,
  );
  if (early.length > 1 || early.some(mayHaveTwin)) return;
  // The delivery may have ended before, without the producer knowing of it, so that it comes again.
  // A call that failed ends none.
  if (early.some((copy) => wasDisruptedSince(facts, holdsSince(copy)))) return;
  report(
    "dead-lettered-twice",
    `${ref} was dead-lettered twice, and nothing had gone wrong in between`,
    ref,
  );
}

/**
 * Within one ordering unit records are settled in order: a FIFO group, a session, an ordering key,
 * a partition. Three kinds of earlier records are not in the way.
 *
 * One whose settlement is under way with that of the next: (1) subscribers accept both; (2) one
 * call settles both, and the broker takes the second only; (3) the first is settled by a retry.
 * And one that was not handed out: (1) the broker delivers it; (2) the reply is lost; (3) the next
 * one comes, and nobody knows of the first. And one that was rejected, and nacked where that is
 * allowed: it is refused each time it comes.
 *
 * One that an earlier advance was to settle, and did not, is in the way: (1) subscribers accept it;
 * (2) the broker refuses to delete it, or the call fails; (3) the producer swallows that, and its
 * advance ends as if all were well; (4) the next one is deleted by the next advance; (5) the first
 * one comes again, behind its successor. Only a broker that confirms no settlement excuses it.
 */
export const settledInOrder: Checker<ProducerFacts> = {
  id: "order",
  promise: "of one ordering unit nothing is settled before an earlier event that is still owed",
  on: {
    settled(event, facts, report) {
      onSettled(facts, event, (record) => {
        const { unit } = record;
        if (unit === "") return;
        const earlier = facts.earlierOf(record);
        const owed = earlier.find((one) => isInTheWay(one) || isGivenUp(facts, one, record));
        if (owed === undefined) return;
        const why = OWED_WORDS[standingOf(owed)];
        const what = `${record.ref} was settled before ${owed.ref}, which comes before it in ${unit}`;
        report("settled-out-of-order", `${what} and ${why}`, event.ref);
      });
    },
  },
};

const OWED_WORDS: Readonly<Record<Standing, string>> = {
  "owed-nothing": "was accepted, but is not settled",
  held: "failed, so that it has to come again",
  unresolved: "is outstanding",
  unread: "was not handed out",
  "not-dead-lettered": "was rejected, and is in no dead-letter queue",
};

function isInTheWay(record: RecordFacts): boolean {
  const { settledAt, deadLetteredAt, isExpired, copies, deliveries } = record;
  if (settledAt !== undefined || deadLetteredAt !== undefined || isExpired) return false;
  // It came again, and its delivery was lost on the way: nobody knows of it.
  if (copies.length < deliveries) return false;
  const resolved = record.copies.findLast(({ outcome }) => outcome !== undefined);
  if (resolved !== undefined && isNackedRefusal(resolved)) return false;
  return record.copies.length >= record.deliveries && standingOf(record) !== "owed-nothing";
}

/** Whether an advance that was to settle `record` was over, in vain, before that of `later`. */
function isGivenUp(facts: ProducerFacts, record: RecordFacts, later: RecordFacts): boolean {
  const { settledAt, deadLetteredAt, isExpired, copies, deliveries } = record;
  if (settledAt !== undefined || deadLetteredAt !== undefined || isExpired) return false;
  // It came again, and its delivery was lost on the way: nobody knows of it.
  if (copies.length < deliveries) return false;
  const first = later.copies.find(({ outcome }) => outcome !== undefined);
  if (!facts.confirms || first === undefined) return false;
  // It came again, and the call that settles both may settle it by its newer copy.
  const isUnderWay = copies.some(({ decision, passedAt }) => decision === "settle" && passedAt < 0);
  if (isUnderWay) return false;
  return copies.some(
    ({ decision, passedAt, session }) =>
      decision === "settle" &&
      passedAt !== -1 &&
      passedAt <= first.resolvedAt &&
      session === first.session,
  );
}

/**
 * Whether a request of a producer whose stream has ended may be what arrives. Nobody can call it
 * back: 1. a checkpoint is asked for, and the request is lost; 2. the last subscriber leaves, and
 * the end waits for the library, which tries again; 3. the next producer gets further meanwhile;
 * 4. the store, which knows no fence, takes the old request.
 */
function mayBeOfEnded(facts: ProducerFacts): boolean {
  return [...facts.sessions.values()].some(
    ({ endedAt, closedAt, diedAt }) =>
      endedAt !== undefined &&
      closedAt === undefined &&
      diedAt === undefined &&
      facts.wasTroubledSince(endedAt),
  );
}

export const positionsOnlyGrow: Checker<ProducerFacts> = {
  id: "G5",
  promise: "a committed position never moves backwards",
  on: {
    settle(event, facts, report) {
      const mark = event.handle.lastIndexOf("@");
      if (event.act !== "commit" || event.refused !== "" || mark === -1) return;
      const unit = event.handle.slice(0, mark);
      const position = BigInt(event.handle.slice(mark + 1));
      const before = facts.positions.get(unit);
      if (position < 0n) return;
      if (!facts.isOurs(event.consumer) || before === undefined || position >= before) return;
      if (mayBeOfEnded(facts)) return;
      report(
        "position-went-back",
        `${unit} was committed at ${position}, after ${before}`,
        event.ref,
      );
    },
  },
};
