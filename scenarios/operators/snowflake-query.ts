import type { ExecutionContext } from "faultlane";
import type { CheckedJob, CreateJob, JobClient } from "faultlane/check";

const ENDED: readonly string[] = ["success", "error"];
const POLL_EVERY_MS = 5_000;

/**
 * SnowflakeSqlApiOperator, made resumable without a base class: six methods, which `resumeOrSubmit`
 * calls.
 *
 * What changed, against an operator that submits and polls:
 * 1. The methods take the ids of the statements as an argument, because the attempt that polls need
 *    not be the one that submitted.
 * 2. Several statements have one status: the whole is active while one of them is, and has succeeded
 *    when all have.
 * 3. The request id names the statements that these replace, so that a submit whose reply was lost
 *    is not made twice.
 */
class RunStatements implements CheckedJob {
  readonly #snowflake: JobClient;
  readonly #task: string;
  #replaced = "none";
  #ids: readonly string[] | undefined;

  constructor(snowflake: JobClient, task: string) {
    this.#snowflake = snowflake;
    this.#task = task;
  }

  async submitJob(): Promise<readonly string[]> {
    const idempotencyKey = `${this.#task}, after ${this.#replaced}`;
    const ids = await this.#snowflake.submit({ jobType: "sql", idempotencyKey });
    this.#ids = ids as readonly string[];
    return this.#ids;
  }

  getJobStatus(ids: readonly string[]): Promise<string> {
    this.#replaced = ids.join("+");
    return this.#snowflake.status(ids);
  }

  isJobActive(status: string): boolean {
    return status.split(",").some((one) => !ENDED.includes(one));
  }

  isJobSucceeded(status: string): boolean {
    return status.split(",").every((one) => one === "success");
  }

  async pollUntilComplete(ids: readonly string[]): Promise<void> {
    this.#ids = ids;
    for (;;) {
      const status = await this.getJobStatus(ids);
      if (this.isJobSucceeded(status)) return;
      if (!this.isJobActive(status)) throw new Error(`The statements ended as ${status}`);
      await new Promise((resolve) => void setTimeout(resolve, POLL_EVERY_MS));
    }
  }

  async getJobResult(ids: readonly string[]): Promise<string> {
    return (await this.#snowflake.result(ids)).output;
  }

  async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#ids === undefined || executionContext?.category === "infrastructure") return;
    await this.#snowflake.cancel(this.#ids);
  }
}

export const createJob: CreateJob = (snowflake, { task }) => new RunStatements(snowflake, task);
