// The examples of Airflow's page about the task state store, ported one to one: each is a function
// that takes the context, as with @task, and runs in a world in which workers die and calls fail.
import { describe, expect, test } from "vitest";
import { NEVER_EXPIRE } from "../../src/store/mod.ts";
import type { TaskContext, TaskFunction } from "../../src/operator/mod.ts";
import type { TaskServices } from "../../sim/hosts/task-process.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const SEEDS = 20;
const PAGES = 12;

function storeOf(ctx: TaskContext): NonNullable<TaskContext["taskStateStore"]> {
  if (ctx.taskStateStore === undefined) throw new Error("there is no state store");
  return ctx.taskStateStore;
}

function fetchAndLoad({ life, assignment }: TaskServices, page: number): Promise<void> {
  const { row, attempt } = assignment;
  return life.call("warehouse.load", "warehouse", () =>
    life.trace({ kind: "page-loaded", task: row.name, attempt, page }),
  );
}

/** "Inside any @task-decorated function": get with a default, set, delete, clear. */
const myTask =
  ({ life }: TaskServices): TaskFunction =>
  async (ctx) => {
    const taskStateStore = storeOf(ctx);
    const myValue = await taskStateStore.get("my_key", "my_default_key");
    expect(["my_default_key", "It is 0 o'clock"]).toContain(myValue);
    const newValue = `It is ${life.clock.wallNow() % 1} o'clock`;
    await taskStateStore.set("my_key", newValue);
    expect(await taskStateStore.get("my_key")).toBe(newValue);
    await taskStateStore.delete("my_key");
    expect(await taskStateStore.get("my_key")).toBeNull();
    await taskStateStore.set("other", 1, { retention: { days: 7 } });
    await taskStateStore.clear();
    expect(await taskStateStore.get("other", 0)).toBe(0);
    return myValue;
  };

async function refusalOf(act: () => Promise<void>): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return error;
  }
}

/** "retention accepts only a timedelta", and "Mapped tasks": this index, and all of them. */
const mappedTask =
  (_services: TaskServices): TaskFunction =>
  async (ctx) => {
    const taskStateStore = storeOf(ctx);
    const refusal: unknown = await refusalOf(() =>
      taskStateStore.set("key", "val", { retention: 7 as never }),
    );
    expect(refusal instanceof TypeError).toBe(true);
    await taskStateStore.clear();
    await taskStateStore.clear({ allMapIndices: true });
  };

/** "External job resumption": the id of the job is stored with NEVER_EXPIRE. */
const runSparkJob =
  (services: TaskServices): TaskFunction =>
  async (ctx) => {
    const taskStateStore = storeOf(ctx);
    let jobId = await taskStateStore.get<string>("job_id");
    if (jobId === null) {
      jobId = `app-${services.assignment.attempt}`;
      await taskStateStore.set("job_id", jobId, { retention: NEVER_EXPIRE });
    }
    for (let page = 1; page <= PAGES; page += 1) await fetchAndLoad(services, page);
    expect(await taskStateStore.get("job_id")).toBe(jobId);
    return jobId;
  };

/** "Intra-task checkpointing": the last completed page. */
const ingestPages =
  (services: TaskServices): TaskFunction =>
  async (ctx) => {
    const taskStateStore = storeOf(ctx);
    const raw = await taskStateStore.get<number>("last_page");
    const startPage = raw === null ? 1 : raw + 1;
    for (let page = startPage; page <= PAGES; page += 1) {
      await fetchAndLoad(services, page);
      await taskStateStore.set("last_page", page);
    }
  };

/** "Progress metadata": what a person can look at while the task runs. */
const ingestRows =
  (services: TaskServices): TaskFunction =>
  async (ctx) => {
    const taskStateStore = storeOf(ctx);
    let total = 0;
    for (let page = 1; page <= PAGES; page += 1) {
      await fetchAndLoad(services, page);
      total += 100;
      await taskStateStore.set("progress", { rows_loaded: total, status: "running" });
    }
    await taskStateStore.set("progress", { rows_loaded: total, status: "done" });
    expect(await taskStateStore.get("progress")).toEqual({ rows_loaded: 1_200, status: "done" });
  };

/** AIP-30: a watermark of the task, read at the start and set at the end. */
const incremental =
  (services: TaskServices): TaskFunction =>
  async (ctx) => {
    const low = (await ctx.taskState?.get("1900-01-01")) ?? "";
    for (let page = 1; page <= PAGES; page += 1) await fetchAndLoad(services, page);
    const high = new Date(services.life.clock.wallNow()).toISOString();
    expect(high > low).toBe(true);
    await ctx.taskState?.set(high);
    await ctx.taskInstanceState?.set(high);
    await ctx.processState?.("acquisition_server01", "orders").set(high);
    await ctx.assetStateStore?.set("watermark", high);
    expect((await ctx.taskState?.read())?.value).toBe(high);
  };

interface Example {
  readonly example: string;
  readonly task: (services: TaskServices) => TaskFunction;
  /** Broken by design: it repeats pages that an earlier attempt has loaded. */
  readonly repeats?: true;
}

const EXAMPLES: readonly Example[] = [
  { example: "the four methods", task: myTask, repeats: true },
  { example: "mapped tasks", task: mappedTask, repeats: true },
  { example: "external job resumption", task: runSparkJob, repeats: true },
  { example: "intra-task checkpointing", task: ingestPages },
  { example: "progress metadata", task: ingestRows, repeats: true },
  { example: "AIP-30's incremental process", task: incremental, repeats: true },
];

describe("an example of the documents runs in a world under faults:", () => {
  for (const { example, task, repeats } of EXAMPLES) {
    test(example, async () => {
      const scenario = readScenario("store/paginated-progress");
      const broken = new Set<string>();
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const report = await simulate(scenario, {
          seed,
          taskParts: { createOperator: (_spec, services) => task(services) },
        });
        for (const { checker } of report.violations) broken.add(checker);
        const ended = report.trace.filter(({ kind }) => kind === "attempt-ended");
        expect(
          ended.filter((event) => "outcome" in event && event.outcome === "success"),
        ).not.toEqual([]);
        for (const event of ended)
          if ("error" in event) expect(event.error).not.toBe("AssertionError");
      }
      // Only the one that keeps its pages in the store is what the scenario's law is about.
      expect([...broken].filter((checker) => checker !== "R-I12" || repeats !== true)).toEqual([]);
    });
  }
});
