import { BaseOperator, JobFailed, keepsJob, resumeOrSubmit } from "faultlane";
import type { ExecutionContext, TaskContext } from "faultlane";
import type { CreateJob, JobClient } from "faultlane/check";

const POLL_EVERY_MS = 5_000;
const ENDED: readonly string[] = ["SUCCEEDED", "FAILED"];

/**
 * A batch that is kept when its worker is evicted, and the half of AIP-96 that is easily forgotten is
 * missing: whoever checkpoints has to bring `resumeJob`. Without it the step after the eviction fails
 * and costs a try; the mixin, `ResumableJobMixin`, brings it along.
 */
class Batch extends BaseOperator<unknown> {
  readonly #hook: JobClient;
  #jobId: string | undefined;

  constructor(hook: JobClient) {
    super();
    this.#hook = hook;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return resumeOrSubmit<string, unknown, TaskContext>(this, ctx);
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

export const createJob: CreateJob = (hook) => new Batch(hook);
