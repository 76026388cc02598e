import { describe, expect, test } from "vitest";
import { CheckerRunner, StreamFacts } from "../../sim/checkers/mod.ts";
import { pollsReadOn } from "../../sim/checkers/stream/reads-on.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

type Told = readonly [at: number, body: TraceBody];

const CALM: Told = [30_000, { kind: "phase", phase: "liveness" }];
const PUBLISHED: readonly Told[] = [0, 1, 2, 3, 4, 5, 6].map((offset) => [
  offset,
  { kind: "published", ref: refOf(offset), key: "" },
]);

function refOf(offset: number, partition = 0): string {
  return `orders/${partition}@${offset}`;
}

/** A poll broadcasts a record; the copy has the number of its offset. */
function emit(at: number, offset: number, partition = 0): Told {
  return [at, { kind: "emit", poll: 1, copy: offset, ref: refOf(offset, partition) }];
}

function advance(at: number, offset: number): Told {
  return [at, { kind: "advance", poll: 1, items: [[offset, 1, 0, 0, true]] }];
}

/** Records are broadcast one after the other, each when the one before is advanced. */
function oneByOne(from: number, offsets: readonly number[]): readonly Told[] {
  return offsets.flatMap((offset, nth) => {
    const at = from + nth * 10_000;
    return [emit(at, offset), advance(at + 9_000, offset)];
  });
}

function saidOf(...told: readonly Told[]): readonly string[] {
  const runner = new CheckerRunner([pollsReadOn()], new StreamFacts());
  for (const [at, body] of told) runner.observe({ at, host: "runner-1", ...body });
  return runner.end().map(({ detail }) => detail);
}

describe("reads-on", () => {
  test("accuses a poll that broadcasts one record at a time while others wait", () => {
    expect(saidOf(...PUBLISHED, CALM, ...oneByOne(31_000, [0, 1, 2]))).toEqual([
      "4 records beside orders/0@2 wait for 20 s, in which no two events were outstanding at once",
    ]);
  });

  test.each<readonly [string, readonly Told[]]>([
    ["faults strike", [...PUBLISHED, ...oneByOne(1_000, [0, 1, 2])]],
    [
      "two are outstanding at once",
      [...PUBLISHED, CALM, emit(31_000, 5), emit(31_000, 6), ...oneByOne(31_001, [0, 1, 2])],
    ],
    ["nothing else waits", [...PUBLISHED.slice(0, 3), CALM, ...oneByOne(31_000, [0, 1, 2])]],
    [
      "only later records wait",
      [CALM, ...oneByOne(31_000, [0, 1]), ...later(), ...oneByOne(51_000, [2])],
    ],
    [
      "records of another partition wait",
      [...PUBLISHED, CALM, emit(31_000, 0, 1), advance(40_000, 0), emit(52_000, 1, 1)],
    ],
    [
      "its source rests for long",
      [
        ...[...PUBLISHED, CALM, emit(31_000, 0), advance(31_500, 0)],
        ...[emit(61_000, 1), emit(61_000, 2), emit(61_000, 3)],
      ],
    ],
    [
      "the rest is settled",
      [
        ...PUBLISHED,
        CALM,
        ...[3, 4, 5, 6].map((offset): Told => [
          30_001,
          { kind: "settled", ref: refOf(offset), consumer: "c" },
        ]),
        ...oneByOne(31_000, [0, 1, 2]),
      ],
    ],
    [
      "its host goes on meanwhile",
      [
        ...PUBLISHED,
        CALM,
        ...oneByOne(31_000, [0, 1]),
        [50_500, { kind: "host", state: "resume", incarnation: 1 }],
        ...oneByOne(51_000, [2, 3]),
      ],
    ],
  ])("does not accuse where %s", (_, told) => {
    expect(saidOf(...told)).toEqual([]);
  });
});

/** Records that come while the poll is at work. */
function later(): readonly Told[] {
  return PUBLISHED.slice(3).map(([, body], nth) => [45_000 + nth, body]);
}
