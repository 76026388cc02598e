import { describe, expect, test } from "vitest";
import { crashTableFrom } from "../../sim/report/crash-table.ts";
import { PLAIN } from "../../sim/report/terminal.ts";
import { type CrashPointReport, exploreCrashPoints } from "../../sim/search/crash-points.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";

const NAMES = scenarioNames().filter((name) => name.startsWith("resumable/"));

describe("a crash at every effect boundary, in each of three ways", () => {
  const reports = new Map<string, Promise<CrashPointReport>>();

  /** Each scenario is explored once, by the test that needs it first. */
  function reportOf(name: string): Promise<CrashPointReport> {
    const known = reports.get(name) ?? exploreCrashPoints(readScenario(name), { pairs: 0 });
    reports.set(name, known);
    return known;
  }

  for (const name of NAMES) {
    test(`${name}: all covered, and nothing breaks that should hold`, async () => {
      const report = await reportOf(name);
      expect(report.coverage.struck).toBe(report.coverage.planned);
      expect(report.trials.filter(({ broken }) => broken.length > 0)).toEqual([]);
    });
  }

  test("the seeds' own operator pays twice exactly for the crashes inside its window", async () => {
    const report = await reportOf("resumable/crash-in-the-window");
    const { boundaries, trials, windows } = report;
    const doubled = trials.filter(({ jobs }) => jobs === 2);
    const where = doubled.map(({ strikes: [strike] }) => {
      const { site } = boundaries[(strike?.boundary ?? 0) - 1] as (typeof boundaries)[number];
      return `${site}: ${strike?.outcome}`;
    });
    expect(where).toEqual([
      "job.submit: after",
      "job.submit: reply-lost",
      "api.set-task-state: before",
      "store.commit: before",
    ]);
    expect(windows).toHaveLength(1);
    const ways = new Set(trials.flatMap(({ decisions }) => decisions));
    expect([...ways].toSorted()).toEqual([
      "already_succeeded",
      "fresh_submit",
      "reconnect_success",
    ]);
  });

  test("pairs of crashes break nothing either", async () => {
    const scenario = readScenario("resumable/crash-in-the-window");
    const { pairs } = await exploreCrashPoints(scenario, { pairs: 300 });
    expect(pairs.filter(({ broken }) => broken.length > 0)).toEqual([]);
    expect(pairs.filter(({ struck }) => struck).length).toBeGreaterThan(250);
  });

  test("a plain operator pays again almost everywhere", async () => {
    const { trials } = await reportOf("resumable/plain-operator");
    expect(trials.filter(({ jobs }) => jobs === 2).length).toBeGreaterThan(40);
  });

  test("the tables", async () => {
    const tables: string[] = [];
    for (const name of NAMES) tables.push(crashTableFrom(await reportOf(name), PLAIN));
    await expect(`${tables.join("\n\n")}\n`).toMatchFileSnapshot("crash-points.txt");
  });
});
