import { BaseOperator, findResumption, JobFailed, keepsJob, TriggerEvent } from "faultlane";
import type { DeferralTrigger, ExecutionContext, TaskContext } from "faultlane";
import type { CheckedJob, CreateJob, JobClient } from "faultlane/check";

const KEY = "batch_job_id";
const ENDED: readonly string[] = ["SUCCEEDED", "FAILED", "MISSING"];
const POLL_EVERY_MS = 5_000;
/** A new job may not be found for a few seconds. */
const PATIENCE_MS = 10_000;

interface JobEnd {
  readonly jobId: string;
  readonly status: string;
}

/**
 * A batch that frees its worker while its job runs, and that submits no second job when an attempt
 * is made again: it looks for its job first, and stores the id before it defers.
 */
class DeferrableBatch extends BaseOperator implements CheckedJob {
  static readonly externalIdKey: string = KEY;
  readonly #hook: JobClient;
  #jobId: string | undefined;

  constructor(hook: JobClient) {
    super();
    this.#hook = hook;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.resumeJob(ctx);
  }

  /** Goes on after a checkpoint, which may have the id of a job that the store does not have. */
  async resumeJob(ctx: TaskContext, checkpointedId?: string): Promise<unknown> {
    const found = await findResumption<string, string, TaskContext>(this, ctx, {
      externalIdKey: KEY,
      checkpointedId,
    });
    if (found.decision === "already_succeeded") return this.getJobResult(found.externalId);
    if (found.decision === "reconnect") {
      // The next attempt finds only what is in the store.
      if (!found.stored) await ctx.taskStateStore?.set(KEY, found.externalId);
      return this.#wait(found.externalId);
    }
    const jobId = await this.submitJob();
    // Nothing comes between the submit and this.
    await ctx.taskStateStore?.set(KEY, jobId);
    return this.#wait(jobId);
  }

  /** Runs in the triggerer, from the beginning after each restart of it. */
  createTrigger(trigger: unknown): DeferralTrigger {
    const { jobId } = trigger as { readonly jobId: string };
    return { run: () => this.#end(jobId), onKill: () => this.#hook.cancel(jobId) };
  }

  executeComplete(_ctx: TaskContext, { jobId, status }: JobEnd): Promise<string> {
    if (!this.isJobSucceeded(status)) throw new JobFailed(jobId, status);
    return this.getJobResult(jobId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });
    await this.#hook.cancel(this.#jobId);
  }

  async submitJob(): Promise<string> {
    this.#jobId = (await this.#hook.submit({ jobType: "batch" })) as string;
    return this.#jobId;
  }

  async getJobStatus(jobId: string): Promise<string> {
    const status = await this.#lookUp(jobId);
    if (status !== "MISSING") return status;
    await pause(PATIENCE_MS);
    return this.#lookUp(jobId);
  }

  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "SUCCEEDED";
  }

  async pollUntilComplete(jobId: string): Promise<void> {
    this.#jobId = jobId;
    const status = await this.#finalStatus(jobId);
    if (!this.isJobSucceeded(status)) throw new JobFailed(jobId, status);
  }

  async getJobResult(jobId: string): Promise<string> {
    return (await this.#hook.result(jobId)).output;
  }

  #wait(jobId: string): never {
    this.#jobId = jobId;
    return this.defer({ trigger: { jobId }, methodName: "executeComplete" });
  }

  async *#end(jobId: string): AsyncGenerator<TriggerEvent> {
    yield new TriggerEvent({ jobId, status: await this.#finalStatus(jobId) });
  }

  async #finalStatus(jobId: string): Promise<string> {
    for (;;) {
      const status = await this.getJobStatus(jobId);
      if (!this.isJobActive(status)) return status;
      await pause(POLL_EVERY_MS);
    }
  }

  async #lookUp(jobId: string): Promise<string> {
    try {
      return await this.#hook.status(jobId);
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "MISSING";
      throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export const createJob: CreateJob = (hook) => new DeferrableBatch(hook);
