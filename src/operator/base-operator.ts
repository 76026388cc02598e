import type { TaskContext } from "./context.ts";
import type { ExecutionContext } from "./execution-context.ts";
import { raise } from "./raised-signals.ts";
import { type Checkpoint, TaskCheckpointed } from "./task-checkpointed.ts";
import { type Deferral, TaskDeferred } from "./task-deferred.ts";
import { TaskRescheduled } from "./task-rescheduled.ts";

/**
 * What `runTask` needs of an operator. {@linkcode BaseOperator} implements it; a plain object can
 * as well.
 *
 * One object serves one attempt: what it remembers, such as the id of its job, is lost with it.
 */
export interface Operator<Result = unknown> {
  /** Does the work of the task and returns its result. */
  execute(ctx: TaskContext): Result | PromiseLike<Result>;
  /**
   * Called once when the attempt is killed.
   *
   * An `onKill` without parameters is called without arguments. JavaScript does not count a
   * parameter with a default value: declare it as `executionContext: ExecutionContext | null`.
   */
  onKill?(executionContext: ExecutionContext | null): void | PromiseLike<void>;
}

/**
 * The base class of operators.
 *
 * @example An operator whose job survives an infrastructure kill
 * ```ts
 * import { BaseOperator, EXECUTE, runTask, silentLogger, startAfter, TaskKilled } from "faultlane";
 * import { type ExecutionContext, keepsJob, type TaskContext } from "faultlane";
 *
 * class RunReport extends BaseOperator<string> {
 *   override execute(ctx: TaskContext): Promise<string> {
 *     return this.resumeJob(ctx, "app-17");
 *   }
 *   override onKill(executionContext: ExecutionContext | null): void {
 *     if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: "app-17" });
 *   }
 *   async resumeJob(ctx: TaskContext, jobId: string): Promise<string> {
 *     if (ctx.tryNumber > 1) return `rows of ${jobId}`;
 *     return new Promise(() => undefined); // waits for the job until it is killed
 *   }
 * }
 *
 * const task = { dagId: "etl", runId: "r1", taskId: "report", mapIndex: -1, logger: silentLogger };
 * const controller = new AbortController();
 * const first = runTask(new RunReport(), { ...task, tryNumber: 1, signal: controller.signal });
 * controller.abort(new TaskKilled({ category: "infrastructure" }));
 * const next = startAfter(EXECUTE, await first);
 * console.log(next.kind); // => resume
 *
 * const { signal } = new AbortController();
 * const second = await runTask(new RunReport(), { ...task, tryNumber: 2, signal }, next);
 * console.log(second.kind === "success" && second.result); // => rows of app-17
 * ```
 *
 * Source: Airflow, airflow.sdk.BaseOperator; AIP-96, "BaseOperator Helper"
 */
export class BaseOperator<Result = unknown> implements Operator<Result> {
  /**
   * Does the work of the task; every subclass overrides it.
   *
   * @throws {TypeError} when a subclass does not
   */
  execute(_ctx: TaskContext): Result | PromiseLike<Result> {
    throw new TypeError(`Cannot execute ${this.constructor.name}: it has no execute of its own`);
  }

  /** Does nothing; an operator with a remote job overrides it to cancel or checkpoint the job. */
  onKill(_executionContext: ExecutionContext | null): void | PromiseLike<void> {
    return undefined;
  }

  /**
   * Frees the worker until `trigger` fires; `methodName(ctx, event, kwargs)` then continues.
   *
   * @throws {TaskDeferred} always
   * @throws {TypeError} when there is no trigger or method name, or another option, JSON cannot
   *   represent the kwargs, or `timeout` is no duration
   * @throws {RangeError} when `timeout` is negative or no whole number of milliseconds
   */
  defer(deferral: Deferral): never {
    return raise(this, new TaskDeferred(deferral));
  }

  /**
   * Ends the attempt and leaves the remote job running; `methodName(ctx, remoteJobId, kwargs)` then
   * continues.
   *
   * @throws {TaskCheckpointed} always
   * @throws {TypeError} when there is no job id, or another option, or JSON cannot represent the id
   *   or the kwargs
   */
  checkpoint(checkpoint: Checkpoint): never {
    return raise(this, new TaskCheckpointed(checkpoint));
  }

  /**
   * Ends the attempt; the task begins anew at `rescheduleAt`, as a sensor with mode="reschedule"
   * does. It uses up no try. XComs are cleared when it begins again, its task state is kept.
   *
   * Units: milliseconds since the epoch.
   *
   * @throws {TaskRescheduled} always, unless the time is invalid: do not catch it
   * @throws {TypeError} when it is no whole number of milliseconds since the epoch
   */
  reschedule(rescheduleAt: number): never {
    return raise(this, new TaskRescheduled(rescheduleAt));
  }
}
