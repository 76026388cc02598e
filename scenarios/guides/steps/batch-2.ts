import { BaseOperator, JobFailed, ResumableJobMixin, type TaskContext } from "faultlane";
import type { CreateJob, JobClient } from "faultlane/check";

const POLL_EVERY_MS = 5_000;

const ENDED: readonly string[] = ["SUCCEEDED", "FAILED"];

/** As step 1, and every status counts as running but those that are known to be final. */
class MyBatchOperator extends ResumableJobMixin(BaseOperator) {
  static override readonly externalIdKey: string = "batch_job_id";
  readonly #hook: JobClient;

  constructor(hook: JobClient) {
    super();
    this.#hook = hook;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.executeResumable(ctx);
  }

  async submitJob(): Promise<string> {
    return (await this.#hook.submit({ jobType: "batch" })) as string;
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
}

export const createJob: CreateJob = (hook) => new MyBatchOperator(hook);
