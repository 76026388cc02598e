import { JobFailed } from "../../src/resumable/mod.ts";
import { type DeferralTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import type { JobEndEvent } from "./contrast-tasks.ts";
import type { PresetJob, StoredJobId } from "./preset-job.ts";

/**
 * Waits for the job of a deferred task, and cancels it when a user ends the task.
 *
 * Source: AIP-96, path 2, DatabricksJobTrigger
 */
export class JobEndTrigger implements DeferralTrigger {
  readonly #job: PresetJob;
  readonly #jobId: StoredJobId;

  constructor(job: PresetJob, jobId: StoredJobId) {
    this.#job = job;
    this.#jobId = jobId;
  }

  async *run(signal: AbortSignal): AsyncGenerator<TriggerEvent> {
    yield new TriggerEvent(await this.#end(signal));
  }

  onKill(): Promise<void> {
    return this.#job.cancel(this.#jobId);
  }

  async #end(signal: AbortSignal): Promise<JobEndEvent> {
    const jobId = this.#jobId;
    try {
      await this.#job.pollUntilComplete(jobId, { signal });
      return { jobId, status: "success", succeeded: true };
    } catch (error) {
      if (!(error instanceof JobFailed)) throw error;
      return { jobId, status: error.status, succeeded: false };
    }
  }
}
