import type { Breach } from "../../trace/producer-events.ts";
import type { Checker } from "../checker.ts";
import { breachWords } from "./breach-words.ts";
import type { ProducerFacts } from "./producer-facts.ts";
import type { SessionFacts } from "./record-facts.ts";

/** How long an aclose may take when the broker replies. */
const CLOSE_MS_MAX = 60_000;

export const resourcesAreReleased: Checker<ProducerFacts> = {
  id: "G6",
  promise: "aclose releases connections and background work, also when the stream never opened",
  on: {
    "still-open"(event, facts, report) {
      if (event.timers === 0 && endsByItself(event.at, facts)) return;
      const { what, timers } = event;
      // At the end of the run; an aclose that waits still explains what is left.
      if (timers > 0 && hangingIn(facts, event.at).length > 0) return;
      const left = timers === 0 ? what : [...what, timerWords(timers)];
      report("left-open", `still open after the producer's end: ${left.join(", ")}`);
    },
    "client-call"(event, facts, report) {
      const session = facts.sessions.get(event.poll);
      if (session === undefined || session.diedAt !== undefined || session.closedAt === undefined)
        return;
      if (endsByItself(event.at, facts)) return;
      report(
        "client-active-after-aclose",
        `the client was still at work (${event.site}) after aclose had returned`,
      );
    },
    breach({ breach }, _facts, report) {
      if (breach.what === "aclose-threw") report(breach.what, breachWords(breach));
    },
  },
  onEnd(facts, report) {
    for (const { poll, ms } of hangingIn(facts, facts.now)) {
      report("aclose-hangs", `aclose of poll ${poll} did not return within ${ms} ms`);
    }
  },
};

/** The polls whose aclose has not returned for too long, and for how long. */
function hangingIn(
  { sessions }: ProducerFacts,
  now: number,
): { readonly poll: number; readonly ms: number }[] {
  return [...sessions.values()].flatMap(({ poll, closingAt, closedAt, diedAt }) => {
    if (diedAt !== undefined || closingAt === undefined || closedAt !== undefined) return [];
    const ms = now - closingAt;
    return ms < CLOSE_MS_MAX ? [] : [{ poll, ms }];
  });
}

/**
 * Whether a library may at this time end by itself what its user has closed: 1. the broker refuses
 * to serve the client; 2. the library closes, and waits for the calls under way; 3. its user closes
 * it as well, which resolves at once, because it is closing already.
 */
function endsByItself(at: number, { refusedUntil }: ProducerFacts): boolean {
  return refusedUntil >= at;
}

function timerWords(timers: number): string {
  return `${timers} timer${timers === 1 ? "" : "s"} that nobody cleared`;
}

export const lanesAreCoarseEnough: Checker<ProducerFacts> = {
  id: "G7",
  promise: "a lane is at least as coarse as what one settlement reaches",
  on: {
    "fan-out"(event, facts, report) {
      const copy = facts.copies.get(event.copy);
      if (copy === undefined || copy.record.unit === "") return;
      for (const other of facts.copies.values()) {
        if (other.session !== copy.session || other.lane === undefined) continue;
        if (other.record.unit !== copy.record.unit || other.lane === event.lane) continue;
        const { ref } = copy.record;
        const lanes = `lanes ${other.lane} and ${event.lane}`;
        report(
          "unit-in-two-lanes",
          `${other.record.ref} and ${ref} of ${copy.record.unit} are in ${lanes}`,
          ref,
        );
        return;
      }
    },
  },
};

export const onlyTheFatalThrows: Checker<ProducerFacts> = {
  id: "G10",
  promise: "advance and the stream throw only for what is fatal to the whole group",
  on: {
    advanced(event, facts, report) {
      const session = facts.sessions.get(event.poll);
      if (event.ok || session?.advance === undefined || session.diedAt !== undefined) return;
      if (facts.wasTroubledSince(session.advance.at)) return;
      const ref = session.advance.copies[0]?.record.ref;
      report(
        "advance-threw",
        `advance of poll ${event.poll} threw (${session.error ?? "?"}) although the broker was there: every sibling restarts`,
        ref,
      );
    },
    "poll-ended"(event, facts, report) {
      const session = facts.sessions.get(event.poll);
      if (event.how !== "threw" || session === undefined || isExcused(session, facts)) return;
      report(
        "stream-threw",
        `the stream of poll ${event.poll} threw (${session.error ?? "?"}) although the broker was there: every sibling restarts`,
      );
    },
  },
};

function isExcused(session: SessionFacts, facts: ProducerFacts): boolean {
  if (session.diedAt !== undefined || session.closingAt !== undefined) return true;
  return facts.wasTroubledSince(facts.now);
}

/** How long a stream may take to end, and more. */
const ABORT_MS = 60_000;

export const mannersAreKept: Checker<ProducerFacts> = {
  id: "contract",
  promise: "a producer keeps the contract of the interface",
  on: {
    breach({ at, breach, ref }, facts, report) {
      if (OF_OTHER_PROMISES.has(breach.what)) return;
      // A call that waits for a reply of the broker cannot end before the reply arrives.
      const isExcusable = breach.what === "stream-not-ended";
      if (isExcusable && facts.wasTroubledSince(at - ABORT_MS)) return;
      report(breach.what, breachWords(breach), ref || undefined);
    },
    "poll-ended"(event, facts, report) {
      if (event.how !== "returned") return;
      const session = facts.sessions.get(event.poll);
      if (session === undefined || session.diedAt !== undefined || session.closingAt !== undefined)
        return;
      report(
        "stream-ended",
        "the stream ended by itself: it must yield for the lifetime of the group, or throw",
      );
    },
    "lane-failed"(_event, _facts, report) {
      report(
        "lane-failed",
        "getAdvanceLane threw, or gave something that cannot be compared by value",
      );
    },
  },
};

/** Breaches that other promises report. */
const OF_OTHER_PROMISES: ReadonlySet<Breach["what"]> = new Set([
  "aclose-threw",
  "unhandled-rejection",
  "spinning",
  "asked-at-once",
]);

export const nothingIsUnhandled: Checker<ProducerFacts> = {
  id: "unhandled",
  promise: "every promise that a producer starts is awaited, or its failure handled",
  on: {
    breach({ breach }, _facts, report) {
      if (breach.what === "unhandled-rejection") report(breach.what, breachWords(breach));
    },
  },
};
