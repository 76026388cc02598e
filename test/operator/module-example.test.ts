import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  BaseOperator,
  EXECUTE,
  type ExecutionContext,
  keepsJob,
  runTask,
  startAfter,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { ResumableJobMixin } from "../../src/resumable/mod.ts";
import { Attempt, Cluster } from "./cluster.ts";

const jobs = new Cluster();
const cluster = {
  submit: async (_name: string): Promise<string> => jobs.submit(),
  wait: (id: string, signal: AbortSignal): Promise<string> => jobs.wait(id, signal),
  cancel: (id: string): Promise<void> => jobs.cancel(id),
  hasFailed: async (id: string): Promise<boolean> => jobs.statuses.get(id) === "FAILED",
};
const batch = {
  submit: cluster.submit,
  status: async (_id: string): Promise<string> => "SUCCEEDED",
  wait: async (_id: string): Promise<void> => undefined,
  rows: async (_id: string): Promise<number> => 42,
};

class RunReport extends BaseOperator<string> {
  #jobId: string | undefined;
  override async execute(ctx: TaskContext): Promise<string> {
    this.#jobId = await cluster.submit("report");
    return cluster.wait(this.#jobId, ctx.signal);
  }
  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });
    await cluster.cancel(this.#jobId);
  }
  async resumeJob(ctx: TaskContext, jobId: string): Promise<string> {
    if (await cluster.hasFailed(jobId)) return this.execute(ctx);
    this.#jobId = jobId;
    return cluster.wait(jobId, ctx.signal);
  }
}

class RunBatch extends ResumableJobMixin(BaseOperator) {
  static override readonly externalIdKey = "batch_job_id";
  override execute(ctx: TaskContext): Promise<unknown> {
    return this.executeResumable(ctx);
  }
  submitJob(): Promise<string> {
    return batch.submit("nightly");
  }
  getJobStatus(id: string): Promise<string> {
    return batch.status(id);
  }
  isJobActive(status: string): boolean {
    return ["PENDING", "RUNNING"].includes(status);
  }
  isJobSucceeded(status: string): boolean {
    return status === "SUCCEEDED";
  }
  pollUntilComplete(id: string): Promise<void> {
    return batch.wait(id);
  }
  getJobResult(id: string): Promise<number> {
    return batch.rows(id);
  }
}

it("does what the examples of the two module docs say", async () => {
  const attempt = new Attempt();
  const { ctx } = attempt;
  const pending = runTask(new RunReport(), ctx);
  await Promise.resolve();
  await Promise.resolve();
  attempt.kill("infrastructure");
  const outcome = await pending;
  const next = startAfter(EXECUTE, outcome);
  expect(next).toMatchObject({ kind: "resume", remoteJobId: "job-1" });
  jobs.finish("job-1");
  expect(await runTask(new RunReport(), new Attempt().ctx, next)).toEqual({
    kind: "success",
    result: "rows of job-1",
  });
  expect(await runTask(new RunBatch(), new Attempt().ctx)).toEqual({ kind: "success", result: 42 });
});

for (const room of ["operator", "resumable"]) {
  it(`has the example of src/${room}/mod.ts letter for letter`, () => {
    const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
    const [, block = ""] = read(`../../src/${room}/mod.ts`).split("```");
    const solid = (text: string): string => text.replaceAll(/\s+/g, "");
    const code = block.replace(/^ts/, "").replaceAll(/^ \*/gm, "");
    const here = solid(read("./module-example.test.ts"));
    const classText = solid(code.split("\n }\n")[0] ?? "");
    expect(classText.length).toBeGreaterThan(200);
    expect(here).toContain(classText);
  });
}
