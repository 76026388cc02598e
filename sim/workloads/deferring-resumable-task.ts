import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { findResumption, JobFailed } from "../../src/resumable/mod.ts";
import type { DurationLike } from "../../src/time/mod.ts";
import { type JobEndEvent, timeoutFrom } from "./contrast-tasks.ts";
import type { PresetJob, StoredJobId } from "./preset-job.ts";

export interface DeferringOptions {
  /** The key under which the job's id is stored. */
  readonly externalIdKey: string;
  /** How long the deferral waits for its trigger, in virtual milliseconds. */
  readonly deferralTimeout?: number | undefined;
}

/**
 * A task that defers and uses the store: it finds the job of an earlier attempt, or else submits
 * and stores one, and defers in both cases.
 *
 * A retry of a plain deferral submits again (B57); this takes the decision alone (B65, F16).
 */
export class DeferringResumableTask extends BaseOperator {
  readonly #job: PresetJob;
  readonly #key: string;
  readonly #timeout: DurationLike | undefined;
  #jobId: StoredJobId | undefined;

  constructor(job: PresetJob, { externalIdKey, deferralTimeout }: DeferringOptions) {
    super();
    this.#job = job;
    this.#key = externalIdKey;
    this.#timeout = timeoutFrom(deferralTimeout);
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.#goOn(ctx, undefined);
  }

  resumeJob(ctx: TaskContext, remoteJobId: StoredJobId): Promise<unknown> {
    return this.#goOn(ctx, remoteJobId);
  }

  async executeComplete(
    _ctx: TaskContext,
    { jobId, status, succeeded }: JobEndEvent,
  ): Promise<unknown> {
    if (!succeeded) throw new JobFailed(jobId, status);
    return this.#job.getJobResult(jobId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#jobId === undefined || this.#jobId === null) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });
    await this.#job.cancel(this.#jobId);
  }

  async #goOn(ctx: TaskContext, checkpointedId: StoredJobId | undefined): Promise<unknown> {
    const options = { externalIdKey: this.#key, checkpointedId };
    const found = await findResumption(this.#job, ctx, options);
    if (found.decision === "already_succeeded") {
      return this.#job.getJobResult(found.externalId);
    }
    if (found.decision === "reconnect") {
      this.#jobId = found.externalId;
    } else {
      this.#jobId = await this.#job.submitJob();
      if (this.#jobId !== null) await ctx.taskStateStore?.set(this.#key, this.#jobId);
    }
    return this.defer({
      trigger: { jobId: this.#jobId },
      methodName: "executeComplete",
      timeout: this.#timeout,
    });
  }
}
