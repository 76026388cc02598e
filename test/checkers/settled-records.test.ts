import { expect, test } from "vitest";
import { CheckerRunner, StreamFacts } from "../../sim/checkers/mod.ts";
import { atLeastOnce } from "../../sim/checkers/stream/persistence.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

const KEY = '"orders"';
const SETTLED: TraceBody = { kind: "settled", ref: "r3", consumer: "orders" };

function broadcast(copy: number): readonly TraceBody[] {
  return [
    { kind: "emit", poll: 2, copy, ref: "r3" },
    { kind: "fan-out", poll: 2, copy, lane: "undefined" },
  ];
}

/** A record is broadcast on a stream with one subscriber. */
const BROADCAST: readonly TraceBody[] = [
  { kind: "manager", maxSubscriberQueue: 2, ackTimeoutMs: 10_000, graceMs: 0, strict: false },
  { kind: "subscribe", sub: 1, trigger: 7, key: KEY },
  { kind: "open", key: KEY, poll: 2, ack: true },
  ...broadcast(3),
];

function advanced(acked: number, failed: number, rejected: number, copy = 3): TraceBody {
  return { kind: "advance", poll: 2, items: [[copy, acked, failed, rejected, failed === 0]] };
}

/** What at-least-once reports of a trace. */
function saidOf(...bodies: readonly TraceBody[]): readonly string[] {
  const runner = new CheckerRunner([atLeastOnce()], new StreamFacts());
  for (const body of bodies) runner.observe({ at: 1_000, host: "runner-1", ...body });
  return runner.end().map(({ detail }) => detail);
}

test.each<readonly [string, readonly TraceBody[], string]>([
  ["nobody has resolved", [], "nobody had resolved it"],
  ["nobody was there to accept", [advanced(0, 0, 0)], "nobody was there to accept it"],
  ["a subscriber had failed", [advanced(1, 1, 0)], "1 of its subscribers had failed it"],
  ["was rejected and kept nowhere", [advanced(1, 0, 1)], "it was rejected and not dead-lettered"],
])("a record is settled too early that %s", (_, before, why) => {
  const said = `record r3 was settled, but ${why}`;
  expect(saidOf(...BROADCAST, ...before, SETTLED)).toEqual([said]);
});

test.each<readonly [string, readonly TraceBody[]]>([
  ["was taken", [advanced(1, 0, 0)]],
  ["was rejected and is kept", [advanced(0, 0, 1), { kind: "dead-lettered", ref: "r3" }]],
  ["was taken when it came again", [advanced(0, 1, 0), ...broadcast(4), advanced(1, 0, 0, 4)]],
])("a record may be settled that %s", (_, before) => {
  expect(saidOf(...BROADCAST, ...before, SETTLED)).toEqual([]);
});
