import { describe, expect, test } from "vitest";
import { CheckerRunner } from "../../sim/checkers/mod.ts";
import { ProducerFacts } from "../../sim/checkers/producer/producer-facts.ts";
import { settledInOrder } from "../../sim/checkers/producer/producer-settling.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

const CLIENT = "triggerer/1";

function publishedAndDelivered(unit: string): readonly TraceBody[] {
  return ["a", "b"]
    .flatMap((ref): TraceBody[] => [{ kind: "published", ref, key: "k" }])
    .concat(["a", "b"].map((ref) => delivered(ref, unit)));
}

function delivered(ref: string, unit = "group-1"): TraceBody {
  return { kind: "delivered", ref, consumer: CLIENT, unit, place: ref };
}

const OPEN: readonly TraceBody[] = [
  { kind: "factory", key: "k", poll: 1 },
  { kind: "open", key: "k", poll: 1, ack: true },
];
const EMIT_A: TraceBody = { kind: "emit", poll: 1, copy: 1, ref: "a" };
const EMIT_B: TraceBody = { kind: "emit", poll: 1, copy: 2, ref: "b" };

function advance(copy: number, acked: number, failed: number): TraceBody {
  return { kind: "advance", poll: 1, items: [[copy, acked, failed, 0, failed === 0]] };
}

function settled(ref: string): TraceBody {
  return { kind: "settled", ref, consumer: CLIENT };
}

/** What `order` says of a trace. */
function saidOf(...bodies: readonly TraceBody[]): readonly string[] {
  const facts = new ProducerFacts(({ failed }) => (failed > 0 ? "hold" : "settle"));
  const runner = new CheckerRunner([settledInOrder], facts);
  for (const [at, body] of bodies.entries()) runner.observe({ at, host: "triggerer", ...body });
  return runner.end().map(({ detail }) => detail);
}

const ADVANCED: TraceBody = { kind: "advanced", poll: 1, ok: true };
/** Both come again, and one call is to settle both. */
const TOGETHER: TraceBody = {
  kind: "advance",
  poll: 1,
  items: [3, 4].map((copy) => [copy, 1, 0, 0, true] as const),
};
const BOTH_HANDED_OUT = [...OPEN, ...publishedAndDelivered("group-1"), EMIT_A, EMIT_B];

describe("of one ordering unit nothing is settled before an earlier event that", () => {
  test("failed", () => {
    const acts = [advance(1, 0, 1), advance(2, 1, 0), settled("b")];
    expect(saidOf(...BOTH_HANDED_OUT, ...acts)).toEqual([
      "b was settled before a, which comes before it in group-1 and failed, so that it has to come again",
    ]);
  });

  test("is outstanding", () => {
    expect(saidOf(...BOTH_HANDED_OUT, advance(2, 1, 0), settled("b"))).toEqual([
      "b was settled before a, which comes before it in group-1 and is outstanding",
    ]);
  });

  test("an advance before was to settle, in vain", () => {
    const acts = [advance(1, 1, 0), ADVANCED, advance(2, 1, 0), settled("b")];
    expect(saidOf(...BOTH_HANDED_OUT, ...acts)).toEqual([
      "b was settled before a, which comes before it in group-1 and was accepted, but is not settled",
    ]);
  });
});

describe("an earlier event is not in the way", () => {
  test.each<readonly [string, readonly TraceBody[]]>([
    ["that is settled", [advance(1, 1, 0), settled("a"), advance(2, 1, 0), settled("b")]],
    [
      "that its subscribers accepted, though the broker refused to delete it",
      [advance(1, 1, 0), advance(2, 1, 0), settled("b")],
    ],
    [
      "whose newest delivery never arrived",
      [advance(1, 0, 1), delivered("a"), advance(2, 1, 0), settled("b")],
    ],
    [
      "that came again, and that the call which settles both may settle by its newer copy",
      [
        advance(1, 1, 0),
        ADVANCED,
        ...["a", "b"].map((ref) => delivered(ref)),
        { kind: "emit", poll: 1, copy: 3, ref: "a" },
        { kind: "emit", poll: 1, copy: 4, ref: "b" },
        TOGETHER,
        settled("b"),
      ],
    ],
    ["that has expired", [{ kind: "expired", ref: "a" }, advance(2, 1, 0), settled("b")]],
  ])("%s", (_, acts) => {
    expect(saidOf(...BOTH_HANDED_OUT, ...acts)).toEqual([]);
  });

  test("where the broker keeps no order", () => {
    const unordered = [...OPEN, ...publishedAndDelivered(""), EMIT_A, EMIT_B];
    expect(saidOf(...unordered, advance(2, 1, 0), settled("b"))).toEqual([]);
  });
});
