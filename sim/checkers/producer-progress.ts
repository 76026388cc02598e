import type { Checker } from "./checker.ts";
import type { ProducerFacts, RecordFacts } from "./producer-facts.ts";

function isOwed({ settledAt, isExpired, deadLetteredAt, copies }: RecordFacts): boolean {
  if (isExpired || settledAt !== undefined) return false;
  return deadLetteredAt === undefined || copies.length > 0;
}

/** Whether the last word about the record was that it has to come again. */
function isHeld({ copies }: RecordFacts): boolean {
  const last = copies.at(-1);
  return last !== undefined && last.decision === "hold";
}

export const heldComesBack: Checker<ProducerFacts> = {
  id: "G8",
  promise: "a held event comes back within bounded time, in this session",
  onEnd(facts, report) {
    for (const record of facts.records.values()) {
      if (!isOwed(record)) continue;
      if (isHeld(record)) {
        report(`${record.ref} was held and never came back`, record.ref);
      } else if (record.copies.every(({ session }) => session.isDead || session.closedAt)) {
        const what = record.copies.length === 0 ? "was never handed out" : "never came back";
        report(`${record.ref} ${what}, although all had calmed down`, record.ref);
      }
    }
  },
};

export const doneIsSettled: Checker<ProducerFacts> = {
  id: "progress",
  promise: "an event that everybody has done with is settled in the end",
  onEnd(facts, report) {
    for (const record of facts.records.values()) {
      if (!isOwed(record) || isHeld(record)) continue;
      const last = record.copies.at(-1);
      if (last?.outcome === undefined) continue;
      report(`${record.ref} was resolved and is still not settled`, record.ref);
    }
  },
};

/** How often one record may come again in a short time. */
const SIGHTINGS_MAX = 40;
const SHORT_MS = 5_000;

export const nothingSpins: Checker<ProducerFacts> = {
  id: "hot-loop",
  promise: "a held event is not read again and again at full speed",
  on: {
    emit(event, facts, report) {
      const copies = facts.records.get(event.ref)?.copies ?? [];
      const earlier = copies.at(-SIGHTINGS_MAX);
      if (earlier === undefined || event.at - earlier.emittedAt > SHORT_MS) return;
      const ms = event.at - earlier.emittedAt;
      report(`${event.ref} was handed out ${SIGHTINGS_MAX} times within ${ms} ms`, event.ref);
    },
  },
};
