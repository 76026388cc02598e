import type { JsonValue } from "../json-value.ts";
import { type ExecutionContext, keepsJob, type TaskContext } from "../operator/mod.ts";
import { PlainOperator } from "./plain-operator.ts";

/**
 * As {@linkcode PlainOperator}, and it checkpoints its job when the infrastructure takes the worker
 * away: the next attempt goes on with it.
 *
 * It stores nothing: a worker that is lost without a word leaves no checkpoint, and the retry pays
 * for a second job.
 *
 * @example
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 * import { CheckpointingOperator } from "faultlane/operators";
 * import { systemClock } from "faultlane/platform";
 *
 * class Batch extends CheckpointingOperator<string, number> {
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
 * Source: AIP-96, path 1, "Checkpointing"
 */
export abstract class CheckpointingOperator<
  Id extends NonNullable<JsonValue>,
  Result,
> extends PlainOperator<Id, Result> {
  /** Goes on with the job of a checkpoint; submits another one only if that has failed. */
  async resumeJob(ctx: TaskContext, remoteJobId: Id): Promise<Result> {
    // Who is killed during the lookup keeps or cancels the job of the checkpoint.
    this.attend(remoteJobId);
    const status = await this.getJobStatus(remoteJobId);
    if (!this.isJobActive(status) && !this.isJobSucceeded(status)) return this.execute(ctx);
    if (this.isJobActive(status)) await this.pollUntilComplete(remoteJobId, ctx);
    return this.getJobResult(remoteJobId);
  }

  /** Checkpoints the job if the infrastructure takes the worker away, and cancels it otherwise. */
  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.jobId });
    await this.cancel(this.jobId);
  }
}
