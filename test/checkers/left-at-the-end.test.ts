import { describe, expect, test } from "vitest";
import { CheckerRunner } from "../../sim/checkers/mod.ts";
import { ProducerFacts } from "../../sim/checkers/producer/producer-facts.ts";
import { doneIsSettled } from "../../sim/checkers/producer/producer-progress.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

type Act = readonly [at: number, body: TraceBody, host?: string];
type Counts = readonly [acked: number, failed: number, rejected: number];

const ACKED: Counts = [1, 0, 0];
const FAILED: Counts = [0, 1, 0];

function opened(at: number, poll: number): readonly Act[] {
  return [
    [at, { kind: "factory", key: "k", poll }],
    [at, { kind: "open", key: "k", poll, ack: true }],
  ];
}

function handedOut(
  at: number,
  { ref, copy, lane = "lane" }: { readonly ref: string; readonly copy: number; lane?: string },
  counts: Counts | undefined,
): readonly Act[] {
  const begin: readonly Act[] = [
    [at, { kind: "published", ref, key: "k" }],
    [at, { kind: "delivered", ref, consumer: "triggerer/1", unit: "" }, "broker"],
    [at, { kind: "emit", poll: 1, copy, ref }],
    [at, { kind: "fan-out", poll: 1, copy, lane }],
  ];
  if (counts === undefined) return begin;
  return [
    ...begin,
    [at + 100, { kind: "advance", poll: 1, items: [[copy, ...counts, false]] }],
    [at + 110, { kind: "advanced", poll: 1, ok: true }],
  ];
}

function closed(at: number): readonly Act[] {
  return [
    [at, { kind: "aclose", poll: 1 }],
    [at + 10, { kind: "aclosed", poll: 1 }],
  ];
}

/** The next producer gets the record. */
const AGAIN: readonly Act[] = [
  ...opened(10_000, 2),
  [10_100, { kind: "emit", poll: 2, copy: 9, ref: "a" }],
];

function isReported(acts: readonly Act[], confirms = true): boolean {
  const facts = new ProducerFacts(({ failed }) => (failed > 0 ? "hold" : "settle"), confirms);
  const runner = new CheckerRunner([doneIsSettled], facts);
  for (const [at, body, host = "triggerer"] of acts) runner.observe({ at, host, ...body });
  return runner.end().some(({ symptom }) => symptom === "unsettled-at-the-end");
}

describe("what everybody has taken comes again after the end of its producer", () => {
  const taken = [...opened(0, 1), ...handedOut(1_000, { ref: "a", copy: 1 }, ACKED)];
  const settled: Act = [2_000, { kind: "settled", ref: "a", consumer: "triggerer/1" }, "broker"];

  test("because that has ended without settling it", () => {
    expect(isReported([...taken, ...closed(3_000), ...AGAIN])).toBe(true);
    expect(isReported([...taken, settled, ...closed(3_000), ...AGAIN])).toBe(false);
  });

  test("also where it is settled by a request that arrives after the end", () => {
    const late: Act = [3_100, { kind: "settled", ref: "a", consumer: "triggerer/1" }, "broker"];
    expect(isReported([...taken, ...closed(3_000), late, ...AGAIN])).toBe(false);
  });

  test("because nobody hears of an acknowledgement that came to nothing", () => {
    expect(isReported([...taken, ...closed(3_000), ...AGAIN], false)).toBe(false);
  });

  test("because one of its lane has to come again, or is outstanding", () => {
    const held = [...opened(0, 1), ...handedOut(900, { ref: "b", copy: 2 }, FAILED)];
    const behind = [...held, ...handedOut(1_500, { ref: "a", copy: 1 }, ACKED)];
    expect(isReported([...behind, ...closed(3_000), ...AGAIN])).toBe(false);
    const other = [...held, ...handedOut(1_500, { ref: "a", copy: 1, lane: "other" }, ACKED)];
    expect(isReported([...other, ...closed(3_000), ...AGAIN])).toBe(true);
    const outstanding = [...taken, ...handedOut(1_500, { ref: "c", copy: 3 }, undefined)];
    expect(isReported([...outstanding, ...closed(3_000), ...AGAIN])).toBe(false);
  });

  test("because one of its lane had to come again, though it is a dead letter by then", () => {
    const held = [...opened(0, 1), ...handedOut(900, { ref: "b", copy: 2 }, FAILED)];
    const behind = [...held, ...handedOut(1_500, { ref: "a", copy: 1 }, ACKED)];
    const buried: readonly Act[] = [
      ...opened(9_000, 2),
      [9_100, { kind: "emit", poll: 2, copy: 8, ref: "b" }],
      [9_200, { kind: "dead-lettered", ref: "b" }, "broker"],
      [9_300, { kind: "emit", poll: 2, copy: 9, ref: "a" }],
    ];
    expect(isReported([...behind, ...closed(3_000), ...buried])).toBe(false);
  });

  test("because something went wrong, or its process was killed", () => {
    const fault = { kind: "fault", site: "broker.settle", rule: "r", verdict: "fail" } as const;
    const failed: Act = [1_105, fault];
    expect(isReported([...taken, failed, ...closed(3_000), ...AGAIN])).toBe(false);
    const killed: Act = [2_000, { kind: "host", state: "crash", incarnation: 1 }];
    expect(isReported([...taken, killed, ...closed(3_000), ...AGAIN])).toBe(false);
  });
});
