import { describe, expect, it } from "vitest";
import { curveChart } from "../../bench/advance/chart.ts";
import { readmeFrom } from "../../bench/advance/readme.ts";
import { Settled } from "../../bench/advance/settler.ts";
import { compareReports, earlierReportFrom } from "../../bench/engine/compare.ts";
import { FAULTLANE, FLOOR, TEXTBOOK } from "../../bench/engine/contestant.ts";
import { judgeGoals } from "../../bench/engine/goals.ts";
import { measureRow, ratioOf, type RowResult } from "../../bench/engine/measure.ts";
import { numberText } from "../../bench/engine/number-text.ts";
import { runDeparture, runOverdue } from "../../bench/engine/outstanding-run.ts";
import { RecordingProducer } from "../../bench/engine/recording-producer.ts";
import { textFromReport } from "../../bench/engine/report.ts";
import type { BenchReport } from "../../bench/engine/run-bench.ts";
import { ackedByAll, runStreams } from "../../bench/engine/stream-run.ts";
import type { Work } from "../../bench/engine/work.ts";
import { systemClock } from "../../src/platform/mod.ts";
import { type AdvanceItem, AdvanceOutcome } from "../../src/shared-stream/mod.ts";

const WORK: Work = {
  subscribers: 3,
  lanes: 5,
  events: 250,
  outstanding: 125,
  form: "async",
  filter: "fires",
  persisted: "shuffled",
};

describe("a run", () => {
  it.each([FAULTLANE, TEXTBOOK, FLOOR])("of $name does its work and is checked", async (who) => {
    for (const form of ["async", "sync"] as const) {
      for (const filter of ["fires", "drops"] as const) {
        const times = await runStreams(systemClock, who, { ...WORK, form, filter });
        expect(times.wholeMs).toBeGreaterThan(0);
      }
    }
    const sampled = await runStreams(systemClock, who, { ...WORK, sampledEvents: 20 });
    expect(sampled.resolvingMs).toBeGreaterThan(0);
  });

  it.each([FAULTLANE, TEXTBOOK])("of $name fails what is overdue and what is left", async (who) => {
    const all = { ...WORK, outstanding: WORK.events };
    expect(await runOverdue(systemClock, who, all)).toBeGreaterThan(0);
    expect(await runDeparture(systemClock, who, all)).toBeGreaterThan(0);
  });

  it("rejects a contestant that does not advance what is resolved", async () => {
    const idle = { ...FLOOR, settles: true };
    await expect(runStreams(systemClock, idle, WORK)).rejects.toThrow("holds back what is resolv");
  });
});

describe("RecordingProducer.verify()", () => {
  const clean = new AdvanceOutcome(1, 0);
  const work = { ...WORK, subscribers: 1, lanes: 2, events: 4 };

  async function verified(ids: readonly number[], outcome = clean): Promise<void> {
    const producer = new RecordingProducer(work, async () => undefined, ackedByAll(1));
    const batch = ids.map((id): AdvanceItem<number> => ({ brokerPayload: id, outcome }));
    await producer.advance(batch);
    producer.verify("it");
  }

  it("holds for each event once and each lane in order", async () => {
    await expect(verified([1, 0, 2, 3])).resolves.toBeUndefined();
  });

  it.each([
    ["a lost event", [0, 1, 2], clean, "advanced 3 of 4"],
    ["an event twice", [0, 1, 1, 3], clean, "event 1 twice"],
    ["a lane out of order", [2, 0, 1, 3], clean, "event 0 out of order"],
    ["a wrong outcome", [0, 1, 2, 3], new AdvanceOutcome(0, 1), "resolved 4 events wrongly"],
  ])("fails %s", async (_, ids, outcome, message) => {
    await expect(verified(ids, outcome)).rejects.toThrow(message);
  });
});

describe("Settled.verify()", () => {
  it.each([
    ["a lost event", [0, 1, 2], "settled 3 events"],
    ["a gap", [0, 1, 3, 2, 2], "out of order"],
    ["a lane out of order", [2, 0, 1, 3], "out of order"],
  ])("fails a peer with %s", async (_, ids, message) => {
    const settled = new Settled({ ...WORK, lanes: 2, events: 4 });
    await settled.advance(ids);
    expect(() => settled.verify("it")).toThrow(message);
  });
});

describe("measureRow()", () => {
  it("lets the entrants take turns, each round from another one; a warm-up is no sample", async () => {
    const calls: string[] = [];
    const entrant = (name: string) => ({ name, sample: async () => calls.push(name) });
    const entrants = [entrant("a"), entrant("b"), { ...entrant("c"), roundsMax: 1 }];
    const row = await measureRow({ id: "r", work: "r", unit: "ms", entrants }, { rounds: 2 });
    expect(calls).toEqual(["a", "a", "b", "b", "c", "b", "a"]);
    expect(row.entrants.map(({ samples }) => samples)).toEqual([
      [2, 7],
      [4, 6],
      [5, null],
    ]);
    expect(row.entrants[0]?.range).toEqual([2, 7]);
  });
});

