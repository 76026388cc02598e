import type { ExecutionContext } from "faultlane";
import type { CheckedJob, CreateJob, JobClient } from "faultlane/check";

const ENDED: readonly string[] = ["Completed", "Failed", "Stopped", "missing"];
/** A new training job may not be found for a few seconds. */
const PATIENCE_MS = 10_000;
const POLL_EVERY_MS = 30_000;

/**
 * SageMakerTrainingOperator, made resumable: the training goes on when its worker is lost, even where
 * the loss comes before the job's name is stored.
 *
 * What changed, against an operator that submits and polls:
 * 1. The name of the training job is chosen, and the same at each attempt: whoever finds it taken has
 *    found the job of an attempt that was lost, and waits for that one. This closes the crash window.
 * 2. A job that has failed keeps its name for ever, so the next one is named after it.
 * 3. `onKill` asks why: an eviction keeps the training, and everything else stops it.
 */
class Training implements CheckedJob {
  readonly #sagemaker: JobClient;
  readonly #task: string;
  #replaced = "none";
  #name: string | undefined;

  constructor(sagemaker: JobClient, task: string) {
    this.#sagemaker = sagemaker;
    this.#task = task;
  }

  async submitJob(): Promise<string> {
    const name = `${this.#task}, after ${this.#replaced}`;
    // Known before the call, because a submit whose reply is lost may have begun the training.
    this.#name = name;
    try {
      await this.#sagemaker.submit({ jobType: "training", clientId: name });
    } catch (error) {
      if (!(error instanceof Error && error.name === "JobConflict")) throw error;
    }
    return name;
  }

  async getJobStatus(name: string): Promise<string> {
    this.#replaced = name;
    const status = await this.#find(name);
    if (status !== "missing") return status;
    await pause(PATIENCE_MS);
    return this.#find(name);
  }

  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "Completed";
  }

  async pollUntilComplete(name: string): Promise<void> {
    this.#name = name;
    for (;;) {
      const status = await this.getJobStatus(name);
      if (this.isJobSucceeded(status)) return;
      if (!this.isJobActive(status)) throw new Error(`Training ${name} ended as ${status}`);
      await pause(POLL_EVERY_MS);
    }
  }

  async getJobResult(name: string): Promise<string> {
    return (await this.#sagemaker.result(name)).output;
  }

  async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#name === undefined || executionContext?.category === "infrastructure") return;
    await this.#sagemaker.cancel(this.#name);
  }

  /** Only "there is no such training job" counts as missing; any other error is one. */
  async #find(name: string): Promise<string> {
    try {
      return await this.#sagemaker.status(name);
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "missing";
      throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export const createJob: CreateJob = (sagemaker, { task }) => new Training(sagemaker, task);
