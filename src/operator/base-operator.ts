import type { TaskContext } from "./context.ts";
import type { ExecutionContext } from "./execution-context.ts";
import { raise } from "./raised-signals.ts";
import { type Checkpoint, TaskCheckpointed } from "./task-checkpointed.ts";
import { type Deferral, TaskDeferred } from "./task-deferred.ts";

/**
 * What the runner of a task needs of an operator. {@linkcode BaseOperator} is one; a plain object
 * does as well.
 *
 * One object serves one attempt: whatever it remembers, such as the id of its job, dies with it.
 */
export interface Operator<Result = unknown> {
  execute(ctx: TaskContext): Result | PromiseLike<Result>;
  /**
   * Called once when the attempt is killed.
   *
   * An `onKill` without a parameter is called without an argument. A parameter with a default value
   * counts as none in JavaScript: write `executionContext: ExecutionContext | null`.
   */
  onKill?(executionContext: ExecutionContext | null): void | PromiseLike<void>;
}

/**
 * The base of operators.
 *
 * Source: Airflow, airflow.sdk.BaseOperator; AIP-96, "BaseOperator Helper"
 */
export class BaseOperator<Result = unknown> implements Operator<Result> {
  /** @throws {TypeError} unless a subclass says what to do */
  execute(_ctx: TaskContext): Result | PromiseLike<Result> {
    throw new TypeError(`Cannot execute ${this.constructor.name}: it has no execute of its own`);
  }

  /** Does nothing: an operator that owns a remote job cancels or checkpoints it here. */
  onKill(_executionContext: ExecutionContext | null): void | PromiseLike<void> {
    return undefined;
  }

  /**
   * Leaves the worker until `trigger` fires; `methodName(ctx, event, kwargs)` then goes on.
   *
   * @throws {TaskDeferred} always
   * @throws {TypeError} when the deferral is not whole, or JSON cannot say the kwargs
   */
  defer(deferral: Deferral): never {
    return raise(this, new TaskDeferred(deferral));
  }

  /**
   * Leaves the remote job running; `methodName(ctx, remoteJobId, kwargs)` goes on with it.
   *
   * @throws {TaskCheckpointed} always
   * @throws {TypeError} when there is no job id, or JSON cannot say the id or the kwargs
   */
  checkpoint(checkpoint: Checkpoint): never {
    return raise(this, new TaskCheckpointed(checkpoint));
  }
}
