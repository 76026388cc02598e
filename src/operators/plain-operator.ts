import type { JsonValue } from "../json-value.ts";
import type { ExecutionContext, TaskContext } from "../operator/mod.ts";
import { JobOperator } from "./job-operator.ts";

/**
 * Submits a job at each attempt, and cancels it at every kill: what AIP-96 sets out from.
 *
 * It stores nothing: a retry pays for a second job, also while the first one is running.
 *
 * Source: AIP-96, "Current Behavior and Limitations"
 */
export abstract class PlainOperator<Id extends NonNullable<JsonValue>, Result> extends JobOperator<
  Id,
  Result
> {
  override async execute(ctx: TaskContext): Promise<Result> {
    const id = await this.submitJob(ctx);
    await this.pollUntilComplete(id, ctx);
    return this.getJobResult(id);
  }

  override async onKill(_executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId !== undefined) await this.cancel(this.jobId);
  }
}
