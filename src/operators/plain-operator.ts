import type { JsonValue } from "../json-value.ts";
import type { ExecutionContext, TaskContext } from "../operator/mod.ts";
import { JobOperator } from "./job-operator.ts";

/**
 * Submits a job at each attempt, and cancels it at every kill: what AIP-96 sets out from.
 *
 * It stores nothing: a retry pays for a second job, also while the first one is running.
 *
 * @example
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 * import { PlainOperator } from "faultlane/operators";
 * import { systemClock } from "faultlane/platform";
 *
 * class Batch extends PlainOperator<string, number> {
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
 * Source: AIP-96, "Current Behavior and Limitations"
 */
export abstract class PlainOperator<Id extends NonNullable<JsonValue>, Result> extends JobOperator<
  Id,
  Result
> {
  /** Submits a job, waits for it and returns its result. */
  override async execute(ctx: TaskContext): Promise<Result> {
    const id = await this.submitJob(ctx);
    await this.pollUntilComplete(id, ctx);
    return this.getJobResult(id);
  }

  /** Cancels the job. */
  override async onKill(_executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId !== undefined) await this.cancel(this.jobId);
  }
}
