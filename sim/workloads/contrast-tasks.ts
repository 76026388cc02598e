import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { JobFailed } from "../../src/resumable/mod.ts";
import type { PresetJob, StoredJobId } from "./preset-job.ts";

/**
 * An operator as they were before: submits at every attempt, and cancels at every kill.
 *
 * Source: AIP-96, "Current Behavior and Limitations"
 */
export class PlainTask extends BaseOperator {
  readonly #job: PresetJob;
  #jobId: StoredJobId | undefined;

  constructor(job: PresetJob) {
    super();
    this.#job = job;
  }

  override async execute(ctx: TaskContext): Promise<unknown> {
    this.#jobId = await this.#job.submitJob();
    await this.#job.pollUntilComplete(this.#jobId, ctx);
    return this.#job.getJobResult(this.#jobId);
  }

  override async onKill(): Promise<void> {
    if (this.#jobId !== undefined) await this.#job.cancel(this.#jobId);
  }
}

/**
 * AIP-96, path 1: checkpoints its job when the infrastructure kills it, and stores nothing.
 *
 * Unlike the AIP's text it restores the job's id in `resumeJob` and never checkpoints without one
 * (spec C17, C18).
 */
export class CheckpointTask extends BaseOperator {
  readonly #job: PresetJob;
  #jobId: StoredJobId | undefined;

  constructor(job: PresetJob) {
    super();
    this.#job = job;
  }

  override async execute(ctx: TaskContext): Promise<unknown> {
    this.#jobId = await this.#job.submitJob();
    await this.#job.pollUntilComplete(this.#jobId, ctx);
    return this.#job.getJobResult(this.#jobId);
  }

  async resumeJob(ctx: TaskContext, remoteJobId: StoredJobId): Promise<unknown> {
    const status = await this.#job.getJobStatus(remoteJobId);
    const isActive = this.#job.isJobActive(status);
    if (!isActive && !this.#job.isJobSucceeded(status)) return this.execute(ctx);
    this.#jobId = remoteJobId;
    if (isActive) await this.#job.pollUntilComplete(remoteJobId, ctx);
    return this.#job.getJobResult(remoteJobId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });
    await this.#job.cancel(this.#jobId);
  }
}

/**
 * The pattern of the store's documentation: looks for an id, submits if there is none, waits.
 *
 * It never asks how the job ended, so a failed one is waited for at every retry (spec F4).
 *
 * Source: Airflow 3.3, Task State Store, "Crash recovery"
 */
export class HandWrittenTask extends BaseOperator {
  readonly #job: PresetJob;
  readonly #key: string;
  #jobId: StoredJobId | undefined;

  constructor(job: PresetJob, externalIdKey: string) {
    super();
    this.#job = job;
    this.#key = externalIdKey;
  }

  override async execute(ctx: TaskContext): Promise<unknown> {
    const known = (await ctx.taskStateStore?.get(this.#key)) as StoredJobId | null;
    this.#jobId = known ?? (await this.#job.submitJob());
    if (known === null) await ctx.taskStateStore?.set(this.#key, this.#jobId);
    await this.#job.pollUntilComplete(this.#jobId, ctx);
    return this.#job.getJobResult(this.#jobId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#jobId === undefined || keepsJob(executionContext)) return;
    await this.#job.cancel(this.#jobId);
  }
}

/** What the trigger of a deferred job fires with. */
export interface JobEvent {
  readonly jobId: StoredJobId;
  readonly status: string;
  readonly succeeded: boolean;
}

/**
 * AIP-96, path 2: defers while its job runs, and checkpoints when it is killed before that.
 *
 * What is lost between submit and deferral is submitted again: it stores nothing.
 */
export class DeferrableTask extends BaseOperator {
  readonly #job: PresetJob;
  #jobId: StoredJobId | undefined;

  constructor(job: PresetJob) {
    super();
    this.#job = job;
  }

  override async execute(_ctx: TaskContext): Promise<unknown> {
    this.#jobId = await this.#job.submitJob();
    return this.#leave();
  }

  async executeComplete(
    _ctx: TaskContext,
    { jobId, status, succeeded }: JobEvent,
  ): Promise<unknown> {
    if (!succeeded) throw new JobFailed(jobId, status);
    return this.#job.getJobResult(jobId);
  }

  async resumeJob(ctx: TaskContext, remoteJobId: StoredJobId): Promise<unknown> {
    const status = await this.#job.getJobStatus(remoteJobId);
    if (this.#job.isJobActive(status)) {
      this.#jobId = remoteJobId;
      return this.#leave();
    }
    if (this.#job.isJobSucceeded(status)) return this.#job.getJobResult(remoteJobId);
    return this.execute(ctx);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });
    await this.#job.cancel(this.#jobId);
  }

  #leave(): never {
    return this.defer({ trigger: { jobId: this.#jobId }, methodName: "executeComplete" });
  }
}
