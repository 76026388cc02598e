import { describe, expect, test } from "vitest";
import {
  checkResumableJob,
  type CheckedJob,
  JobNotFound,
  PropertyViolation,
} from "../../sim/check/mod.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import type { JobClient } from "../../sim/jobs/job-client.ts";
import { JOB_SYSTEM_NAMES, type JobSystemName, jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import type { CreateJob, JobSurroundings } from "../../sim/worlds/operator/operator-under-test.ts";
import { JobFailed, resumeOrSubmit } from "../../src/resumable/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

type Change = (client: JobClient, surroundings: JobSurroundings) => Partial<CheckedJob>;

const ENDED: readonly string[] = ["FINISHED", "FAILED", "ERROR", "KILLED"];

/** The right operator of a system with other methods, which its poll and its kill use. */
function changed(system: JobSystemName, change: Change): CreateJob {
  return (client, surroundings) => {
    const { clock } = surroundings;
    let own: unknown;
    const job: CheckedJob = {
      ...rightJobOn(system)(client, surroundings),
      async pollUntilComplete(id, ctx) {
        own = id;
        for (;;) {
          const status = await job.getJobStatus(id, ctx);
          if (await job.isJobSucceeded(status)) return;
          if (!(await job.isJobActive(status))) throw new JobFailed(id, status);
          await sleep(clock, 5_000, ctx.signal);
        }
      },
      async onKill(why) {
        if (own !== undefined && why?.category !== "infrastructure") await client.cancel(own);
      },
      ...change(client, surroundings),
    };
    return job;
  };
}

/** What is not found counts as running, so that a new job is never taken for gone. */
async function statusOf(client: JobClient, id: unknown): Promise<string> {
  try {
    return await client.status(id);
  } catch (error) {
    if (error instanceof JobNotFound) return "RUNNING";
    throw error;
  }
}

async function brokenPromise(
  createJob: CreateJob,
  system: JobSystemName,
  numRuns: number,
): Promise<{ readonly guarantee: string; readonly message: string }> {
  try {
    await checkResumableJob(createJob, { system, seed: 65, numRuns });
    return { guarantee: "none", message: "" };
  } catch (error) {
    if (error instanceof PropertyViolation) return error;
    throw error;
  }
}

describe("checkResumableJob() finds", () => {
  test("a lookup in one page of a list: what a busy system shows no more counts as gone", async () => {
    const createJob = changed("dbt-cloud", (client, { clock }) => ({
      async getJobStatus(id) {
        for (let look = 1; ; look += 1) {
          const page = await client.find({ last: 20 });
          const status = page.find((one) => one.id === id)?.status;
          if (status !== undefined || look === 2) return status ?? "missing";
          await sleep(clock, 10_000);
        }
      },
      isJobActive: (status) => !["10", "20", "30", "missing"].includes(status),
    }));
    const { guarantee, message } = await brokenPromise(createJob, "dbt-cloud", 400);
    expect(["R-I3", "R-I4"]).toContain(guarantee);
    expect(message).toContain("of other/");
  });

  test("a running job that is adopted by a tag without the run, also where a system is odd", async () => {
    const createJob = changed("spark-standalone", (client, { task }) => {
      const tag = task.replace(/\/[^/]+\//u, "/");
      return {
        async submitJob() {
          const last = (await client.find({ tag })).at(-1);
          const isOver = last === undefined || ENDED.includes(last.status);
          return isOver ? client.submit({ jobType: "spark", tag }) : last.id;
        },
        getJobStatus: (id) => statusOf(client, id),
      };
    });
    const { guarantee, message } = await brokenPromise(createJob, "spark-standalone", 100);
    expect(guarantee).toBe("R-I19");
    expect(message).toContain("which is etl/run-0/load's");
  });

  test("a job that is taken for ended while it is being cancelled", async () => {
    const cancelling = changed("emr-on-eks", (client, { task }) => {
      let replaced: unknown;
      return {
        submitJob: () =>
          client.submit({ jobType: "spark", idempotencyKey: `${task} after ${String(replaced)}` }),
        getJobStatus(id) {
          replaced = id;
          return statusOf(client, id);
        },
        isJobActive: (status) =>
          !["COMPLETED", "FAILED", "CANCELLED", "CANCEL_PENDING"].includes(status),
        isJobSucceeded: (status) => status === "COMPLETED",
      };
    });
    const { guarantee, message } = await brokenPromise(cancelling, "emr-on-eks", 400);
    expect(guarantee).toBe("R-I3");
    expect(message).toContain('its last lookup found "CANCEL_PENDING"');
  });
});

describe("checkResumableJob() holds", () => {
  test("an operator of several jobs, each with a token of its own, beside another run of it", async () => {
    const createJob: CreateJob = (client, surroundings) => {
      const { clock, task } = surroundings;
      let own: unknown;
      const jobOf = (stage: string): CheckedJob => {
        let replaced = "none";
        const job: CheckedJob = {
          ...rightJobOn("emr-on-eks")(client, surroundings),
          submitJob: () =>
            client.submit({
              jobType: stage,
              idempotencyKey: `${task}, ${stage} after ${replaced}`,
            }),
          getJobStatus(id) {
            replaced = String(id);
            return statusOf(client, id);
          },
          async pollUntilComplete(id, ctx) {
            own = id;
            for (;;) {
              const status = await job.getJobStatus(id, ctx);
              if (status === "COMPLETED") return;
              if (!(await job.isJobActive(status))) throw new JobFailed(id, status);
              await sleep(clock, 5_000, ctx.signal);
            }
          },
          getJobResult: async (id) => (await client.result(id)).output,
        };
        return job;
      };
      return {
        ...jobOf("stage"),
        async execute(ctx) {
          await resumeOrSubmit(jobOf("stage"), ctx, { externalIdKey: "stage_id" });
          return resumeOrSubmit(jobOf("load"), ctx, { externalIdKey: "load_id" });
        },
        async onKill(why) {
          if (own !== undefined && why?.category !== "infrastructure") await client.cancel(own);
        },
      };
    };
    expect(await brokenPromise(createJob, "emr-on-eks", 100)).toMatchObject({ message: "" });
  });
});

describe("what is drawn last", () => {
  test("is there on every system on which it can be", () => {
    for (const system of JOB_SYSTEM_NAMES) {
      const knobs = jobSystemKnobs(system);
      const runs = Array.from({ length: 300 }, (_, nth) => {
        const seed = nth + 65;
        const dice = new Dice(new SeededChoices(seed).stream("workload", "plan"), "plan");
        return drawOperatorSweep(dice, seed, { system, knobs });
      });
      const slow = runs.filter((run) => run.system.cancelTakes !== undefined);
      const busy = runs.filter(({ operations }) =>
        operations.some((one) => "otherJobs" in one && one.otherJobs > 100),
      );
      expect([system, slow.length > 0]).toEqual([system, knobs.cancel.kind === "async"]);
      expect([system, busy.length > 0]).toEqual([system, knobs.concurrencyLimit === undefined]);
    }
  });
});
