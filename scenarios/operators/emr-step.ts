import type { ExecutionContext } from "faultlane";
import type { CheckedJob, CreateJob, JobClient } from "faultlane/check";

const ENDED: readonly string[] = ["COMPLETED", "FAILED", "INTERRUPTED", "CANCELLED", "missing"];
/** A new step may not be found for a few seconds. */
const PATIENCE_MS = 10_000;
const POLL_EVERY_MS = 10_000;

/** A step of a cluster. */
type StepId = Readonly<Record<string, string>>;

/**
 * EmrAddStepsOperator, made resumable: a lost worker costs no second step.
 *
 * What changed, against an operator that submits and polls:
 * 1. The methods take the id of the step as an argument, because the attempt that polls need not be
 *    the one that submitted.
 * 2. A lookup that fails is an error, and only "there is no such step" counts as gone: that twice,
 *    because a cluster that was asked too early does not know the step yet.
 * 3. The tag says whose step it is, where a cluster that replaced another gives out its ids again.
 * 4. `onKill` asks why: an eviction keeps the step, and everything else cancels it.
 */
class AddStep implements CheckedJob {
  readonly #emr: JobClient;
  readonly #task: string;
  #stepId: StepId | undefined;

  constructor(emr: JobClient, task: string) {
    this.#emr = emr;
    this.#task = task;
  }

  async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#stepId === undefined || executionContext?.category === "infrastructure") return;
    await this.#emr.cancel(this.#stepId);
  }

  async submitJob(): Promise<StepId> {
    this.#stepId = (await this.#emr.submit({ jobType: "step", tag: this.#task })) as StepId;
    return this.#stepId;
  }

  async getJobStatus(stepId: StepId): Promise<string> {
    const status = await this.#find(stepId);
    if (status !== "missing") return status;
    await pause(PATIENCE_MS);
    return this.#find(stepId);
  }

  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "COMPLETED";
  }

  async pollUntilComplete(stepId: StepId): Promise<void> {
    this.#stepId = stepId;
    for (;;) {
      const status = await this.getJobStatus(stepId);
      if (this.isJobSucceeded(status)) return;
      if (!this.isJobActive(status)) throw new Error(`The step ended as ${status}`);
      await pause(POLL_EVERY_MS);
    }
  }

  async getJobResult(stepId: StepId): Promise<string> {
    return (await this.#emr.result(stepId)).output;
  }

  async #find(stepId: StepId): Promise<string> {
    try {
      const { status, tag } = await this.#emr.describe(stepId);
      return tag === this.#task ? status : "missing";
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "missing";
      throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export const createJob: CreateJob = (emr, { task }) => new AddStep(emr, task);
