import { type CheckedJob, type JobClient, JobNotFound } from "../../sim/check/mod.ts";
import type { ExecutionContext } from "../../src/operator/mod.ts";
import { JobFailed } from "../../src/resumable/mod.ts";

const ENDED = ["success", "error", "dead", "killed", "missing"];
const PATIENCE_MS = 10_000;
const POLL_EVERY_MS = 5_000;

/** A Livy batch as its author would write it: nothing of the kit but the client, and `setTimeout`. */
export class LivyBatch implements CheckedJob {
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
    const status = await this.#look(id);
    if (status !== "missing") return status;
    await pause(PATIENCE_MS);
    return this.#look(id);
  }

  /** What Livy may say tomorrow still runs. */
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
      if (!this.isJobActive(status)) throw new JobFailed(id, status);
      await pause(POLL_EVERY_MS);
    }
  }

  async getJobResult(id: number): Promise<string> {
    return (await this.#livy.result(id)).output;
  }

  async onKill(executionContext: ExecutionContext | null): Promise<void> {
    const isKept = this.#id === undefined || executionContext?.category === "infrastructure";
    if (!isKept) await this.#livy.cancel(this.#id);
  }

  /** Batch ids begin at 0 again after a restart: only the tag says whose batch it is. */
  async #look(id: number): Promise<string> {
    try {
      const { status, tag } = await this.#livy.describe(id);
      return tag === this.#tag ? status : "missing";
    } catch (error) {
      if (error instanceof JobNotFound) return "missing";
      throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
