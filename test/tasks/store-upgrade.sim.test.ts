import { describe, expect, test } from "vitest";
import type { SchemaPlan } from "../../sim/hosts/upgraded-store.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import type { TaskScenario } from "../../sim/worlds/tasks/task-scenario.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const SEEDS = 3;

/** E94: the column is renamed at once, under the workers of the old release. */
const AT_ONCE: SchemaPlan = {
  first: { columns: ["json"], fills: true },
  last: { columns: ["json"], fills: false },
  reads: "json",
};

/** E95: the new release reads its own column first, which the old one does not write. */
const OWN_COLUMN_FIRST: SchemaPlan = {
  first: { columns: ["value", "json"], fills: false },
  last: { columns: ["json"], fills: true },
  reads: "json",
};

/** E96: the old column is dropped without filling the new one. */
const NEVER_FILLED: SchemaPlan = {
  first: { columns: ["value", "json"], fills: false },
  last: { columns: ["json"], fills: false },
  reads: "value",
};

function tasksOf(scenario: Scenario): TaskScenario {
  if (scenario.world !== "tasks") throw new TypeError(`${scenario.name} has no tasks`);
  return scenario;
}

const SCENARIO = tasksOf(readScenario("store/a-rolling-upgrade-of-the-store"));

async function brokenIn(scenario: TaskScenario, schemaPlan: SchemaPlan): Promise<Set<string>> {
  const broken = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const options = { seed, taskParts: { schemaPlan }, trace: false, digest: false };
    const { violations } = await simulate(scenario, options);
    for (const { checker } of violations) broken.add(checker);
  }
  return broken;
}

describe("a rolling upgrade of the store", () => {
  test("runs attempts of both releases side by side, and drops the old column last", async () => {
    const { trace } = await simulate(SCENARIO, { seed: 1 });
    const steps = trace.filter(
      (event): event is Extract<TraceEvent, { kind: "schema-changed" }> =>
        event.kind === "schema-changed",
    );
    expect(steps.map(({ columns }) => columns)).toEqual(["value, json", "json"]);
    const [first, last] = steps.map(({ at }) => at);
    const between = trace.filter(({ at }) => at > (first ?? 0) && at < (last ?? 0));
    expect(between.filter(({ kind }) => kind === "state-set").length).toBeGreaterThan(10);
  });

  test.each([
    ["E94 a column that is renamed at once", AT_ONCE, "R-recovers"],
    ["E95 a new release that reads its own column first", OWN_COLUMN_FIRST, "R-I7"],
    ["E96 a column that is dropped and the new one not filled", NEVER_FILLED, "R-I7"],
  ])("finds %s", async (_, plan, promise) => {
    expect([...(await brokenIn(SCENARIO, plan))]).toContain(promise);
  });

  test("without one no plan is tried, and none found", async () => {
    const calm = { ...SCENARIO, operations: [] };
    for (const plan of [AT_ONCE, OWN_COLUMN_FIRST, NEVER_FILLED]) {
      expect(await brokenIn(calm, plan)).toEqual(new Set());
    }
  });
});
