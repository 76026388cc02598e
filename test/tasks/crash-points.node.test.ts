import { describe, expect, test } from "vitest";
import { crashTableFrom } from "../../sim/report/crash-table.ts";
import { PLAIN } from "../../sim/report/terminal.ts";
import { type CrashPointReport, exploreCrashPoints } from "../../sim/search/crash-points.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";

const NAMES = scenarioNames().filter((name) => name.startsWith("resumable/"));

describe("a crash at every effect boundary, in each of three ways", () => {
  const reports = new Map<string, CrashPointReport>();

  for (const name of NAMES) {
    test(`${name}: all covered, and nothing breaks that should hold`, async () => {
      const report = await exploreCrashPoints(readScenario(name), { pairs: 0 });
      reports.set(name, report);
      expect(report.coverage.struck).toBe(report.coverage.planned);
      expect(report.trials.filter(({ broken }) => broken.length > 0)).toEqual([]);
    }, 120_000);
  }

  test("the seeds' own operator pays twice exactly for the crashes inside its window", () => {
    const report = reports.get("resumable/crash-in-the-window") as CrashPointReport;
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
  }, 120_000);

  test("a plain operator pays again almost everywhere", () => {
    const { trials } = reports.get("resumable/plain-operator") as CrashPointReport;
    expect(trials.filter(({ jobs }) => jobs === 2).length).toBeGreaterThan(40);
  });

  test("the tables", async () => {
    const tables = [...reports.values()].map((report) => crashTableFrom(report, PLAIN));
    await expect(`${tables.join("\n\n")}\n`).toMatchFileSnapshot("crash-points.txt");
  });
});
