import { describe, expect, test } from "vitest";
import {
  checkResumableJob,
  type CheckedJob,
  type JobSystemName,
  PropertyViolation,
} from "../../sim/check/mod.ts";
import type { CreateJob } from "../../sim/worlds/operator/operator-under-test.ts";
import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { JobFailed, resumeOrSubmit } from "../../src/resumable/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

const KEY = "remote_job_id";
const SYSTEM = "aws-batch";

/** Has the id of its job kept for half an hour, from the submit or from each look at the job. */
function keptForHalfAnHour(since: "submit" | "look"): CreateJob {
  return (client, surroundings) => ({
    ...rightJobOn(SYSTEM)(client, surroundings),
    execute(this: CheckedJob, ctx: TaskContext) {
      return resumeOrSubmit(this, ctx);
    },
    async pollUntilComplete(this: CheckedJob, id: unknown, ctx: TaskContext) {
      // An attempt that goes on with a job has to know it, too, when it is killed.
      this.onKill = async (why) => {
        if (why?.category !== "infrastructure") await client.cancel(id);
      };
      for (let looks = 0; ; looks += 1) {
        const isToBeKept = since === "look" || looks === 0;
        const retention = { minutes: 30 };
        if (isToBeKept) await ctx.taskStateStore?.set(KEY, id as string, { retention });
        const status = await this.getJobStatus(id, ctx);
        if (await this.isJobSucceeded(status)) return;
        if (!(await this.isJobActive(status))) throw new JobFailed(id, status);
        await sleep(surroundings.clock, 5_000, ctx.signal);
      }
    },
  });
}

/**
 * Stores how many runs it has begun, `when`, and makes the name of each of that: a trigger of a run
 * that is there is refused, and its name is known anyway.
 */
function counted(when: "before" | "after"): CreateJob {
  return (client, { task, clock, ...surroundings }) => {
    const look = (name: string): Promise<string> =>
      client.status(name).catch((error: unknown) => {
        if ((error as Error).name === "JobNotFound") return "missing";
        throw error;
      });
    // A new run may not be found for a few seconds.
    const statusOf = async (name: string): Promise<string> => {
      const status = await look(name);
      if (status !== "missing") return status;
      await sleep(clock, 10_000);
      return look(name);
    };
    return {
      ...rightJobOn("trigger-dag-run")(client, { task, clock, ...surroundings }),
      async execute(this: CheckedJob, ctx: TaskContext) {
        const nameOf = (nth: number): string => `${task}__${nth}`;
        let run = Number((await ctx.taskStateStore?.get("run")) ?? 0);
        this.onKill = async (why) => {
          if (why?.category !== "infrastructure" && run > 0) await client.cancel(nameOf(run));
        };
        let status = run === 0 ? "failed" : await statusOf(nameOf(run));
        if (status === "failed" || status === "missing") {
          if (status === "failed") run += 1;
          if (when === "before") await ctx.taskStateStore?.set("run", run);
          ctx.signal?.throwIfAborted();
          await client.submit({ jobType: "dag", clientId: nameOf(run) }).catch((error: unknown) => {
            if ((error as Error).name !== "JobConflict") throw error;
          });
        }
        while ((status = await statusOf(nameOf(run))) !== "success") {
          if (status === "failed") throw new JobFailed(nameOf(run), status);
          await sleep(clock, 5_000, ctx.signal);
        }
        if (when === "after") await ctx.taskStateStore?.set("run", run);
        return (await client.result(nameOf(run))).output;
      },
    };
  };
}

/** Checkpoints its job when the infrastructure stops it. */
class Checkpointing extends BaseOperator {
  readonly job: CheckedJob;
  #id: unknown;

  constructor(job: CheckedJob) {
    super();
    this.job = job;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return resumeOrSubmit(this.noting(), ctx);
  }

  resumeJob(ctx: TaskContext, remoteJobId: unknown): Promise<unknown> {
    return resumeOrSubmit(this.noting(), ctx, { checkpointedId: remoteJobId });
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#id !== undefined && keepsJob(executionContext)) {
      this.checkpoint({ remoteJobId: this.#id });
    }
    await this.job.onKill?.(executionContext);
  }

  /** The job, whose id is noted as soon as it is known. */
  noting(): CheckedJob {
    return {
      ...this.job,
      submitJob: (ctx) => this.#submit(ctx),
      pollUntilComplete: (id, ctx) => this.#poll(id, ctx),
    };
  }

  async #submit(ctx: TaskContext): Promise<unknown> {
    this.#id = await this.job.submitJob(ctx);
    return this.#id;
  }

