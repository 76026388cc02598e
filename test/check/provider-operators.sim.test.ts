import { expect, test } from "vitest";
import { createJob as createDatabricksRun } from "../../scenarios/operators/databricks-run.ts";
import { createJob as createEmrStep } from "../../scenarios/operators/emr-step.ts";
import { createJob as createTraining } from "../../scenarios/operators/sagemaker-training.ts";
import { createJob as createSnowflakeQuery } from "../../scenarios/operators/snowflake-query.ts";
import { checkResumableJob } from "../../sim/check/mod.ts";

test.each([
  ["databricks", createDatabricksRun],
  ["emr-step", createEmrStep],
  ["snowflake", createSnowflakeQuery],
  ["sagemaker", createTraining],
] as const)("the example operator for %s holds, seeds 1 to 300", async (system, createJob) => {
  const { runs } = await checkResumableJob(createJob, { system, numRuns: 300 });
  expect(runs).toBe(300);
});

test("a task needs more attempts where the first look at its failed job may be undocumented", async () => {
  // In this run six attempts in a row wait for a job that has failed, and find it failed.
  const how = { system: "databricks", seed: 9_169, numRuns: 1 } as const;
  const { runs } = await checkResumableJob(createDatabricksRun, how);
  expect(runs).toBe(1);
});
