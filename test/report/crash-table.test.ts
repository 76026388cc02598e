import { expect, test } from "vitest";
import { crashTableFrom } from "../../sim/report/crash-table.ts";
import { PLAIN } from "../../sim/report/terminal.ts";
import type { Boundary, CrashPointReport, CrashTrial } from "../../sim/search/crash-points.ts";

const BOUNDARY: Boundary = {
  number: 1,
  site: "job.submit",
  host: "task-1",
  nth: 1,
  at: 5,
  isPoint: false,
};

function trial(outcome: CrashTrial["strikes"][number]["outcome"], jobs: number): CrashTrial {
  const strikes = [{ boundary: 1, outcome }];
  return { strikes, struck: true, broken: [], detail: "", jobs, decisions: ["fresh_submit"] };
}

const REPORT: CrashPointReport = {
  scenario: "submit",
  seed: 1,
  boundaries: [BOUNDARY],
  outcomes: ["before", "after", "reply-lost"],
  jobs: 1,
  windows: [],
  trials: [trial("before", 1), trial("after", 2), trial("reply-lost", 2)],
  pairs: [],
  secondJob: undefined,
  coverage: { planned: 3, struck: 3 },
  brokenCalm: undefined,
  firstBroken: undefined,
  vacuous: [],
  leftOut: { faults: 0, storm: false },
};

test("crashTableFrom() prints a row per host and site where there is room", () => {
  expect(crashTableFrom(REPORT, PLAIN).split("\n").slice(2, 4)).toEqual([
    "host    site        boundaries  crash before     crash after   reply lost",
    "task-1  job.submit  1           1 submits first  1 second job  1 second job",
  ]);
});

test("crashTableFrom() prints a block per host and site on a narrow terminal", () => {
  const lines = crashTableFrom(REPORT, PLAIN, 60).split("\n");
  expect(lines.slice(2, 5)).toEqual([
    "task-1 job.submit  1 boundary",
    "  crash before: 1 submits first",
    "  crash after, reply lost: 1 second job",
  ]);
});
