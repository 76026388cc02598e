import type { JsonValue } from "../json-value.ts";
import { type ExecutionContext, keepsJob, type TaskContext } from "../operator/mod.ts";
import { EXTERNAL_ID_KEY_DEFAULT } from "../resumable/mod.ts";
import type { Clock } from "../time/mod.ts";
import { JobOperator, type JobOperatorOptions } from "./job-operator.ts";

/**
 * Looks for the id that an earlier attempt has stored, submits if there is none, and waits.
 *
 * It never asks whether that job has failed: each retry waits for the failed job again.
 *
 * @example
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 * import { HandWrittenOperator } from "faultlane/operators";
 * import { systemClock } from "faultlane/platform";
 *
 * class Batch extends HandWrittenOperator<string, number> {
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
 * Source: Airflow 3.3, Task State Store, "Crash recovery"
 */
export abstract class HandWrittenOperator<
  Id extends NonNullable<JsonValue>,
  Result,
> extends JobOperator<Id, Result> {
  readonly #key: string;

  /** Takes the clock by which it waits between two lookups. */
  constructor(clock: Clock, options: JobOperatorOptions = {}) {
    super(clock, options);
    this.#key = options.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT;
  }

  /** Waits for the job whose id is stored, or for one that it submits. */
  override async execute(ctx: TaskContext): Promise<Result> {
    const known = (await ctx.taskStateStore?.get<Id>(this.#key)) ?? null;
    const id = known ?? (await this.submitJob(ctx));
    // Nothing comes between the submit and this.
    if (known === null) await ctx.taskStateStore?.set(this.#key, id);
    await this.pollUntilComplete(id, ctx);
    return this.getJobResult(id);
  }

  /** Cancels the job, unless the infrastructure takes the worker away. */
  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined || keepsJob(executionContext)) return;
    await this.cancel(this.jobId);
  }
}
