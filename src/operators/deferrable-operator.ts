import type { JsonValue } from "../json-value.ts";
import { type ExecutionContext, keepsJob, type TaskContext } from "../operator/mod.ts";
import { EXTERNAL_ID_KEY_DEFAULT, findResumption, JobFailed } from "../resumable/mod.ts";
import type { Clock } from "../time/mod.ts";
import { type DeferralTrigger, TriggerEvent } from "../triggerer/mod.ts";
import { JobOperator, type JobOperatorOptions } from "./job-operator.ts";

/** What the trigger of a {@linkcode DeferrableOperator} fires. */
export interface JobEnd<Id> {
  /** The id of the job. */
  readonly jobId: Id;
  /** Its last status, as its system calls it. */
  readonly status: string;
}

/**
 * Frees its worker while its job runs. It looks for its job first and stores the id before it
 * defers, so that an attempt that is made again submits no second job.
 *
 * @example
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 * import { DeferrableOperator } from "faultlane/operators";
 * import { systemClock } from "faultlane/platform";
 *
 * class Batch extends DeferrableOperator<string, number> {
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
 * console.log(outcome.kind); // => deferred
 * ```
 *
 * Source: AIP-96, path 2, "Deferral + Resumable"
 */
export abstract class DeferrableOperator<
  Id extends NonNullable<JsonValue>,
  Result,
> extends JobOperator<Id, Result> {
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

  /** Looks for the job of an earlier attempt, or submits one, and defers until it has ended. */
  override execute(ctx: TaskContext): Promise<Result> {
    return this.#goOn(ctx, undefined);
  }

  /** As `execute`, and looks at the job of the checkpoint as well. */
  resumeJob(ctx: TaskContext, remoteJobId: Id): Promise<Result> {
    // Who is killed during the lookup keeps or cancels the job of the checkpoint.
    this.attend(remoteJobId);
    return this.#goOn(ctx, remoteJobId);
  }

  /** Runs in the triggerer, from the beginning after each restart of it. */
  createTrigger(trigger: unknown): DeferralTrigger {
    const { jobId } = trigger as Pick<JobEnd<Id>, "jobId">;
    return {
      run: (signal) => this.#end(jobId, signal),
      onKill: async () => void (await this.cancel(jobId)),
    };
  }

  /** Handles the event of the trigger: returns the result, or fails as the job has. */
  async executeComplete(_ctx: TaskContext, { jobId, status }: JobEnd<Id>): Promise<Result> {
    if (!this.isJobSucceeded(status)) throw new JobFailed(jobId, status);
    return this.getJobResult(jobId);
  }

  /** Checkpoints the job if the infrastructure takes the worker away, and cancels it otherwise. */
  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.jobId });
    await this.cancel(this.jobId);
  }

  async #goOn(ctx: TaskContext, checkpointedId: Id | undefined): Promise<Result> {
    const { externalIdKey, durable } = this;
    const found = await findResumption<Id, Result, TaskContext>(this, ctx, {
      externalIdKey,
      durable,
      checkpointedId,
    });
    if (found.decision === "already_succeeded") return this.getJobResult(found.externalId);
    if (found.decision === "reconnect") {
      this.attend(found.externalId);
      // Only this attempt has the checkpoint; the next one finds what is in the store.
      if (!found.stored) await this.#store(ctx, found.externalId);
      return this.#wait(found.externalId);
    }
    const jobId = await this.submitJob(ctx);
    // Nothing comes between the submit and this.
    await this.#store(ctx, jobId);
    return this.#wait(jobId);
  }

  async #store(ctx: TaskContext, jobId: Id): Promise<void> {
    if (this.durable) await ctx.taskStateStore?.set(this.externalIdKey, jobId);
  }

  #wait(jobId: Id): never {
    return this.defer({ trigger: { jobId }, methodName: "executeComplete" });
  }

  async *#end(jobId: Id, signal: AbortSignal): AsyncGenerator<TriggerEvent> {
    yield new TriggerEvent({ jobId, status: await this.finalStatus(jobId, signal) });
  }
}
