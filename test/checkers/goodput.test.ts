import { describe, expect, test } from "vitest";
import { CheckerRunner, StreamFacts } from "../../sim/checkers/mod.ts";
import { goodputReturns } from "../../sim/checkers/stream/goodput.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

type Told = readonly [at: number, body: TraceBody];

const MANAGER: TraceBody = {
  kind: "manager",
  maxSubscriberQueue: 64,
  ackTimeoutMs: 30_000,
  graceMs: 0,
  strict: false,
};
const PUBLISHED: readonly Told[] = [
  [0, MANAGER],
  [1, { kind: "published", ref: "a", key: "a" }],
  [2, { kind: "published", ref: "b", key: "b" }],
];
const CALM: Told = [60_000, { kind: "phase", phase: "liveness" }];

function emit(at: number, ref = "a"): Told {
  return [at, { kind: "emit", poll: 1, copy: at, ref }];
}

/** Calls that are refused, one every `stepMs`, from one time until another. */
function refusals(from: number, until: number, stepMs: number): readonly Told[] {
  return Array.from({ length: Math.ceil((until - from) / stepMs) }, (_, at) => [
    from + at * stepMs,
    { kind: "fault", site: "broker.fetch", verdict: "refused", rule: "broker admits 7" },
  ]);
}

function settled(at: number, ref: string): Told {
  return [at, { kind: "settled", ref, consumer: "orders" }];
}

/** Reads a record every half minute, from one time until another. */
function readsAgain(from: number, until: number, ref = "a"): readonly Told[] {
  return Array.from({ length: Math.ceil((until - from) / 30_000) }, (_, at) =>
    emit(from + at * 30_000, ref),
  );
}

/** Many refused calls, among which records are settled now and then that others need not be. */
function refusalsBetween(from: number, until: number): readonly Told[] {
  const good = Array.from(
    { length: Math.ceil((until - from) / 60_000) },
    (_, at): readonly Told[] => {
      const ref = `c${at}`;
      const when = from + at * 60_000;
      return [
        [when, { kind: "published", ref, key: "c" }],
        [when, settled(when, ref)[1]],
      ];
    },
  );
  return [...refusals(from, until, 500), ...good.flat()].toSorted(([one], [two]) => one - two);
}

/** What goodput says of a trace. */
function saidOf(...told: readonly Told[]): readonly string[] {
  const runner = new CheckerRunner([goodputReturns()], new StreamFacts());
  for (const [at, body] of told) runner.observe({ at, host: "runner-1", ...body });
  return runner.end().map(({ detail }) => detail);
}

describe("a world is metastable", () => {
  test("that reads a record for the third time, and has settled none for two minutes", () => {
    const [said] = saidOf(...PUBLISHED, CALM, ...readsAgain(70_000, 190_001));
    expect(said).toMatch(/^2 records are owed, and in 130 s none was settled, while 1 of them was/);
  });

  test("also where it settled some before", () => {
    const some = [settled(80_000, "b"), ...readsAgain(90_000, 240_001)];
    expect(saidOf(...PUBLISHED, CALM, ...some)).toHaveLength(1);
  });

  test("in which calls are refused more than once a second, though nothing is read", () => {
    const [said] = saidOf(...PUBLISHED, CALM, ...refusals(61_000, 190_001, 900));
    expect(said).toMatch(
      /^2 records are owed, and in \d+ s none was settled, while \d+ calls were refused: whoever is refused calls again too soon/,
    );
  });

  test("also where the run ends after one ack timeout", () => {
    const few = [emit(65_000), emit(66_000), emit(100_000)];
    expect(saidOf(...PUBLISHED, CALM, ...few)).toHaveLength(1);
  });

  test.each<readonly [string, readonly Told[], RegExp]>([
    [
      "trigger events that wait longer than the ack timeout",
      [
        [70_001, { kind: "bind", sub: 1, event: 5, seq: 0 }],
        [100_000, { kind: "force-failed", trigger: 1, key: "k", reason: "ackTimeout" }],
        [110_001, { kind: "persisted", event: 5, trigger: 1, ref: "a" }],
      ],
      /a trigger event waits 40 s to be stored, but after the ack timeout of 30 s/,
    ],
    [
      "subscribers that time out",
      [[100_000, { kind: "force-failed", trigger: 1, key: "k", reason: "ackTimeout" }]],
      /subscribers time out \(1 times\)/,
    ],
    [
      "queues that overflow",
      [[100_000, { kind: "force-failed", trigger: 1, key: "k", reason: "overflow" }]],
      /overflow \(1 times\)/,
    ],
    [
      "groups that fail",
      [[100_000, { kind: "group-failed", key: "k" }]],
      /groups fail \(1 times\)/,
    ],
    [
      "events that are not accepted",
      [[100_000, { kind: "advance", poll: 1, items: [[1, 0, 1, 0, false]] }]],
      /subscribers do not accept them \(1 times\)/,
    ],
  ])("and is told what feeds it: %s", (_, feeder, words) => {
    const told = [...readsAgain(70_000, 250_000), ...feeder].toSorted(([one], [two]) => one - two);
    expect(saidOf(...PUBLISHED, CALM, ...told)).toEqual([expect.stringMatching(words)]);
  });
});

describe("a world is not metastable", () => {
  test.each<readonly [string, readonly Told[]]>([
    [
      "that settles now and then",
      [emit(70_000), settled(80_000, "a"), ...readsAgain(90_000, 150_001, "b")],
    ],
    ["in which faults still strike", readsAgain(70_000, 400_000)],
    ["that reads each record once", [CALM, emit(70_000), emit(300_000, "b")]],
    [
      "that owes nothing",
      [settled(10, "a"), settled(11, "b"), CALM, ...readsAgain(70_000, 400_000)],
    ],
    ["in which nothing happens", [CALM]],
    ["in which a call is refused now and then", [CALM, ...refusals(60_000, 400_000, 1_100)]],
    ["in which a call is refused once a second", [CALM, ...refusals(61_000, 400_000, 1_000)]],
    ["that settles between refusals", [CALM, ...refusalsBetween(70_000, 400_000)]],
    ["in which calls are refused while faults strike", refusals(3, 400_000, 100)],
    ["whose time is not over", [CALM, ...readsAgain(70_000, 90_000)]],
  ])("%s", (_, told) => {
    expect(saidOf(...PUBLISHED, ...told)).toEqual([]);
  });
});
