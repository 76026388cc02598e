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
 * Source: AIP-96, path 1, "Checkpointing"
 */
export abstract class CheckpointingOperator<
  Id extends NonNullable<JsonValue>,
  Result,
> extends PlainOperator<Id, Result> {
  async resumeJob(ctx: TaskContext, remoteJobId: Id): Promise<Result> {
    const status = await this.getJobStatus(remoteJobId);
    if (!this.isJobActive(status) && !this.isJobSucceeded(status)) return this.execute(ctx);
    if (this.isJobActive(status)) await this.pollUntilComplete(remoteJobId, ctx);
    return this.getJobResult(remoteJobId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.jobId });
    await this.cancel(this.jobId);
  }
}
