import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import {
  type ResumableConstructor,
  ResumableJobMixin,
  type ResumeTelemetry,
} from "../../src/resumable/mod.ts";
import type { PresetJob, StoredJobId } from "./preset-job.ts";

export interface PresetOperatorOptions {
  readonly externalIdKey?: string;
  readonly durable?: boolean;
  /** Whether it checkpoints at an infrastructure kill, which then costs no try; default true. */
  readonly checkpoints?: boolean;
  readonly telemetry?: ResumeTelemetry;
}

const ResumableOperator: ResumableConstructor<typeof BaseOperator<string | null>> =
  ResumableJobMixin(BaseOperator<string | null>);

/**
 * An operator that runs and resumes a {@linkcode PresetJob}.
 *
 * Holds: an infrastructure kill keeps the job, and checkpoints it unless the options say otherwise;
 * every other kill cancels it.
 */
export class PresetOperator extends ResumableOperator {
  override readonly externalIdKey: string;
  override readonly durable: boolean;
  override readonly telemetry: ResumeTelemetry;
  readonly #job: PresetJob;
  readonly #checkpoints: boolean;

  constructor(job: PresetJob, options: PresetOperatorOptions = {}) {
    super();
    this.#job = job;
    this.externalIdKey = options.externalIdKey ?? "remote_job_id";
    this.durable = options.durable ?? true;
    this.telemetry = options.telemetry ?? {};
    this.#checkpoints = options.checkpoints ?? true;
  }

  override execute(ctx: TaskContext): Promise<string | null> {
    return this.executeResumable(ctx);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    const { jobId } = this.#job;
    if (jobId === undefined) return;
    if (!keepsJob(executionContext)) await this.#job.cancel();
    else if (this.#checkpoints) this.checkpoint({ remoteJobId: jobId });
  }

  submitJob(): Promise<StoredJobId> {
    return this.#job.submitJob();
  }

  getJobStatus(id: StoredJobId, ctx: TaskContext): Promise<string> {
    return this.#job.getJobStatus(id, ctx);
  }

  isJobActive(status: string): boolean {
    return this.#job.isJobActive(status);
  }

  isJobSucceeded(status: string): boolean {
    return this.#job.isJobSucceeded(status);
  }

  pollUntilComplete(id: StoredJobId, ctx: TaskContext): Promise<void> {
    return this.#job.pollUntilComplete(id, ctx);
  }

  getJobResult(id: StoredJobId, ctx: TaskContext): Promise<string | null> {
    return this.#job.getJobResult(id, ctx);
  }
}
