import type { TaskContext } from "../operator/mod.ts";
import type { ResumableJob } from "./job.ts";
import { EXTERNAL_ID_KEY_DEFAULT, type ResumeOptions } from "./resume-decision.ts";
import { resumeOrSubmit } from "./resume-or-submit.ts";
import type { ResumeTelemetry } from "./telemetry.ts";

/** What {@linkcode ResumableJobMixin} adds to an operator. */
export interface ResumableExecution {
  /** The key of the job's id, of this instance; a static of the same name serves the class. */
  readonly externalIdKey?: string;
  /**
   * Whether the store is used, of this instance or, as a static, of the class; true unless said.
   */
  readonly durable?: boolean;
  /** Where decisions are told. */
  readonly telemetry?: ResumeTelemetry;

  /** Goes on with the job of an earlier attempt or submits one; call it from `execute`. */
  executeResumable<Id, Result>(
    this: ResumableJob<Id, Result> & ResumableExecution,
    ctx: TaskContext,
  ): Promise<Result>;

  /**
   * Goes on with the job of a checkpoint: the method that `checkpoint` names unless told otherwise.
   */
  resumeJob<Id, Result>(
    this: ResumableJob<Id, Result> & ResumableExecution,
    ctx: TaskContext,
    remoteJobId: Id,
  ): Promise<Result>;
}

type Constructor = abstract new (...args: never[]) => object;

/** `Base` with {@linkcode ResumableExecution} in its instances, and its statics as they are. */
export type ResumableConstructor<Base extends Constructor> = {
  new (...args: ConstructorParameters<Base>): InstanceType<Base> & ResumableExecution;
} & Omit<Base, "prototype"> & { readonly externalIdKey?: string; readonly durable?: boolean };

interface ClassOptions {
  readonly externalIdKey?: string;
  readonly durable?: boolean;
}

/**
 * Adds `executeResumable` to an operator: three lines of sugar over `resumeOrSubmit`.
 *
 * ```ts
 * class RunBatch extends ResumableJobMixin(BaseOperator) {
 *   static override readonly externalIdKey = "batch_job_id";
 *   override execute(ctx: TaskContext): Promise<unknown> { return this.executeResumable(ctx); }
 *   submitJob(): Promise<string> { ... }   // and the other five methods
 * }
 * ```
 *
 * Holds: a class without one of the six methods does not compile where it calls `executeResumable`,
 * and rejects there, before anything is submitted, when it was compiled all the same.
 *
 * Source: Airflow 3.3, ResumableJobMixin
 */
export function ResumableJobMixin<Base extends Constructor>(
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

/** The instance's word, else its class's, else the default. */
function optionsOf(operator: ResumableExecution): ResumeOptions {
  const ofClass = operator.constructor as ClassOptions;
  return {
    durable: operator.durable ?? ofClass.durable ?? true,
    externalIdKey: operator.externalIdKey ?? ofClass.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT,
    ...(operator.telemetry === undefined ? {} : { telemetry: operator.telemetry }),
  };
}
