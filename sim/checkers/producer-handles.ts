import type { Checker } from "./checker.ts";
import type { ProducerFacts } from "./producer-facts.ts";

const FINAL_ACTS: ReadonlySet<string> = new Set(["ack", "nack", "terminate", "defer"]);

export const handlesAreUsedOnce: Checker<ProducerFacts> = {
  id: "G4",
  promise: "no delivery is settled twice, and none through a handle that is stale",
  on: {
    settle(event, facts, report) {
      if (!facts.isOurs(event.consumer) || !FINAL_ACTS.has(event.act)) return;
      const before = facts.finals.get(event.handle);
      if (before !== undefined && facts.upheavalAt < before && facts.troubledUntil < before) {
        report(`${event.ref} was settled twice through one delivery`, event.ref);
        return;
      }
      if (event.refused === "" || facts.upheavalAt >= 0 || facts.isTroubled) return;
      report(`${event.ref} was settled through a stale handle: ${event.refused}`, event.ref);
    },
  },
};

export const leasesAreKept: Checker<ProducerFacts> = {
  id: "G9",
  promise: "leases, locks and memberships are kept alive while events are outstanding",
  on: {
    lapsed(event, facts, report) {
      if (!facts.isOurs(event.consumer) || facts.wasTroubledSince(facts.now)) return;
      const copies = facts.records.get(event.ref)?.copies ?? [...facts.copies.values()];
      const isOutstanding = copies.some(
        ({ outcome, session }) =>
          outcome === undefined && !session.isDead && session.closingAt === undefined,
      );
      if (!isOutstanding) return;
      const what = event.ref === "" ? "the membership" : `the lease of ${event.ref}`;
      report(`${what} ended while it was outstanding`, event.ref || undefined);
    },
  },
};
