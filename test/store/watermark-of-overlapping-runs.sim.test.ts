import { expect, test } from "vitest";
import { sleep } from "../../src/time/mod.ts";
import type { StateModelPort, TaskFunction } from "../../src/operator/mod.ts";
import type { TaskServices } from "../../sim/hosts/task-process.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

const SEEDS = 15;
/** The first run reads its mark first, and takes longest. */
const RUN_MS = 45_000;
const LESS_EACH_RUN_MS = 12_000;

const SCENARIO = parseScenario(
  `
story: Runs of an incremental task overlap; the oldest one finishes last, and workers die.
world: tasks
workers: 4
tasks:
  - name: orders
    operator: watermark
    progressIn: task
    runs: 4
    every: 5s
    overlap: true
    rowsEvery: 3s
    retries: 30
    retryDelay: 2s
faults:
  - { site: api.set-task-state, rate: "1/4", verdict: crash-after }
  - { site: api.set-task-state, rate: "1/5", verdict: duplicate }
phases: { safety: 120s }
`,
  "watermark-of-overlapping-runs",
);

type Store = (state: StateModelPort, high: number) => Promise<unknown>;

/** AIP-30's incremental process: reads what is there, and stores its mark when it is through. */
const incremental =
  ({ life, assignment }: TaskServices, store: Store): TaskFunction =>
  async ({ taskState, runId }) => {
    if (taskState === undefined) throw new Error("There is no TaskState");
    const high = life.clock.wallNow();
    const run = Number(/\d+$/.exec(runId)?.[0] ?? 1);
    const isFirst = assignment.row.tryNumber === 1;
    await sleep(life.clock, isFirst ? Math.max(1_000, RUN_MS - run * LESS_EACH_RUN_MS) : 1_000);
    await store(taskState, high);
  };

/** In how many seeds the watermark falls, and how often it was written in all. */
async function fallsWith(
  store: Store,
): Promise<{ readonly falls: number; readonly writes: number }> {
  const totals = { falls: 0, writes: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { trace } = await simulate(SCENARIO, {
      seed,
      taskParts: { createOperator: (_spec, services) => incremental(services, store) },
    });
    const marks = trace.flatMap((event) =>
      event.kind === "state-set" && event.scope.startsWith('["task",') ? [Number(event.value)] : [],
    );
    totals.writes += marks.length;
    if (marks.some((mark, at) => mark < (marks[at - 1] ?? 0))) totals.falls += 1;
  }
  return totals;
}

test("a watermark that overlapping runs raise never falls in a world under faults", async () => {
  const { falls, writes } = await fallsWith((state, high) => state.raise(high));
  expect(falls).toBe(0);
  expect(writes).toBeGreaterThan(SEEDS);
});

test("one that they set falls", async () => {
  const { falls } = await fallsWith((state, high) => state.set(high));
  expect(falls).toBeGreaterThan(SEEDS / 2);
});
