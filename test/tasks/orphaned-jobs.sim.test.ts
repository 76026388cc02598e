import { expect, test } from "vitest";
import { orphanWords } from "../../sim/story/orphan-words.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";

/** What a run says of the jobs that ran on. */
async function orphansIn(scenario: Scenario, seed = 1): Promise<readonly (readonly string[])[]> {
  const { orphans, trace } = await simulate(scenario, { seed });
  for (const { job, since, forMs } of orphans) {
    const end = trace.find((event) => event.kind === "job-finished" && event.job === job);
    expect(end?.at).toBe(since + forMs);
  }
  return orphans.map(({ task, why }) => [task, why]);
}

function orphansOf(name: string, seed = 1): Promise<readonly (readonly string[])[]> {
  return orphansIn(readScenario(name), seed);
}

const STOPPED = "users/stopped-tasks-leave-their-jobs";

for (const seed of [1, 2, 3, 4, 5]) {
  test(`jobs that nobody could cancel are listed with the reason, seed ${seed}`, async () => {
    expect(await orphansOf(STOPPED, seed)).toEqual(
      expect.arrayContaining([
        ["checkpointed/run-1", "stopped-between-attempts"],
        ["deferred/run-1", "stopped-while-deferred"],
      ]),
    );
    expect(await orphansOf(STOPPED, seed)).toHaveLength(2);
  });
}

test("a job that its attempts cancelled is no orphan", async () => {
  expect(await orphansOf("resumable/users-end-deferred-tasks")).toEqual([]);
});

test("a job whose id was lost is replaced, and its task's last job is no orphan", async () => {
  const orphans = await orphansOf("resumable/plain-operator");
  expect(orphans.length).toBeGreaterThan(0);
  expect(new Set(orphans.map(([, why]) => why))).toEqual(new Set(["replaced"]));
});

/** One task with one try, whose job takes two minutes. */
function oneTry(more: string): Scenario {
  const task = `{ name: report, operator: resumable, retries: 0, executionTimeout: 60s }`;
  const job = "{ takes: { min: 120s, max: 120s } }";
  const rest = `tasks: [${task}], phases: { safety: 180s }, ${more}`;
  const text = `{ story: s, world: tasks, jobServer: ${job}, ${rest} }`;
  return parseScenario(text, "one-try");
}

test("a job that outlives the last try is an orphan: its worker was lost", async () => {
  const scenario = oneTry("faults: [{ at: 10s, crash: worker-1 }]");
  expect(await orphansIn(scenario)).toEqual([["report/run-1", "no-try-left"]]);
});

test("a job whose cancel failed is an orphan", async () => {
  const scenario = oneTry("faults: [{ site: job.cancel, verdict: fail-before, times: 99 }]");
  expect(await orphansIn(scenario)).toEqual([["report/run-1", "not-cancelled"]]);
});

test("a job whose cancel arrived is no orphan", async () => {
  expect(await orphansIn(oneTry("operations: []"))).toEqual([]);
});

test("a job that a cleared task finds again is no orphan", async () => {
  const faults = "faults: [{ at: 10s, crash: worker-1 }]";
  const scenario = oneTry(`${faults}, operations: [{ at: 70s, clear: report/run-1 }]`);
  expect(await orphansIn(scenario)).toEqual([]);
});

test("orphanWords() says how long a job ran on, and why", () => {
  const orphan = { job: 3, id: "j-3", task: "report/run-1", since: 10_000, forMs: 42_000 };
  expect(orphanWords({ ...orphan, why: "stopped-between-attempts" })).toBe(
    "orphaned: job 3 of report/run-1 ran on for 42.000 s: its user stopped it while no attempt ran that could cancel the job",
  );
});
