import type { JsonValue } from "../json-value.ts";
import { type ExecutionContext, keepsJob, type TaskContext } from "../operator/mod.ts";
import {
  EXTERNAL_ID_KEY_DEFAULT,
  type ResumableExecution,
  ResumableJobMixin,
} from "../resumable/mod.ts";
import type { Clock } from "../time/mod.ts";
import { JobOperator, type JobOperatorOptions } from "./job-operator.ts";

/** `JobOperator` with the mixin; the mixin cannot say that its base is generic. */
const ResumableJobOperator = ResumableJobMixin(JobOperator) as unknown as abstract new <
  Id extends NonNullable<JsonValue>,
  Result,
>(
  clock: Clock,
  options?: JobOperatorOptions,
) => JobOperator<Id, Result> & Omit<ResumableExecution, "externalIdKey">;

/**
 * Stores the id of its job before it waits, and goes on with that job at the next attempt, by the
 * mixin; a checkpoint saves the try when the infrastructure takes the worker away.
 *
 * Source: Airflow 3.3, ResumableJobMixin
 */
export abstract class ResumableOperator<
  Id extends NonNullable<JsonValue>,
  Result,
> extends ResumableJobOperator<Id, Result> {
  /** The key of the job's id in the task's state. */
  readonly externalIdKey: string;

  constructor(clock: Clock, options: JobOperatorOptions = {}) {
    super(clock, options);
    this.externalIdKey = options.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT;
  }

  override execute(ctx: TaskContext): Promise<Result> {
    return this.executeResumable(ctx);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.jobId });
    await this.cancel(this.jobId);
  }
}
