import { expect, test } from "vitest";
import { CheckerRunner } from "../../sim/checkers/mod.ts";
import type { Checker } from "../../sim/checkers/checker.ts";
import { ProducerFacts } from "../../sim/checkers/producer/producer-facts.ts";
import { doneIsSettled, heldComesBack } from "../../sim/checkers/producer/producer-progress.ts";
import {
  commitPassesNothing,
  rejectedIsDeadLettered,
} from "../../sim/checkers/producer/producer-settling.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

type Act = readonly [at: number, body: TraceBody, host?: string];
type Counts = readonly [acked: number, failed: number, rejected: number];

const BEGIN: readonly Act[] = [
  [0, { kind: "factory", key: "k", poll: 1 }],
  [0, { kind: "open", key: "k", poll: 1, ack: true }],
  [900, { kind: "published", ref: "a", key: "k" }],
];

/** The broker crashes, and is there again. */
const CRASH: readonly Act[] = [
  [1_200, { kind: "host", state: "crash", incarnation: 1 }, "broker"],
  [1_300, { kind: "host", state: "restart", incarnation: 2 }, "broker"],
];

function delivered(at: number): Act {
  return [at, { kind: "delivered", ref: "a", consumer: "triggerer/1", unit: "" }, "broker"];
}

/** A copy is handed out, and gets its outcome. */
function handedOut(at: number, copy: number, counts: Counts): readonly Act[] {
  return [
    [at, { kind: "emit", poll: 1, copy, ref: "a" }],
    [at, { kind: "fan-out", poll: 1, copy, lane: `l${copy}` }],
    [at + 100, { kind: "advance", poll: 1, items: [[copy, ...counts, false]] }],
    [at + 110, { kind: "advanced", poll: 1, ok: true }],
  ];
}

function reportedBy(checker: Checker<ProducerFacts>, acts: readonly Act[]): readonly string[] {
  const facts = new ProducerFacts(({ failed, rejected }) => {
    if (failed > 0) return "hold";
    return rejected > 0 ? "dead-letter" : "settle";
  });
  const runner = new CheckerRunner([checker], facts);
  for (const [at, body, host = "triggerer"] of acts) runner.observe({ at, host, ...body });
  return runner.end().map(({ symptom }) => symptom);
}

// 1. A record is delivered. 2. The broker crashes, and nobody tells its peers. 3. The record fails,
// and is handed out again from memory. 4. What settles it goes to a connection that the broker does
// not know any more. 5. It comes again.
test.each([
  ["rejected", [0, 0, 1], rejectedIsDeadLettered, "rejected-redelivered"],
  ["taken by everybody", [1, 0, 0], doneIsSettled, "redelivered-when-done"],
] as const)("what was %s may come again after a crash since its delivery", (...row) => {
  const [, outcome, checker, symptom] = row;
  const first = [...BEGIN, delivered(990), ...handedOut(1_000, 1, [0, 1, 0]), ...CRASH];
  const again: Act = [501_000, { kind: "emit", poll: 1, copy: 3, ref: "a" }];
  const second = [...handedOut(500_000, 2, outcome), again];
  expect(reportedBy(checker, [...first, ...second])).not.toContain(symptom);
  expect(reportedBy(checker, [...first, delivered(499_990), ...second])).toContain(symptom);
});

// The same, where the dead letter is written, and the acknowledgement gets lost; then it is written
// once more.
test("what was rejected may be dead-lettered twice after a crash since its delivery", () => {
  const first = [...BEGIN, delivered(990), ...handedOut(1_000, 1, [0, 1, 0]), ...CRASH];
  const dead = (at: number): Act => [at, { kind: "dead-lettered", ref: "a" }, "broker"];
  const second = [...handedOut(500_000, 2, [0, 0, 1]), dead(500_105)];
  const third = [...handedOut(502_000, 3, [0, 0, 1]), dead(502_105)];
  const twice = (...delivery: readonly Act[]): readonly string[] =>
    reportedBy(rejectedIsDeadLettered, [...first, ...delivery, ...second, ...third]);
  expect(twice()).not.toContain("dead-lettered-twice");
  expect(twice(delivered(499_990))).toContain("dead-lettered-twice");
});

// 1. A record fails. 2. A copy of it is published, before it is settled. 3. It is settled with the
// copy, of which there may be more: each of them comes for itself.
test.each([
  ["rejected", [0, 0, 1], rejectedIsDeadLettered, "rejected-redelivered"],
  ["taken by everybody", [1, 0, 0], doneIsSettled, "redelivered-when-done"],
] as const)("what was %s may come again when there is a copy of it", (...row) => {
  const [, outcome, checker, symptom] = row;
  const first = [...BEGIN, delivered(990), ...handedOut(1_000, 1, outcome)];
  const again: Act = [501_000, { kind: "emit", poll: 1, copy: 3, ref: "a" }];
  const copied: Act = [2_000, { kind: "copied", ref: "a" }, "broker"];
  expect(reportedBy(checker, [...first, copied, again])).not.toContain(symptom);
  expect(reportedBy(checker, [...first, again])).toContain(symptom);
});

// The story: a dead-letter queue that keeps only so many drops the oldest, which nobody has read.
test("what was rejected may not be dropped from its dead-letter queue", () => {
  const dropped: Act = [9_000, { kind: "dead-letter-dropped", ref: "a" }, "broker"];
  const after = (outcome: readonly [number, number, number]): readonly string[] =>
    reportedBy(rejectedIsDeadLettered, [...BEGIN, ...handedOut(1_000, 1, outcome), dropped]);
  expect(after([0, 0, 1])).toEqual(["dead-letter-dropped"]);
  // A copy that somebody has put aside on top.
  expect(after([1, 0, 0])).toEqual([]);
});

// Whoever cannot read it skips it, puts it aside, or leaves it where it is.
test.each([
  ["settled", commitPassesNothing, "settled-unread"],
  ["dead-lettered", rejectedIsDeadLettered, "dead-lettered-against-outcome"],
  ["left alone", heldComesBack, "never-delivered"],
] as const)("what is no JSON may be %s without being handed out", (what, checker, symptom) => {
  const garbled: Act = [900, { kind: "garbled", ref: "a" }, "broker"];
  const acts: readonly Act[] = [
    ...(what === "settled"
      ? [[2_000, { kind: "settled", ref: "a", consumer: "triggerer/1" }, "broker"] as const]
      : []),
    ...(what === "dead-lettered"
      ? [[2_000, { kind: "dead-lettered", ref: "a" }, "broker"] as const]
      : []),
  ];
  expect(reportedBy(checker, [...BEGIN, delivered(990), garbled, ...acts])).toEqual([]);
  expect(reportedBy(checker, [...BEGIN, delivered(990), ...acts])).toContain(symptom);
});
