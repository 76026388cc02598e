import type { ProducerFacts } from "./producer-facts.ts";
import type { CopyFacts } from "./record-facts.ts";

/** Whether the record of a copy may come again, because this copy was given back as it may be. */
export function isGivenBackRightly(copy: CopyFacts): boolean {
  const { decision, isNacked } = copy;
  if (decision === "hold") return true;
  if (isDeadLettered(copy)) return false;
  return decision === "refuse-or-hold" || isNackedRefusal({ decision, isNacked });
}

/**
 * Whether its record was dead-lettered for it: not for a copy that came again after it, nor before
 * it was handed out: 1. the record is rejected; 2. its dead letter is taken, and the reply is lost;
 * 3. it comes again; 4. one subscriber rejects it, and another one fails.
 */
function isDeadLettered({ number, emittedAt, record }: CopyFacts): boolean {
  const { deadLetteredAt, copies } = record;
  if (deadLetteredAt === undefined || emittedAt > deadLetteredAt) return false;
  return copies.every((other) => other.number <= number || other.emittedAt > deadLetteredAt);
}

/** Whether it was rejected, and nacked as the table allows it. */
export function isNackedRefusal({
  decision,
  isNacked,
}: Pick<CopyFacts, "decision" | "isNacked">): boolean {
  return isNacked && isRefusal(decision);
}

/** Whether it was rejected, where the table leaves it to the producer to refuse it. */
function isRefusal(decision: CopyFacts["decision"]): boolean {
  return decision === "refuse" || decision === "refuse-or-hold";
}

/** Whether a dead letter is right for it. */
export function mayBeDeadLettered({ decision }: Pick<CopyFacts, "decision">): boolean {
  return decision === "dead-letter" || isRefusal(decision);
}

/**
 * Whether what comes after a copy had been delivered before that one was resolved: 1. the producer
 * puts a failed record into a queue from which it comes again; 2. its connection ends before it has
 * settled the delivery, which comes again, too; 3. both are delivered; 4. the first is done with
 * while the second waits its turn. Or the one in the queue is not delivered yet.
 */
export function wasUnderWay(copy: CopyFacts): boolean {
  const { record, resolvedAt } = copy;
  const { deliveries, deliveredAt, copies } = record;
  return (deliveries > copies.length && deliveredAt <= resolvedAt) || mayHaveTwin(copy);
}

/**
 * Returns when the delivery that a copy was made of reached the producer; if that is not known,
 * when the copy was handed out. What ends the delivery may happen in between: 1. a record is
 * delivered; 2. the broker crashes, and nobody tells its peers; 3. the record fails, and is handed
 * out again from memory; 4. it is acknowledged on a connection that the broker does not know any
 * more; 5. it comes again.
 */
export function holdsSince({ deliveredAt, emittedAt }: CopyFacts): number {
  return deliveredAt === -1 ? emittedAt : deliveredAt;
}

/** Whether something has happened since that may end a delivery, or keep it from being settled. */
export function wasUpsetSince(facts: ProducerFacts, since: number): boolean {
  return wasDisruptedSince(facts, since) || facts.wasTroubledSince(since);
}

/** Whether something has happened since that may end a delivery. */
export function wasDisruptedSince(
  { lastDisruptionAt, disturbedUntil }: ProducerFacts,
  since: number,
): boolean {
  return lastDisruptionAt >= since || disturbedUntil >= since;
}

/** How long after an outcome a producer may still be at work on it. */
const AT_WORK_MS = 2_000;

/**
 * Whether the copy is the next one after a copy that an earlier producer held, which was closed or
 * killed before it had settled that delivery: what it put into the queue comes as well, once. Or
 * there are several messages of its record, each of which is settled for itself.
 */
export function mayHaveTwin(copy: CopyFacts): boolean {
  const { copies, isCopied } = copy.record;
  if (isCopied) return true;
  const held = copies[copies.indexOf(copy) - 1];
  if (held?.decision !== "hold" || held.session === copy.session) return false;
  const { closingAt, diedAt } = held.session;
  return (closingAt ?? diedAt ?? Infinity) <= held.resolvedAt + AT_WORK_MS;
}

/**
 * Whether a producer that has ended in order was to settle a copy and did not, though nothing was
 * in the way: 1. subscribers accept a record; 2. advance notes that, and returns; 3. the notes are
 * sent now and then, and the end comes before; 4. the next producer gets the record again. Behind
 * a record of its lane that has to come again, a cumulative broker cannot settle it.
 */
export function isLeftUnsettled(facts: ProducerFacts, copy: CopyFacts): boolean {
  const { session, lane, decision, record, passedAt } = copy;
  const { closedAt, diedAt, upsetUntil = Number.POSITIVE_INFINITY } = session;
  if (closedAt === undefined || diedAt !== undefined || decision !== "settle") return false;
  // What nobody answers may have been on its way still.
  if (record.settledAt !== undefined || passedAt === -1 || !facts.confirms) return false;
  if (holdsSince(copy) <= upsetUntil || wasUnderWay(copy)) return false;
  if (facts.disturbedUntil >= closedAt || facts.wasTroubledSince(closedAt)) return false;
  return [...facts.copies.values()].every(
    (other) => other.session !== session || other.lane !== lane || isDoneWith(other),
  );
}

/** Whether nothing was owed for it any more, whatever became of its record when it came again. */
function isDoneWith(copy: CopyFacts): boolean {
  return copy.decision === "settle" || isDeadLettered(copy);
}
