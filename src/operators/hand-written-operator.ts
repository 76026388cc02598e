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
 * Source: Airflow 3.3, Task State Store, "Crash recovery"
 */
export abstract class HandWrittenOperator<
  Id extends NonNullable<JsonValue>,
  Result,
> extends JobOperator<Id, Result> {
  readonly #key: string;

  constructor(clock: Clock, options: JobOperatorOptions = {}) {
    super(clock, options);
    this.#key = options.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT;
  }

  override async execute(ctx: TaskContext): Promise<Result> {
    const known = (await ctx.taskStateStore?.get<Id>(this.#key)) ?? null;
    const id = known ?? (await this.submitJob(ctx));
    // Nothing comes between the submit and this.
    if (known === null) await ctx.taskStateStore?.set(this.#key, id);
    await this.pollUntilComplete(id, ctx);
    return this.getJobResult(id);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined || keepsJob(executionContext)) return;
    await this.cancel(this.jobId);
  }
}
