import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { PresetJob } from "../../sim/workloads/preset-job.ts";
import { PresetOperator } from "../../sim/workloads/preset-operator.ts";
import type { TaskScenario } from "../../sim/worlds/tasks/task-scenario.ts";
import type { TaskWorldParts } from "../../sim/worlds/tasks/task-parts.ts";
import {
  MemoryPayloadStore,
  MemoryStateBackend,
  OffloadingStateBackend,
  TaskStateStore,
} from "../../src/store/mod.ts";
import { believed } from "../check/answer-bugs.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { systemClock } from "../../src/platform/mod.ts";

const SEEDS = 6;
const SYSTEM = "aws-batch";

/** E92: the job that a stored id names is taken for the task's own, whoever has submitted it. */
const FOLLOWS_ANY_ID: TaskWorldParts = {
  createOperator(spec, { life, assignment }, hook) {
    const { name } = assignment.row;
    if (spec.operator !== "resumable" && spec.operator !== "resumable-checkpoint") return undefined;
    const job = new PresetJob(believed(hook(), name), life.clock, { system: SYSTEM, name });
    return new PresetOperator(job, { checkpoints: spec.operator === "resumable-checkpoint" });
  },
};

function tasksOf(scenario: Scenario): TaskScenario {
  if (scenario.world !== "tasks") throw new TypeError(`${scenario.name} has no tasks`);
  return scenario;
}

async function brokenIn(scenario: Scenario, taskParts: TaskWorldParts): Promise<Set<string>> {
  const broken = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const report = await simulate(scenario, { seed, taskParts, trace: false, digest: false });
    for (const { checker } of report.violations) broken.add(checker);
  }
  return broken;
}

describe("E92 a stored id that is followed without a look at whose job it is", () => {
  const scenario = tasksOf(readScenario("store/reads-of-another-tasks-job"));

  test("takes another task's result for its own when a read lies", async () => {
    expect([...(await brokenIn(scenario, FOLLOWS_ANY_ID))]).toContain("R-verdict");
  });

  test("is not found by the other faults", async () => {
    const faults = scenario.faults.filter(
      (fault) => !("verdict" in fault && fault.verdict === "answer-other"),
    );
    expect(await brokenIn({ ...scenario, faults }, FOLLOWS_ANY_ID)).toEqual(new Set());
  });
});

describe("a store whose backend returns the entry of another key", () => {
  const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;

  async function confused(): Promise<TaskStateStore> {
    const backend = new MemoryStateBackend();
    const { get, getMany } = backend;
    const store = new TaskStateStore(backend, scope, { clock: systemClock });
    await store.set("page", 7);
    backend.get = (of) => get.call(backend, of, "page");
    backend.getMany = (of) => getMany.call(backend, of, ["page"]);
    return store;
  }

  test("refuses it, and returns the entry that was asked for", async () => {
    const store = await confused();
    await expect(store.get("job_id")).rejects.toMatchObject({
      name: "StoreUnavailable",
      message:
        'Cannot get "job_id" of task (dag "etl", task "load"): the backend returned the entry of "page"',
    });
    await expect(store.getMany(["job_id", "rows"])).rejects.toMatchObject({
      name: "StoreUnavailable",
    });
    expect(await store.get("page")).toBe(7);
  });

  test("never overwrites a payload that is in use", async () => {
    const inner = new MemoryStateBackend();
    const payloads = new MemoryPayloadStore();
    const backend = new OffloadingStateBackend(inner, payloads, { inlineCharsMax: 0 });
    const write = { expiresAt: null };
    for (const value of ["1", "2"]) await backend.set(scope, "page", value, write);
    await backend.set(scope, "other", "9", write);
    const { get } = inner;
    inner.get = (of) => get.call(inner, of, "other");
    await expect(backend.set(scope, "page", "3", write)).rejects.toThrow('the entry of "other"');
    inner.get = get;
    expect((await backend.get(scope, "page"))?.value).toBe("2");
  });
});
