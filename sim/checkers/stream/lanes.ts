import type { Checker } from "../checker.ts";
import { type CopyFacts, isSure, type PollFacts } from "./fact-shapes.ts";

/** I5: what a lane's batches hold, put together, is the lane's fan-out order without a gap. */
export const lanesKeepOrder: Checker = {
  id: "I5",
  promise: "per lane, batches are a gap-free, duplicate-free prefix of the fan-out order",
  on: {
    advance(event, facts, report) {
      const poll = facts.polls.get(event.poll);
      const taken = new Map<string, number>();
      for (const [number] of event.items) {
        const copy = facts.copies.get(number);
        if (copy === undefined || poll === undefined) continue;
        const at = taken.get(copy.lane) ?? 0;
        const due = poll.lanes.get(copy.lane)?.[at];
        taken.set(copy.lane, at + 1);
        if (due === copy || due === undefined) continue;
        report(
          "advanced-out-of-order",
          `lane ${copy.lane}: event ${copy.ref} was advanced, but ${due.ref} is before it`,
          copy.ref,
        );
      }
    },
  },
};

/** I6: at most one advance at a time. */
export const oneAdvanceAtATime: Checker = {
  id: "I6",
  promise: "at most one advance() is awaited at any time in a group",
  on: {
    advance(event, facts, report) {
      if (facts.polls.get(event.poll)?.isInFlight !== true) return;
      report("advance-overlaps", "an advance began while another was in flight");
    },
  },
};

/** I7: a batch is not empty, of one lane, and as long as it can be. */
export const batchesAreWhole: Checker = {
  id: "I7",
  promise: "a batch is non-empty, of one lane, and the maximal resolved prefix when it is taken",
  on: {
    advance(event, facts, report) {
      const copies = event.items.map(([number]) => facts.copies.get(number));
      const first = copies[0];
      if (event.items.length === 0) report("empty-batch", "an empty batch was advanced");
      if (first === undefined) return;
      if (copies.some((copy) => copy !== undefined && copy.lane !== first.lane)) {
        report("batch-mixes-lanes", `one batch holds lane ${first.lane} and another`);
        return;
      }
      const next = first.poll.lanes.get(first.lane)?.[copies.length];
      if (next !== undefined && next.pending === 0 && isSure(next)) {
        report(
          "batch-not-maximal",
          `lane ${first.lane}: the batch left out ${next.ref}, which was resolved`,
        );
      }
    },
  },
};

/** I8: once is enough. */
export const advancedOnce: Checker = {
  id: "I8",
  promise: "an event is handed to advance at most once",
  on: {
    advance(event, facts, report) {
      if (!facts.polls.has(event.poll)) return;
      const seen = new Set<number>();
      for (const [number] of event.items) {
        if (!facts.copies.has(number) || seen.has(number)) {
          report(
            "advanced-not-outstanding",
            `copy ${number} was advanced although it was not outstanding`,
          );
        }
        seen.add(number);
      }
    },
  },
};

/** I10: a resolved head waits for no other lane. */
export const lanesDoNotWait: Checker = {
  id: "I10",
  promise: "a lane with a resolved head never waits for another lane's unresolved head",
  onQuiet(facts, report) {
    for (const poll of facts.readyPolls) {
      const blocked = otherLaneHead(poll);
      if (poll.group.ended !== undefined || blocked === undefined) continue;
      report(
        "lane-waits-for-other",
        `lane ${[...poll.ready].join(", ")} is resolved and waits; ${blocked.ref} is not`,
      );
    }
  },
};

/** I21: no lost wakeup. */
export const noLostWakeup: Checker = {
  id: "I21",
  promise: "at rest no lane has a resolved head, unless an advance is in flight",
  onQuiet(facts, report) {
    for (const poll of facts.readyPolls) {
      if (poll.group.ended !== undefined || otherLaneHead(poll) !== undefined) continue;
      report(
        "resolved-not-advanced",
        `lane ${[...poll.ready].join(", ")} is resolved, and nobody advances it`,
      );
    }
  },
};

function otherLaneHead(poll: PollFacts): CopyFacts | undefined {
  for (const [name, lane] of poll.lanes) {
    const head = lane[0];
    if (!poll.ready.has(name) && head !== undefined && head.pending > 0) return head;
  }
  return undefined;
}

/** I24: a failed advance is the last. */
export const failedAdvanceIsLast: Checker = {
  id: "I24",
  promise: "after one advance() threw, advance is never called again on that group",
  on: {
    advance(event, facts, report) {
      if (facts.polls.get(event.poll)?.hasFailedAdvance !== true) return;
      report("advanced-after-failure", "advance was called again after it had failed");
    },
  },
};
