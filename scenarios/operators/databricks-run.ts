import type { ExecutionContext } from "faultlane";
import type { CheckedJob, CreateJob, JobClient } from "faultlane/check";

/** What the run's life-cycle state and result state say together, once it is over. */
const ENDED: readonly string[] = [
  "TERMINATED/SUCCESS",
  "TERMINATED/FAILED",
  "TERMINATED/CANCELED",
  "INTERNAL_ERROR/FAILED",
  "SKIPPED/",
  "missing",
];
/** A new run may not be found for a few seconds. */
const PATIENCE_MS = 10_000;
const POLL_EVERY_MS = 10_000;

/**
 * DatabricksSubmitRunOperator, made resumable: a run of three hours outlives the worker that
 * submitted it.
 *
 * What changed, against an operator that submits and polls:
 * 1. The six methods stand alone, and whoever calls them stores the run id before it polls. On a
 *    worker that is `executeResumable` of `ResumableJobMixin(BaseOperator)`.
 * 2. `onKill` asks why: an eviction keeps the run, and everything else cancels it.
 * 3. The idempotency token names the run that this one replaces. A fixed one would return the failed
 *    run for ever.
 * 4. Run ids have 64 bits, so they are stored as digits.
 */
class SubmitRun implements CheckedJob {
  readonly #databricks: JobClient;
  readonly #task: string;
  #replaced = "none";
  #runId: string | undefined;

  constructor(databricks: JobClient, task: string) {
    this.#databricks = databricks;
    this.#task = task;
  }

  async submitJob(): Promise<string> {
    const idempotencyKey = `${this.#task}, after ${this.#replaced}`;
    const id = await this.#databricks.submit({ jobType: "spark", idempotencyKey });
    this.#runId = String(id);
    return this.#runId;
  }

  async getJobStatus(runId: string): Promise<string> {
    this.#replaced = runId;
    const status = await this.#find(runId);
    if (status !== "missing") return status;
    await pause(PATIENCE_MS);
    return this.#find(runId);
  }

  /** A state that Databricks does not document counts as running. */
  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "TERMINATED/SUCCESS";
  }

  async pollUntilComplete(runId: string): Promise<void> {
    this.#runId = runId;
    for (;;) {
      const status = await this.getJobStatus(runId);
      if (this.isJobSucceeded(status)) return;
      if (!this.isJobActive(status)) throw new Error(`Run ${runId} ended as ${status}`);
      await pause(POLL_EVERY_MS);
    }
  }

  async getJobResult(runId: string): Promise<string> {
    return (await this.#databricks.result(BigInt(runId))).output;
  }

  async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#runId === undefined || executionContext?.category === "infrastructure") return;
    await this.#databricks.cancel(BigInt(this.#runId));
  }

  /** Only "there is no such run" counts as missing; any other error is one. */
  async #find(runId: string): Promise<string> {
    try {
      return await this.#databricks.status(BigInt(runId));
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "missing";
      throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export const createJob: CreateJob = (databricks, { task }) => new SubmitRun(databricks, task);
