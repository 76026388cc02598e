import type { Checker } from "../checker.ts";
import type { ProducerFacts } from "./producer-facts.ts";

const FINAL_ACTS: ReadonlySet<string> = new Set(["ack", "nack", "terminate", "defer"]);

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
      if (event.refused === "" || facts.lastDisruptionAt >= 0 || facts.isTroubled) return;
      report(
        "settled-by-stale-handle",
        `${event.ref} was settled through a stale handle: ${event.refused}`,
        event.ref,
      );
    },
  },
};

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
      const copies = facts.records.get(event.ref)?.copies ?? [...facts.copies.values()];
      const isOutstanding = copies.some(
        ({ outcome, session }) =>
          outcome === undefined && !session.isDead && session.closingAt === undefined,
      );
      if (!isOutstanding) return;
      const what = event.ref === "" ? "the membership" : `the lease of ${event.ref}`;
      report(
        "lease-ended-outstanding",
        `${what} ended while it was outstanding`,
        event.ref || undefined,
      );
    },
  },
};
