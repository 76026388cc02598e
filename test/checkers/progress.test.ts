import { expect, test } from "vitest";
import { CheckerRunner } from "../../sim/checkers/mod.ts";
import { pagesAreLoadedOnce } from "../../sim/checkers/task/progress.ts";
import { TaskFacts } from "../../sim/checkers/task/task-facts.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

const FIRST = startOf(1);
const SECOND = startOf(2);

function startOf(attempt: number): TraceBody {
  const task = { task: "load", scope: "load/r1" };
  return { kind: "attempt", attempt, tryNumber: attempt, start: "execute", ...task };
}

function rows(attempt: number, from: number, to: number): TraceBody {
  return { kind: "rows-loaded", process: "etl", attempt, from, to };
}

/** What R-I12 reports about a trace. */
function reportedAbout(...bodies: readonly TraceBody[]): readonly string[] {
  const runner = new CheckerRunner([pagesAreLoadedOnce], new TaskFacts());
  for (const [at, body] of bodies.entries()) runner.observe({ at, host: "worker-1", ...body });
  return runner.end().map(({ detail }) => detail);
}

test("each attempt that was lost may cost one repeat of rows", () => {
  const trace = [FIRST, rows(1, 1, 10), SECOND, rows(2, 1, 10), rows(2, 11, 20)];
  expect(reportedAbout(...trace)).toEqual([]);
});

test("a second repeat of rows is one too many, wherever it is", () => {
  const once = [FIRST, rows(1, 1, 10), SECOND, rows(2, 1, 10)];
  const inSecond = "rows 1 to 10 of etl are repeat 2, with 1 lost";
  expect(reportedAbout(...once, rows(2, 1, 10))).toEqual([inSecond]);
  const others = "rows 10 to 20 of etl are repeat 2, with 1 lost";
  expect(reportedAbout(...once, rows(2, 10, 20))).toEqual([others]);
});

test("no attempt was lost: the first repeat of rows is one too many", () => {
  const said = "rows 10 to 12 of etl are repeat 1, with 0 lost";
  expect(reportedAbout(FIRST, rows(1, 1, 10), rows(1, 10, 12))).toEqual([said]);
});

test("a repeat of the last row alone counts as one, too", () => {
  const allowed = [FIRST, rows(1, 1, 10), SECOND, rows(2, 10, 20)];
  expect(reportedAbout(...allowed)).toEqual([]);
  const said = "rows 20 to 25 of etl are repeat 2, with 1 lost";
  expect(reportedAbout(...allowed, rows(2, 20, 25))).toEqual([said]);
});
