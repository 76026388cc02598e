import { describe, expect, test } from "vitest";
import type { Violation } from "../../sim/checkers/mod.ts";
import {
  failureFrom,
  PLAIN,
  rowFrom,
  summaryFrom,
  tableFrom,
  type TableRow,
} from "../../sim/report/terminal.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { RunReport, RunVerdict } from "../../sim/run/run-report.ts";

const VIOLATION: Violation = {
  checker: "I1",
  promise: "a key is held while its poll is alive",
  at: 5_037,
  host: "runner-1",
  symptom: "group-outlives-poll",
  detail: "the poll has ended, but its group lives on",
  ref: undefined,
  story: ["     5.037 s  advance of poll 4 throws"],
};

const SETTLED: Violation = { ...VIOLATION, checker: "settled", promise: "all is settled", at: 9 };

const PLAYED = parseScenario("{ story: x, world: manager }", "calm");

function report(
  verdict: RunVerdict,
  violations: readonly Violation[] = [],
  scenario = "calm",
): RunReport {
  const stats = { virtualMs: 1_500, steps: 9, events: 20, choices: 3, faults: [], crashPoints: [] };
  return {
    scenario,
    seed: 1,
    played: PLAYED,
    digest: "",
    verdict,
    violations,
    vacuous: [],
    orphans: [],
    stats: { ...stats, marks: [] },
    trace: [],
    choices: [],
  };
}

const ROWS: readonly TableRow[] = [
  rowFrom([report("held")]),
  rowFrom([
    report("expected-failure", [VIOLATION, SETTLED], "a-scenario-with-a-long-name-that-tells-much"),
  ]),
];

describe("tableFrom()", () => {
  test("shows every column where there is room", () => {
    expect(tableFrom(ROWS, PLAIN).split("\n")).toEqual([
      "scenario                                     seed  virtual time  events  faults  verdict",
      "calm                                            1       1.500 s      20       0  held",
      "a-scenario-with-a-long-name-that-tells-much     1       1.500 s      20       0  expected failure: I1, settled",
    ]);
  });

  test("fits a narrow terminal: no counts, and long names are cut", () => {
    expect(tableFrom(ROWS, PLAIN, 70).split("\n")).toEqual([
      "scenario                           seed  verdict",
      "calm                                  1  held",
      "a-scenario-with-a-long-name-that…     1  expected failure: I1, settled",
    ]);
  });
});

describe("rowFrom()", () => {
  test("says of how many seeds the worst verdict is", () => {
    const reports = [report("held"), report("broken", [VIOLATION]), report("broken", [VIOLATION])];
    expect(rowFrom(reports)).toMatchObject({ verdict: "BROKEN I1 (2 of 3 seeds)", isGood: false });
    expect(rowFrom([report("unexpected-success")]).verdict).toBe("UNEXPECTED SUCCESS");
  });
});

describe("summaryFrom()", () => {
  test("counts expected failures apart from what held", () => {
    const counts = { held: 54, "expected-failure": 12, broken: 0, "unexpected-success": 0 };
    expect(summaryFrom(counts)).toBe("66 runs: 54 held, 12 failed as expected");
    expect(summaryFrom({ ...counts, held: 0, broken: 1, "unexpected-success": 1 })).toBe(
      "14 runs: 12 failed as expected, 1 broke a promise, 1 held though a failure is expected",
    );
  });
});

describe("failureFrom()", () => {
  test("explains each broken promise, the first with its story", () => {
    const again = { ...VIOLATION, at: 7_000 };
    const text = failureFrom(report("broken", [VIOLATION, again, SETTLED]), "rerun it", PLAIN);
    expect(text.split("\n")).toEqual([
      "BROKEN  calm, seed 1, at 5.037 s on runner-1",
      "  promise I1: a key is held while its poll is alive",
      "  seen: the poll has ended, but its group lives on",
      "  story:",
      "         5.037 s  advance of poll 4 throws",
      "  also broken, at 0.009 s on runner-1",
      "  promise settled: all is settled",
      "  seen: the poll has ended, but its group lives on",
      "  rerun: rerun it",
    ]);
  });

  test("says what is wrong with a run that held against expectation", () => {
    const text = failureFrom(report("unexpected-success"), "rerun it", PLAIN);
    expect(text).toContain("UNEXPECTED SUCCESS  calm, seed 1");
    expect(text).toContain("expect.broken");
  });
});
