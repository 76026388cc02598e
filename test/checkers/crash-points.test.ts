import { expect, test } from "vitest";
import { CrashPointCounter, StreamFacts } from "../../sim/checkers/mod.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

type Act = readonly [at: number, host: string, body: TraceBody];

const MANAGER: Act = [
  0,
  "runner-1",
  { kind: "manager", maxSubscriberQueue: 2, ackTimeoutMs: 10_000, graceMs: 0, strict: false },
];

/** How often a trace hits a crash point. */
function hitsOf(point: string, acts: readonly Act[]): number {
  const facts = new StreamFacts();
  const counter = new CrashPointCounter();
  for (const [at, host, body] of [MANAGER, ...acts]) {
    const event = { at, host, ...body };
    counter.observe(event, facts);
    facts.apply(event);
  }
  return counter.hits().get(point) ?? 0;
}

function pause(host: string, until: number): Act {
  return [1_000, host, { kind: "host", state: "pause", incarnation: 1, until }];
}

function failed(at: number, reason: "ackTimeout" | "overflow"): Act {
  return [at, "runner-1", { kind: "force-failed", trigger: 7, key: '"orders"', reason }];
}

function database(at: number, state: "crash" | "restart"): Act {
  return [at, "database", { kind: "host", state, incarnation: 1 }];
}

test.each<readonly [string, number, Act]>([
  ["as long as the health check allows", 0, pause("runner-1", 31_000)],
  ["a millisecond longer", 1, pause("runner-1", 31_001)],
  ["longer, but of a host without a manager", 0, pause("api", 99_000)],
])("a stall is past the health check if it is %s: %i times (K19)", (_, times, act) => {
  expect(hitsOf("K19", [act])).toBe(times);
});

test.each<readonly [string, number, readonly Act[]]>([
  ["is down", 1, [database(1_000, "crash"), failed(2_000, "ackTimeout")]],
  ["was never down", 0, [failed(2_000, "ackTimeout")]],
  [
    "is back",
    0,
    [database(1_000, "crash"), database(1_500, "restart"), failed(2_000, "ackTimeout")],
  ],
  ["is down, but a queue overflows", 0, [database(1_000, "crash"), failed(2_000, "overflow")]],
])("an ack times out while the database %s: %i times (K18)", (_, times, acts) => {
  expect(hitsOf("K18", acts)).toBe(times);
});
