import type { Checker } from "../checker.ts";
import { NOT_OF_THE_HANDLE } from "./broker-errors.ts";
import type { ProducerFacts } from "./producer-facts.ts";
import type { CopyFacts, RecordFacts } from "./record-facts.ts";

const FINAL_ACTS: ReadonlySet<string> = new Set(["ack", "nack", "terminate", "defer"]);

/** Of these, what settles an event for good: what is held is given back, or left to itself. */
const SETTLING_ACTS: ReadonlySet<string> = new Set(["ack", "terminate"]);

/** A renewal and a settlement may pass each other on their way. */
const LET_GO_MS = 2_000;

export const handlesAreUsedOnce: Checker<ProducerFacts> = {
  id: "G4",
  promise: "no delivery is settled twice, and none through a handle that is stale",
  on: {
    settle(event, facts, report) {
      if (!facts.isOurs(event.consumer)) return;
      const before = facts.finals.get(event.handle);
      if (event.act === "extend" && before !== undefined && !isUpset(facts, before)) {
        const ms = event.at - before;
        if (ms <= LET_GO_MS) return;
        report(
          "extended-after-settled",
          `${event.ref} was still extended ${ms} ms after it was settled`,
          event.ref,
        );
      }
      if (!FINAL_ACTS.has(event.act)) return;
      if (before !== undefined && !isUpset(facts, before)) {
        report("settled-twice", `${event.ref} was settled twice through one delivery`, event.ref);
        return;
      }
      if (event.heldBy !== undefined) {
        const how = event.act === "nack" ? "given back" : "settled";
        const who = `while ${event.heldBy} had it on lease`;
        report(
          "settled-for-another",
          `${event.ref} was ${how} by a claim that had ended, ${who}`,
          event.ref,
        );
        return;
      }
      if (event.refused === "" || NOT_OF_THE_HANDLE.has(event.refused)) return;
      if (!SETTLING_ACTS.has(event.act) || !isHandleFresh(facts, event.ref)) return;
      report(
        "settled-by-stale-handle",
        `${event.ref} was settled through a stale handle: ${event.refused}`,
        event.ref,
      );
    },
  },
};

/**
 * Whether the newest handle of a record must still be good when it is settled: whoever is refused
 * then has settled through an older one. It need not be good when (1) an earlier copy may be what
 * is settled, by its own handle: it is outstanding, or was not held; (2) a delivery waits in the
 * client's buffer, so that what is settled may be of another one; (3) a rival had it, or something
 * has happened since it was delivered that ends handles: it was settled or given back, or another
 * one of its ordering unit was given back; a lease that lapsed, a fault, a new session.
 */
function isHandleFresh(facts: ProducerFacts, ref: string): boolean {
  const record = facts.records.get(ref);
  const newest = record?.copies.at(-1);
  if (record === undefined || newest === undefined || newest.decision === undefined) return false;
  if (record.isExpired || record.settledByRival) return false;
  const { deliveredAt, emittedAt } = newest;
  if (deliveredAt === -1 || deliveredAt !== record.deliveredAt) return false;
  if (record.finalAt >= deliveredAt || isGivenBackSince(facts, record.unit, deliveredAt)) {
    return false;
  }
  const others = record.copies.slice(0, -1);
  if (newest.decision === "hold") return false;
  if (others.some((other) => other.session.diedAt === undefined && !isHeldBefore(other, emittedAt)))
    return false;
  return !isUpset(facts, deliveredAt) && facts.disturbedUntil < deliveredAt && !facts.isTroubled;
}

/** Whether a record of the same ordering unit was given back, and the later ones with it. */
function isGivenBackSince({ givenBackAt }: ProducerFacts, unit: string, since: number): boolean {
  return unit !== "" && (givenBackAt.get(unit) ?? -1) >= since;
}

function isHeldBefore({ decision, resolvedAt }: CopyFacts, at: number): boolean {
  return decision === "hold" && resolvedAt <= at;
}

/** Whether something happened since that makes repeating oneself natural. */
function isUpset({ lastDisruptionAt, troubledUntil }: ProducerFacts, since: number): boolean {
  return lastDisruptionAt >= since || troubledUntil >= since;
}

/**
 * How long a membership lasts without a heartbeat, at most. The one that ends may be another than
 * the producer has by now: 1. a fault duplicates its request to join; 2. the consumer goes on with
 * one of the two memberships; 3. the other one ends a session later, when the trouble is over.
 */
const SESSION_MS_MAX = 60_000;

export const leasesAreKept: Checker<ProducerFacts> = {
  id: "G9",
  promise: "leases, locks and memberships are kept alive while events are outstanding",
  on: {
    lapsed(event, facts, report) {
      const silentSince = facts.now - (event.ref === "" ? SESSION_MS_MAX : 0);
      if (!facts.isOurs(event.consumer) || facts.wasTroubledSince(silentSince)) return;
      const record = facts.records.get(event.ref);
      const copies = record?.copies ?? [...facts.copies.values()];
      if (!copies.some((copy) => isOutstanding(copy) && mayBeNewest(copy, record))) return;
      const what = event.ref === "" ? "the membership" : `the lease of ${event.ref}`;
      report(
        "lease-ended-outstanding",
        `${what} ended while it was outstanding`,
        event.ref || undefined,
      );
    },
  },
};

function isOutstanding({ outcome, session }: CopyFacts): boolean {
  return outcome === undefined && session.diedAt === undefined && session.closingAt === undefined;
}

/**
 * Whether a lease that ends may be that of this copy: the broker may have delivered the record once
 * more, early, and that delivery may have got lost. The handle of the copy is stale then, and
 * nobody holds the one that could be extended.
 */
function mayBeNewest({ deliveredAt }: CopyFacts, record: RecordFacts | undefined): boolean {
  return record === undefined || deliveredAt === -1 || deliveredAt === record.deliveredAt;
}
