import { describe, expect, test } from "vitest";
import { checkResumableJob, PropertyViolation } from "../../sim/check/mod.ts";
import type { JobClient } from "../../sim/jobs/job-client.ts";
import type { CreateJob } from "../../sim/worlds/operator/operator-under-test.ts";
import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { JobFailed, ResumableJobMixin, resumeOrSubmit } from "../../src/resumable/mod.ts";

const POLL_EVERY_MS = 5_000;
const PATIENCE_MS = 10_000;
const ENDED: readonly string[] = ["SUCCEEDED", "FAILED", "MISSING"];

type Execute = (operator: StageAndLoad, ctx: TaskContext) => Promise<unknown>;

/** Runs two jobs, one after the other. */
class StageAndLoad extends ResumableJobMixin(BaseOperator) {
  static override readonly externalIdKey: string = "job_id";
  readonly #client: JobClient;
  readonly #execute: Execute;
  #newest: unknown;

  constructor(client: JobClient, execute: Execute) {
    super();
    this.#client = client;
    this.#execute = execute;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.#execute(this, ctx);
  }

  async submitJob(): Promise<unknown> {
    this.#newest = await this.#client.submit({ jobType: "batch" });
    return this.#newest;
  }

  async getJobStatus(id: unknown): Promise<string> {
    const status = await this.#lookUp(id);
    if (status !== "MISSING") return status;
    await pause(PATIENCE_MS);
    return this.#lookUp(id);
  }

  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "SUCCEEDED";
  }

  async pollUntilComplete(id: unknown): Promise<void> {
    this.#newest = id;
    for (;;) {
      const status = await this.getJobStatus(id);
      if (this.isJobSucceeded(status)) return;
      if (!this.isJobActive(status)) throw new JobFailed(id, status);
      await pause(POLL_EVERY_MS);
    }
  }

  getJobResult(_id: unknown): unknown {
    return null;
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#newest === undefined || this.keepsJob(executionContext)) return;
    await this.#client.cancel(this.#newest);
  }

  /** Whether the next attempt is to go on with the job. */
  keepsJob(executionContext: ExecutionContext | null): boolean {
    return keepsJob(executionContext);
  }

  async #lookUp(id: unknown): Promise<string> {
    try {
      return await this.#client.status(id);
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "MISSING";
      throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Changes an operator under test. */
type Change = (operator: StageAndLoad, client: JobClient) => StageAndLoad;

function creating(execute: Execute, change: Change = (operator) => operator): CreateJob {
  return (client) => change(new StageAndLoad(client, execute), client);
}

/** Its result is that of its job. */
const takingResults: Change = (operator, client) =>
  Object.assign(operator, {
    getJobResult: async (id: unknown) => (await client.result(id)).output,
  });

/** Each job has a key of its own. */
async function underTwoKeys(operator: StageAndLoad, ctx: TaskContext): Promise<unknown> {
  await resumeOrSubmit(operator, ctx, { externalIdKey: "stage_id" });
  return resumeOrSubmit(operator, ctx, { externalIdKey: "load_id" });
}

/** Runs two jobs at once, each with an operator and a key of its own. */
class BothAtOnce extends BaseOperator {
  readonly parts: readonly StageAndLoad[];

  constructor(client: JobClient, load: Execute) {
    super();
    const stage: Execute = (operator, ctx) =>
      resumeOrSubmit(operator, ctx, { externalIdKey: "stage_id" });
    this.parts = [new StageAndLoad(client, stage), new StageAndLoad(client, load)];
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return Promise.all(this.parts.map((part) => part.execute(ctx)));
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    const ends = await Promise.allSettled(
      this.toCancel().map((part) => part.onKill(executionContext)),
    );
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  toCancel(): readonly StageAndLoad[] {
    return this.parts;
  }
}

const load: Execute = (operator, ctx) =>
  resumeOrSubmit(operator, ctx, { externalIdKey: "load_id" });

/** Its own `execute` needs none of the six methods. */
function atOnce(change: (client: JobClient) => BothAtOnce): CreateJob {
  return (client) => change(client) as unknown as ReturnType<CreateJob>;
}

function brokenPromiseOf(execute: Execute, change?: Change): Promise<string> {
  return promiseBrokenBy(creating(execute, change));
}

async function promiseBrokenBy(createJob: CreateJob): Promise<string> {
  const checked = checkResumableJob(createJob, { system: "aws-batch", numRuns: 300 });
  const error = await checked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PropertyViolation);
  return (error as PropertyViolation).guarantee;
}

describe("a check of an operator that runs two jobs", () => {
  test("holds where each has its own key", async () => {
    const { runs } = await checkResumableJob(creating(underTwoKeys), {
      system: "aws-batch",
      numRuns: 300,
    });
    expect(runs).toBe(300);
  });

  test("holds where both run at once", async () => {
    const createJob = atOnce((client) => new BothAtOnce(client, load));
    const { runs } = await checkResumableJob(createJob, { system: "aws-batch", numRuns: 100 });
    expect(runs).toBe(100);
  });

  test("finds that a kill cancels one of two that run at once", async () => {
    const createJob = atOnce((client) =>
      Object.assign(new BothAtOnce(client, load), {
        toCancel(this: BothAtOnce) {
          return this.parts.slice(1);
        },
      }),
    );
    expect(await promiseBrokenBy(createJob)).toBe("R-I14");
  });

  test("finds one of two at once that is not looked for", async () => {
    const createJob = atOnce(
      (client) =>
        new BothAtOnce(client, async (operator, ctx) => {
          const id = (await operator.submitJob()) as string;
          await ctx.taskStateStore?.set("load_id", id);
          return operator.pollUntilComplete(id);
        }),
    );
    expect(["R-I1", "R-I3", "R-I4", "R-uses"]).toContain(await promiseBrokenBy(createJob));
  });

  test("finds two uses of one key: the second job is never run", async () => {
    const promise = await brokenPromiseOf(async (operator, ctx) => {
      await operator.executeResumable(ctx);
      return operator.executeResumable(ctx);
    });
    expect(promise).toBe("R-uses");
  });

  test("finds two calls of resumeOrSubmit with one key: the second job is never run", async () => {
    const promise = await brokenPromiseOf(async (operator, ctx) => {
      await resumeOrSubmit(operator, ctx, { externalIdKey: "stage_id" });
      return resumeOrSubmit(operator, ctx, { externalIdKey: "stage_id" });
    }, takingResults);
    expect(promise).toBe("R-uses");
  });

  test("holds where a result is taken twice, by the id that was read again", async () => {
    const createJob = creating(async (operator, ctx) => {
      await resumeOrSubmit(operator, ctx, { externalIdKey: "stage_id" });
      return operator.getJobResult(await ctx.taskStateStore?.get("stage_id"));
    }, takingResults);
    const { runs } = await checkResumableJob(createJob, { system: "aws-batch", numRuns: 300 });
    expect(runs).toBe(300);
  });

  test("finds a second job whose key is another one in each try", async () => {
    const promise = await brokenPromiseOf(async (operator, ctx) => {
      await resumeOrSubmit(operator, ctx, { externalIdKey: "stage_id" });
      return resumeOrSubmit(operator, ctx, { externalIdKey: `load_id_${ctx.tryNumber}` });
    });
    expect(["R-I1", "R-I3", "R-I4", "R-uses"]).toContain(promise);
  });

  test("finds a second job that is not looked for", async () => {
    const promise = await brokenPromiseOf(async (operator, ctx) => {
      await resumeOrSubmit(operator, ctx, { externalIdKey: "stage_id" });
      const id = (await operator.submitJob()) as string;
      await ctx.taskStateStore?.set("load_id", id);
      return operator.pollUntilComplete(id);
    });
    expect(["R-I1", "R-I3", "R-I4"]).toContain(promise);
  });

  test("holds where an operator that is not durable cancels what it cannot find again", async () => {
    const createJob: CreateJob = (client) => {
      const operator = new StageAndLoad(client, (self, ctx) => self.executeResumable(ctx));
      return Object.assign(operator, { durable: false, keepsJob: () => false });
    };
    const { runs } = await checkResumableJob(createJob, { system: "aws-batch", numRuns: 300 });
    expect(runs).toBe(300);
  });
});
