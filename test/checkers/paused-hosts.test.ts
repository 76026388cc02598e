import { describe, expect, test } from "vitest";
import { CheckerRunner, createCheckers, StreamFacts } from "../../sim/checkers/mod.ts";
import type { StreamEvent, TraceEvent, WorldEvent } from "../../sim/trace/trace.ts";

const KEY = '"orders"';
const BEGUN_AT = 1_000;
const RESUMED_AT = 1_500;
const PAUSED: WorldEvent = { kind: "host", state: "pause", incarnation: 1, until: RESUMED_AT };
const FORCE_FAILED: StreamEvent = {
  ...{ kind: "force-failed", trigger: 7, key: KEY, reason: "ackTimeout", failure: 1 },
};

/** A subscriber of a stream waits, and an event is broadcast to it. */
function waiting(isAck: boolean): readonly StreamEvent[] {
  return [
    { kind: "manager", maxSubscriberQueue: 2, ackTimeoutMs: 10_000, graceMs: 0, strict: false },
    { kind: "subscribe", sub: 1, trigger: 7, key: KEY },
    { kind: "open", key: KEY, poll: 2, ack: isAck },
    ...(isAck ? [] : ([{ kind: "visit", sub: 1 }] as const)),
    { kind: "pull", sub: 1 },
    { kind: "emit", poll: 2, copy: 3, ref: "r3" },
    ...(isAck ? ([{ kind: "fan-out", poll: 2, copy: 3, lane: "undefined" }] as const) : []),
  ];
}

/** Returns which promises are broken when the host does nothing more until `at`. */
function brokenBy(events: readonly (StreamEvent | WorldEvent)[], at: number): readonly string[] {
  const runner = new CheckerRunner(createCheckers(), new StreamFacts());
  for (const event of events) runner.observe({ at: BEGUN_AT, host: "runner", ...event });
  const rest: readonly TraceEvent[] = [BEGUN_AT + 1, at, at + 1].map((then) => ({
    ...{ at: then, host: "broker", kind: "published", ref: `r${then}`, key: "key-1" },
  }));
  for (const event of rest) runner.observe(event);
  return runner.violations.map(({ checker, symptom }) => `${checker} ${symptom}`);
}

describe.each([
  ["with acknowledgements", true, "I12 not-woken"],
  ["without acknowledgements", false, "I19 not-woken"],
] as const)("an event of a stream %s, of which nothing is seen", (_, isAck, broken) => {
  test("breaks a promise at once", () => {
    expect(brokenBy(waiting(isAck), RESUMED_AT)).toEqual([broken]);
  });

  test("breaks none as long as the host is paused", () => {
    expect(brokenBy([...waiting(isAck), PAUSED], RESUMED_AT - 1)).toEqual([]);
  });

  test("breaks one in the millisecond in which the pause ends", () => {
    expect(brokenBy([...waiting(isAck), PAUSED], RESUMED_AT)).toEqual([broken]);
  });
});

test("an event that a filter has in hand when its stream fails need not be seen", () => {
  const broken = brokenBy([...waiting(true), FORCE_FAILED], RESUMED_AT);
  expect(broken).not.toContain("I12 not-woken");
});