function rowOf(id: string, ...entrants: readonly (readonly [string, ...number[]])[]): RowResult {
  return {
    id,
    work: id,
    unit: "ns per event",
    entrants: entrants.map(([name, ...samples]) => {
      const sorted = [...samples].sort((one, other) => one - other);
      const [low = 0, median = 0, high = 0] = sorted;
      return { name, samples, median, quartiles: [low, high], range: [low, high] };
    }),
  };
}

function reportOf(...rows: readonly RowResult[]): BenchReport {
  const machine = {
    runtime: "Node",
    version: "24.0.0",
    platform: "linux x64",
    cpu: "some",
    cores: 2,
    memoryGib: 8,
    load: 0,
  };
  const goals = judgeGoals(rows);
  return { machine, versions: { mitata: "1.0.0" }, sizes: "full", rounds: 3, goals, rows };
}

describe("ratioOf()", () => {
  it("is the median of the rounds' own ratios, so that a slow round counts once", () => {
    const { entrants } = rowOf("r", ["one", 20, 200, 40], ["other", 10, 100, 10]);
    const [one, other] = entrants as [RowResult["entrants"][0], RowResult["entrants"][0]];
    expect(ratioOf(one, other)).toBe(2);
    expect(ratioOf(other, { ...one, samples: [null, 400, null] })).toBe(1 / 4);
  });
});

describe("judgeGoals()", () => {
  it("says reached, missed or not measured, and changes nothing", () => {
    const id = "async fires, S=10 L=1";
    const row = rowOf(id, ["faultlane", 10, 10, 10], ["textbook", 60, 60, 60], ["floor", 7, 7, 7]);
    const goals = judgeGoals([row]);
    expect(goals.slice(0, 3)).toMatchObject([
      { goal: 5, value: 6, verdict: "reached" },
      { goal: 80, value: 70, verdict: "missed" },
      { goal: 5, value: null, verdict: "not measured" },
    ]);
  });
});

describe("compareReports()", () => {
  const before = reportOf(rowOf("r", ["faultlane", 100, 110, 90], ["textbook", 100, 110, 90]));
  const after = reportOf(rowOf("r", ["faultlane", 150, 160, 140], ["textbook", 105, 115, 95]));

  it("reports what changed by more than noise, and nothing else", () => {
    const earlier = earlierReportFrom(JSON.stringify(before), "old.json");
    const comparison = compareReports(earlier, after);
    expect(comparison.compared).toBe(2);
    expect(comparison.moves).toEqual([
      { id: "r", name: "faultlane", before: 100, after: 150, factor: 1.5, unit: "ns per event" },
    ]);
    expect(compareReports(earlier, before).moves).toEqual([]);
  });

  it("says when the two are not of the same kind", () => {
    const other = { ...before, machine: { ...before.machine, runtime: "Deno" } };
    expect(compareReports(other, after).differences).toEqual(["runtime: Deno, now Node"]);
  });

  it("refuses what is no report", () => {
    expect(() => earlierReportFrom("{", "a.json")).toThrow('Cannot compare with "a.json"');
    expect(() => earlierReportFrom('{"rows":[]}', "a.json")).toThrow("at machine");
  });
});

describe("the report", () => {
  const curve = rowOf("growth over lanes", ["faultlane", 100, 110, 90], ["floor", 10, 11, 9]);
  const entrants = curve.entrants.flatMap((one) => [1, 100].map((at) => ({ ...one, at })));
  const row = rowOf("r", ["faultlane", 10, 10, 10], ["textbook", 60, 60, 60], ["floor", 7, 7, 7]);
  const report = reportOf(row, { ...curve, entrants });

  it("has the ratios before the times, and ends with the machine", () => {
    const text = textFromReport(report);
    expect(text).toMatch(/Goals[^]+Ratios[^]+6\.00 +70\.0[^]+Medians and ranges[^]+Node 24\.0\.0/);
  });

  it("is written for people with its charts", () => {
    expect(readmeFrom(report, ["![c](c.svg)"])).toMatch(/\| r +\| +6\.00 \| +70\.0 \| +- \|/);
    const chart = curveChart({ ...curve, entrants });
    expect(chart.match(/<polyline/g)).toHaveLength(2);
    expect(chart).not.toContain("NaN");
  });

  it.each([
    [0.1234, "0.12"],
    [9.876, "9.88"],
    [12.34, "12.3"],
    [123.4, "123"],
    [1_234_567.8, "1,234,568"],
  ])("writes %d as %s", (value, text) => expect(numberText(value)).toBe(text));
});