  async #poll(id: unknown, ctx: TaskContext): Promise<void> {
    this.#id = id;
    await this.job.pollUntilComplete(id, ctx);
  }
}

/** Stores the id of what it submits, and not that of a checkpoint. */
class TrustsTheCheckpoint extends Checkpointing {
  override async resumeJob(ctx: TaskContext, remoteJobId: unknown): Promise<unknown> {
    const stored = (await ctx.taskStateStore?.get(KEY)) ?? null;
    if (stored !== null) return this.execute(ctx);
    const job = this.noting();
    const status = await job.getJobStatus(remoteJobId, ctx);
    const isActive = await job.isJobActive(status);
    if (!isActive && !(await job.isJobSucceeded(status))) return this.execute(ctx);
    if (isActive) await job.pollUntilComplete(remoteJobId, ctx);
    return job.getJobResult(remoteJobId, ctx);
  }
}

/** Leaves nothing behind in the store, before anybody knows that it has succeeded. */
class TidiesUp extends Checkpointing {
  override async execute(ctx: TaskContext): Promise<unknown> {
    const result = await super.execute(ctx);
    await ctx.taskStateStore?.clear();
    return result;
  }
}

function operatorOf(Class: new (job: CheckedJob) => Checkpointing): CreateJob {
  return (client, surroundings) =>
    new Class(rightJobOn(SYSTEM)(client, surroundings)) as unknown as CheckedJob;
}

async function violationOf(
  createJob: CreateJob,
  system: JobSystemName = SYSTEM,
): Promise<PropertyViolation> {
  const error: unknown = await checkResumableJob(createJob, { system }).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PropertyViolation)) throw new Error("Nothing was found");
  return error;
}

describe("checkResumableJob()", () => {
  test("holds an operator that stores the id of its checkpoint", async () => {
    await checkResumableJob(operatorOf(Checkpointing), { system: SYSTEM, numRuns: 300 });
  });

  test("finds a checkpoint whose id never reaches the store", async () => {
    const { guarantee, message } = await violationOf(operatorOf(TrustsTheCheckpoint));
    expect(guarantee).toBe("R-I1");
    expect(message).toContain("went on with it after a checkpoint, and did not store its id");
  });

  test("finds state that is cleared before the success is known", async () => {
    const { guarantee, message } = await violationOf(operatorOf(TidiesUp));
    expect(guarantee).toBe("R-I1");
    expect(message).toContain("deleted its id");
  });

  test("finds a key with the date in it, which is another one after midnight", async () => {
    const dated: CreateJob = (client, surroundings) => ({
      ...rightJobOn(SYSTEM)(client, surroundings),
      execute(this: CheckedJob, ctx: TaskContext) {
        const externalIdKey = `job_${new Date().toISOString().slice(0, 10)}`;
        return resumeOrSubmit(this, ctx, { externalIdKey });
      },
    });
    const { guarantee, scenario } = await violationOf(dated);
    expect(["R-I1", "R-I3", "R-I5"]).toContain(guarantee);
    expect(scenario).toContain("23:59:");
  });

  test("finds an id that is kept for less than its job may take, and none that is kept anew", async () => {
    const { guarantee, scenario } = await violationOf(keptForHalfAnHour("submit"));
    expect(["R-kept", "R-I3", "R-I4"]).toContain(guarantee);
    expect(scenario).toContain("takes:");
    await checkResumableJob(keptForHalfAnHour("look"), { system: SYSTEM, numRuns: 100 });
  });

  test("holds an operator that stores what it makes the name of its job of", async () => {
    const system = "trigger-dag-run";
    await checkResumableJob(counted("before"), { system, numRuns: 300 });
    const { guarantee } = await violationOf(counted("after"), system);
    expect(guarantee).toBe("R-I2");
  });

  test("judges an operator that is not durable by its own promise", async () => {
    const undurable: CreateJob = (client, surroundings) => ({
      ...rightJobOn(SYSTEM)(client, surroundings),
      durable: false,
    });
    await checkResumableJob(undurable, { system: SYSTEM, numRuns: 300 });
  });
});
