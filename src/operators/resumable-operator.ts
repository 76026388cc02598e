import type { JsonValue } from "../json-value.ts";
import { type ExecutionContext, keepsJob, type TaskContext } from "../operator/mod.ts";
import {
  EXTERNAL_ID_KEY_DEFAULT,
  type ResumableExecution,
  ResumableJobMixin,
} from "../resumable/mod.ts";
import type { Clock } from "../time/mod.ts";
import { JobOperator, type JobOperatorOptions } from "./job-operator.ts";

/** `JobOperator` with the mixin, which cannot say itself that its base is generic. */
export const ResumableJobOperator: abstract new <Id extends NonNullable<JsonValue>, Result>(
  clock: Clock,
  options?: JobOperatorOptions,
) => JobOperator<Id, Result> & Omit<ResumableExecution, "externalIdKey" | "durable"> =
  ResumableJobMixin(JobOperator) as never;

/**
 * Stores the id of its job before it waits, and goes on with that job at the next attempt, by the
 * mixin; a checkpoint saves the try when the infrastructure takes the worker away.
 *
 * @example
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 * import { ResumableOperator } from "faultlane/operators";
 * import { systemClock } from "faultlane/platform";
 *
 * class Batch extends ResumableOperator<string, number> {
 *   submit(): string {
 *     return "app-17";
 *   }
 *   status(_id: string): string {
 *     return "SUCCEEDED";
 *   }
 *   isJobActive(status: string): boolean {
 *     return status === "RUNNING";
 *   }
 *   isJobSucceeded(status: string): boolean {
 *     return status === "SUCCEEDED";
 *   }
 *   result(_id: string): number {
 *     return 42;
 *   }
 *   cancel(_id: string): void {}
 * }
 *
 * const task = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1, tryNumber: 1 };
 * const ctx = { ...task, signal: new AbortController().signal, logger: silentLogger };
 * const outcome = await runTask(new Batch(systemClock), ctx);
 * console.log(outcome.kind === "success" && outcome.result); // => 42
 * ```
 *
 * Source: Airflow 3.3, ResumableJobMixin
 */
export abstract class ResumableOperator<
  Id extends NonNullable<JsonValue>,
  Result,
> extends ResumableJobOperator<Id, Result> {
  /** The key of the job's id in the task's state. */
  readonly externalIdKey: string;
  /** Whether the id is stored, and the job of an earlier attempt gone on with. */
  readonly durable: boolean;

  /** Takes the clock by which it waits between two lookups. */
  constructor(clock: Clock, options: JobOperatorOptions = {}) {
    super(clock, options);
    this.externalIdKey = options.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT;
    this.durable = options.durable ?? true;
  }

  /** Goes on with the job of an earlier attempt, or submits one, and returns its result. */
  override execute(ctx: TaskContext): Promise<Result> {
    return this.executeResumable(ctx);
  }

  /** Checkpoints the job if the infrastructure takes the worker away, and cancels it otherwise. */
  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.jobId });
    await this.cancel(this.jobId);
  }
}
