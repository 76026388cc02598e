import { describe, expect, test } from "vitest";
import { checkResumableJob, type CreateJob, JOB_SYSTEM_NAMES } from "../../sim/check/mod.ts";
import { createJob as createRefresh } from "../../scenarios/operators/webhook-refresh.ts";
import { LivyBatch } from "./livy-batch.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

describe("checkResumableJob()", () => {
  for (const system of JOB_SYSTEM_NAMES) {
    test(`finds nothing in the example operator on ${system}, seeds 1 to 300`, async () => {
      const report = await checkResumableJob(rightJobOn(system), { system, numRuns: 300 });
      expect(report).toMatchObject({ system, runs: 300, seed: 1 });
    });
  }

  test("finds nothing where the system gives no ids, seeds 1 to 2000", async () => {
    const report = await checkResumableJob(createRefresh, { system: "webhook", numRuns: 2_000 });
    expect(report.runs).toBe(2_000);
  });

  test("finds nothing in a job that is written by hand, seeds 1 to 1000", async () => {
    const createJob: CreateJob = (livy, { task }) => new LivyBatch(livy, task);
    const report = await checkResumableJob(createJob, { system: "livy" });
    expect(report.runs).toBe(1_000);
  });
});
