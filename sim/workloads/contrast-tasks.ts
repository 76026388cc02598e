import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import type { DurationLike } from "../../src/time/mod.ts";
import { JobFailed } from "../../src/resumable/mod.ts";
import type { PresetJob, StoredJobId } from "./preset-job.ts";

/** The event that resumes a deferred job. */
export interface JobEndEvent {
  readonly jobId: StoredJobId;
  readonly status: string;
  readonly succeeded: boolean;
}

/** What the task passes on beside the event or the id, so that a run shows if it is lost. */
interface JobKwargs {
  readonly jobId: StoredJobId;
}

/** Returns the timeout of a deferral; undefined: without a limit. */
export function timeoutFrom(milliseconds: number | undefined): DurationLike | undefined {
  return milliseconds === undefined ? undefined : { milliseconds };
}

/** How a task handles its job. */
export interface JobHandling {
  /** The key under which the job's id is stored and looked up; undefined: it is not stored. */
  readonly idKey?: string;
  readonly waitsBy: "poll" | "deferral";
  /** What an infrastructure kill does to the job; every other kill cancels it. */
  readonly infrastructureKill: "cancel" | "keep" | "checkpoint";
}

/** Operators that are written without the mixin, by their names in scenarios. */
export type ContrastName = "plain" | "hand-written" | "checkpoint" | "deferrable";

/**
 * Returns how an operator of this name handles its job.
 *
 * - `plain`: submits at every attempt and cancels at every kill. Source: AIP-96, "Current Behavior
 *   and Limitations".
 * - `hand-written`: looks for a stored id, submits if there is none, waits. It never checks whether
 *   the job has failed, so each retry waits for the failed job again (F4). Source: Airflow 3.3,
 *   Task State Store, "Crash recovery".
 * - `checkpoint`: AIP-96, path 1; checkpoints its job at an infrastructure kill, stores nothing.
 * - `deferrable`: AIP-96, path 2; defers while its job runs, and checkpoints when it is killed
 *   before that. After a crash between submit and deferral it submits again.
 */
export function jobHandlingOf(name: ContrastName, externalIdKey: string): JobHandling {
  switch (name) {
    case "plain":
      return { waitsBy: "poll", infrastructureKill: "cancel" };
    case "hand-written":
      return { idKey: externalIdKey, waitsBy: "poll", infrastructureKill: "keep" };
    case "checkpoint":
      return { waitsBy: "poll", infrastructureKill: "checkpoint" };
    case "deferrable":
      return { waitsBy: "deferral", infrastructureKill: "checkpoint" };
    default:
      return name satisfies never;
  }
}

/**
 * An operator without the mixin, for comparison.
 *
 * Unlike the text of AIP-96, it restores the job's id in `resumeJob` (C17), and it never checkpoints
 * without an id (C18).
 */
export class ContrastTask extends BaseOperator {
  readonly #job: PresetJob;
  readonly #handling: JobHandling;
  readonly #timeout: DurationLike | undefined;
  #jobId: StoredJobId | undefined;

  /** `deferralTimeout`: how long its deferral waits, in virtual milliseconds. */
  constructor(job: PresetJob, handling: JobHandling, deferralTimeout?: number) {
    super();
    this.#job = job;
    this.#handling = handling;
    this.#timeout = timeoutFrom(deferralTimeout);
  }

  override async execute(ctx: TaskContext): Promise<unknown> {
    const { idKey } = this.#handling;
    const store = idKey === undefined ? undefined : ctx.taskStateStore;
    const known = (await store?.get<StoredJobId>(idKey as string)) ?? null;
    this.#jobId = known ?? (await this.#job.submitJob());
    if (known === null && this.#jobId !== null) await store?.set(idKey as string, this.#jobId);
    return this.#wait(ctx, this.#jobId);
  }

  async resumeJob(
    ctx: TaskContext,
    remoteJobId: StoredJobId,
    { jobId }: JobKwargs,
  ): Promise<unknown> {
    const status = await this.#job.getJobStatus(remoteJobId);
    if (this.#job.isJobActive(status)) return this.#wait(ctx, remoteJobId);
    if (this.#job.isJobSucceeded(status)) return this.#job.getJobResult(jobId);
    return this.execute(ctx);
  }

  async executeComplete(
    _ctx: TaskContext,
    { status, succeeded }: JobEndEvent,
    { jobId }: JobKwargs,
  ): Promise<unknown> {
    if (!succeeded) throw new JobFailed(jobId, status);
    return this.#job.getJobResult(jobId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    const { infrastructureKill } = this.#handling;
    const jobId = this.#jobId;
    if (jobId === undefined || jobId === null) return;
    if (keepsJob(executionContext)) {
      if (infrastructureKill === "keep") return;
      if (infrastructureKill === "checkpoint") {
        this.checkpoint({ remoteJobId: jobId, kwargs: { jobId } });
      }
    }
    await this.#job.cancel(jobId);
  }

  async #wait(ctx: TaskContext, jobId: StoredJobId): Promise<unknown> {
    this.#jobId = jobId;
    if (this.#handling.waitsBy === "deferral") {
      const methodName = "executeComplete";
      const kwargs = { jobId };
      return this.defer({ trigger: { jobId }, methodName, kwargs, timeout: this.#timeout });
    }
    await this.#job.pollUntilComplete(jobId, ctx);
    return this.#job.getJobResult(jobId);
  }
}
