import { expect, test } from "vitest";
import { checkResumableJob } from "../../sim/check/mod.ts";
import { JOB_SYSTEM_NAMES } from "../../sim/jobs/presets.ts";
import { PresetJob } from "../../sim/workloads/preset-job.ts";
import { PresetOperator } from "../../sim/workloads/preset-operator.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NUM_RUNS = 100;

const LENGTHS: readonly (readonly [name: string, runMs: number, pollEveryMs: number])[] = [
  ["a minute", MINUTE_MS, 5_000],
  ["two hours", 2 * HOUR_MS, 30_000],
  ["ten hours", 10 * HOUR_MS, MINUTE_MS],
  ["three days", 72 * HOUR_MS, 5 * MINUTE_MS],
];

for (const [name, ms, pollEveryMs] of LENGTHS) {
  test(`jobs of ${name} on every system, seeds 1 to ${NUM_RUNS}: nobody is accused`, async () => {
    for (const system of JOB_SYSTEM_NAMES) {
      const { runs } = await checkResumableJob(
        (client, { clock, task }) =>
          new PresetOperator(new PresetJob(client, clock, { system, name: task, pollEveryMs })),
        { system, numRuns: NUM_RUNS, knobs: { runMs: { min: ms, max: ms } } },
      );
      expect(runs).toBe(NUM_RUNS);
    }
  }, 600_000);
}
