import type { TaskContext } from "../operator/mod.ts";
import type { ResumableJob } from "./job.ts";
import { EXTERNAL_ID_KEY_DEFAULT, type ResumeOptions } from "./resume-decision.ts";
import { resumeOrSubmit } from "./resume-or-submit.ts";
import type { ResumeTelemetry } from "./telemetry.ts";

/** What {@linkcode ResumableJobMixin} adds to an operator. */
export interface ResumableExecution {
  /** The key of the job's id; also a static of the class. By default `remote_job_id`. */
  readonly externalIdKey?: string;
  /** Whether the state store is used; also a static of the class. True by default. */
  readonly durable?: boolean;
  /** Where decisions are reported. */
  readonly telemetry?: ResumeTelemetry;

  /**
   * Continues the job of an earlier attempt or submits one, and returns its result; call it from
   * `execute`.
   */
  executeResumable<Id, Result>(
    this: ResumableJob<Id, Result> & ResumableExecution,
    ctx: TaskContext,
  ): Promise<Result>;

  /** Continues the job of a checkpoint; `checkpoint` names this method by default. */
  resumeJob<Id, Result>(
    this: ResumableJob<Id, Result> & ResumableExecution,
    ctx: TaskContext,
    remoteJobId: Id,
  ): Promise<Result>;
}

/** A class that {@linkcode ResumableJobMixin} can extend. */
export type OperatorConstructor = abstract new (...args: never[]) => object;

/** The class `Base` with {@linkcode ResumableExecution} in its instances. */
export type ResumableConstructor<Base extends OperatorConstructor> = {
  new (...args: ConstructorParameters<Base>): InstanceType<Base> & ResumableExecution;
} & Omit<Base, "prototype"> & { readonly externalIdKey?: string; readonly durable?: boolean };

interface ClassOptions {
  readonly externalIdKey?: string;
  readonly durable?: boolean;
}

/**
 * Returns a subclass of `Base` with `executeResumable`, which calls {@linkcode resumeOrSubmit}.
 *
 * Holds: a class without one of the six methods of {@linkcode ResumableJob} does not compile where
 * it calls `executeResumable`; if it was compiled anyway, the call rejects before anything is
 * submitted.
 *
 * @example
 * ```ts
 * import { BaseOperator, ResumableJobMixin, runTask, silentLogger } from "faultlane";
 * import type { TaskContext } from "faultlane";
 *
 * class RunBatch extends ResumableJobMixin(BaseOperator) {
 *   static override readonly externalIdKey = "batch_job_id";
 *   override execute(ctx: TaskContext): Promise<unknown> {
 *     return this.executeResumable(ctx);
 *   }
 *   submitJob(): string {
 *     return "app-17";
 *   }
 *   getJobStatus(_id: string): string {
 *     return "RUNNING";
 *   }
 *   isJobActive(status: string): boolean {
 *     return status === "RUNNING";
 *   }
 *   isJobSucceeded(status: string): boolean {
 *     return status === "SUCCEEDED";
 *   }
 *   async pollUntilComplete(_id: string): Promise<void> {}
 *   getJobResult(id: string): string {
 *     return `rows of ${id}`;
 *   }
 * }
 *
 * const task = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1, tryNumber: 1 };
 * const { signal } = new AbortController();
 * const outcome = await runTask(new RunBatch(), { ...task, signal, logger: silentLogger });
 * console.log(outcome.kind === "success" && outcome.result); // => rows of app-17
 * ```
 *
 * Source: Airflow 3.3, ResumableJobMixin
 */
export function ResumableJobMixin<Base extends OperatorConstructor>(
  Base: Base,
): ResumableConstructor<Base> {
  const Parent = Base as unknown as new (...args: readonly unknown[]) => object;
  class Resumable extends Parent {
    executeResumable<Id, Result>(
      this: ResumableJob<Id, Result> & ResumableExecution,
      ctx: TaskContext,
    ): Promise<Result> {
      return resumeOrSubmit(this, ctx, optionsOf(this));
    }

    resumeJob<Id, Result>(
      this: ResumableJob<Id, Result> & ResumableExecution,
      ctx: TaskContext,
      remoteJobId: Id,
    ): Promise<Result> {
      return resumeOrSubmit(this, ctx, { ...optionsOf(this), checkpointedId: remoteJobId });
    }
  }
  return Resumable as unknown as ResumableConstructor<Base>;
}

/** Precedence: the instance, its class, the default. */
function optionsOf(operator: ResumableExecution): ResumeOptions {
  const ofClass = operator.constructor as ClassOptions;
  return {
    durable: operator.durable ?? ofClass.durable ?? true,
    externalIdKey: operator.externalIdKey ?? ofClass.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT,
    ...(operator.telemetry === undefined ? {} : { telemetry: operator.telemetry }),
  };
}
