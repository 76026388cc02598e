import { BaseOperator, JobFailed, keepsJob, ResumableJobMixin } from "faultlane";
import type { ExecutionContext, TaskContext } from "faultlane";
import type { CreateJob, JobClient } from "faultlane/check";

const POLL_EVERY_MS = 5_000;
/** A new job may not be found for a few seconds. */
const PATIENCE_MS = 10_000;

const ENDED: readonly string[] = ["SUCCEEDED", "FAILED", "MISSING"];

/** As step 5, and a job counts as missing when it is still missing after a while. */
class MyBatchOperator extends ResumableJobMixin(BaseOperator) {
  static override readonly externalIdKey: string = "batch_job_id";
  readonly #hook: JobClient;
  #jobId: string | undefined;

  constructor(hook: JobClient) {
    super();
    this.#hook = hook;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.executeResumable(ctx);
  }

  async submitJob(): Promise<string> {
    this.#jobId = (await this.#hook.submit({ jobType: "batch" })) as string;
    return this.#jobId;
  }

  async getJobStatus(externalId: string): Promise<string> {
    const status = await this.#lookUp(externalId);
    if (status !== "MISSING") return status;
    await new Promise((resolve) => void setTimeout(resolve, PATIENCE_MS));
    return this.#lookUp(externalId);
  }

  async #lookUp(externalId: string): Promise<string> {
    try {
      return await this.#hook.status(externalId);
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "MISSING";
      throw error;
    }
  }

  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "SUCCEEDED";
  }

  async pollUntilComplete(externalId: string): Promise<void> {
    this.#jobId = externalId;
    for (;;) {
      const status = await this.getJobStatus(externalId);
      if (this.isJobSucceeded(status)) return;
      if (!this.isJobActive(status)) throw new JobFailed(externalId, status);
      await new Promise((resolve) => void setTimeout(resolve, POLL_EVERY_MS));
    }
  }

  getJobResult(_externalId: string): null {
    return null;
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });
    await this.#hook.cancel(this.#jobId);
  }
}

export const createJob: CreateJob = (hook) => new MyBatchOperator(hook);
