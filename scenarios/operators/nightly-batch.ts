import type { ExecutionContext } from "faultlane";
import type { CheckedJob, CreateJob, JobClient } from "faultlane/check";

const ENDED: readonly string[] = ["success", "error", "dead", "killed", "missing"];
/** A new batch may not be found for a few seconds. */
const PATIENCE_MS = 10_000;
const POLL_EVERY_MS = 5_000;

/**
 * A nightly batch on Livy.
 *
 * Batch ids begin at 0 again after a restart of the server, so only the tag says whose batch it is; a
 * status that Livy does not document counts as running; only a kill by the infrastructure keeps the
 * batch for the next attempt.
 */
class NightlyBatch implements CheckedJob {
  readonly #livy: JobClient;
  readonly #tag: string;
  #id: number | undefined;

  constructor(livy: JobClient, tag: string) {
    this.#livy = livy;
    this.#tag = tag;
  }

  async submitJob(): Promise<number> {
    this.#id = (await this.#livy.submit({ jobType: "spark", tag: this.#tag })) as number;
    return this.#id;
  }

  async getJobStatus(id: number): Promise<string> {
    const status = await this.#find(id);
    if (status !== "missing") return status;
    await pause(PATIENCE_MS);
    return this.#find(id);
  }

  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "success";
  }

  async pollUntilComplete(id: number): Promise<void> {
    this.#id = id;
    for (;;) {
      const status = await this.getJobStatus(id);
      if (this.isJobSucceeded(status)) return;
      if (!this.isJobActive(status)) throw new Error(`Batch ${id} ended as "${status}"`);
      await pause(POLL_EVERY_MS);
    }
  }

  async getJobResult(id: number): Promise<string> {
    return (await this.#livy.result(id)).output;
  }

  async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#id === undefined || executionContext?.category === "infrastructure") return;
    await this.#livy.cancel(this.#id);
  }

  async #find(id: number): Promise<string> {
    try {
      const { status, tag } = await this.#livy.describe(id);
      return tag === this.#tag ? status : "missing";
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "missing";
      throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export const createJob: CreateJob = (livy, { task }) => new NightlyBatch(livy, task);
