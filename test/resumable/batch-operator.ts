import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import { ResumableJobMixin } from "../../src/resumable/mod.ts";
import type { JobBench } from "./job-bench.ts";

/** A resumable operator over the jobs of a bench. */
export class RunBatch extends ResumableJobMixin(BaseOperator) {
  readonly #bench: JobBench;
  /** The job that `onKill` would cancel. */
  jobId: unknown;

  constructor(bench: JobBench) {
    super();
    this.#bench = bench;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.executeResumable(ctx);
  }

  async submitJob(ctx: TaskContext): Promise<unknown> {
    this.jobId = await this.#bench.job.submitJob(ctx);
    return this.jobId;
  }

  async getJobStatus(id: unknown, ctx: TaskContext): Promise<string> {
    return this.#bench.job.getJobStatus(id, ctx);
  }

  isJobActive(status: string): boolean {
    return status === "RUNNING" || status === "PENDING";
  }

  isJobSucceeded(status: string): boolean {
    return status === "SUCCEEDED";
  }

  async pollUntilComplete(id: unknown, ctx: TaskContext): Promise<void> {
    this.jobId = id;
    await this.#bench.job.pollUntilComplete(id, ctx);
  }

  async getJobResult(id: unknown, ctx: TaskContext): Promise<unknown> {
    return this.#bench.job.getJobResult(id, ctx);
  }
}
