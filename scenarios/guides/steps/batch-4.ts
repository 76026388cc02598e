import { BaseOperator, JobFailed, keepsJob, ResumableJobMixin } from "faultlane";
import type { ExecutionContext, TaskContext } from "faultlane";
import type { CreateJob, JobClient } from "faultlane/check";

const POLL_EVERY_MS = 5_000;

const ENDED: readonly string[] = ["SUCCEEDED", "FAILED"];

/** As step 3, and the job is kept where the infrastructure takes the worker away. */
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

  getJobStatus(externalId: string): Promise<string> {
    return this.#hook.status(externalId);
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
