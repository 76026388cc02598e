/**
 * Operators: what a task does, how it leaves its worker, and what it does when it is killed.
 *
 * ```ts
 * class RunReport extends BaseOperator<string> {
 *   #jobId: string | undefined;
 *   override async execute(ctx: TaskContext): Promise<string> {
 *     this.#jobId = await cluster.submit("report");
 *     return cluster.wait(this.#jobId, ctx.signal);
 *   }
 *   override async onKill(executionContext: ExecutionContext | null): Promise<void> {
 *     if (this.#jobId === undefined) return;
 *     if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });
 *     await cluster.cancel(this.#jobId);
 *   }
 *   async resumeJob(ctx: TaskContext, jobId: string): Promise<string> {
 *     if (await cluster.hasFailed(jobId)) return this.execute(ctx);
 *     this.#jobId = jobId;
 *     return cluster.wait(jobId, ctx.signal);
 *   }
 * }
 * const outcome = await runTask(new RunReport(), ctx);
 * const next = startAfter(EXECUTE, outcome);
 * ```
 *
 * Holds:
 * - **An attempt ends in a value**: `runTask` answers one of five outcomes and does not reject.
 * - **A signal is not lost**: a deferral or checkpoint that a catch block swallowed or replaced
 *   fails the attempt with `SignalSwallowed`.
 * - **A kill decides**: once it began, the outcome is what `onKill` made of it; an `execute` that
 *   goes on and returns is no success.
 * - **Only a known infrastructure kill keeps the job**; no category, a timeout and a user cancel
 *   it.
 * - **No checkpoint without a job**, and none that JSON cannot say: both fail before any state
 *   changes.
 * - **A resume finds its method or fails loudly**; it never falls back to `execute`.
 * - **Telling the same end twice is harmless**: each carries an idempotency key of its own.
 *
 * Why so, where AIP-96 leaves a point open (spec C.3):
 * - Category source: whoever kills says it, as the reason of the abort (`TaskKilled`); any other
 *   reason is "nobody knows".
 * - Try accounting: leaving by a deferral or a checkpoint asks for no try; `tryNumber` stays and
 *   `step` counts.
 * - Resume delay: none. The scheduler may start a checkpointed task at once; `retryDelay` is for
 *   failures.
 * - Lifetime of a checkpoint: no limit. A checkpoint is in force until its job came to its end, a
 *   newer one or a user's clear.
 * - Run timeout while checkpointed: the run fails as with a deferred task; the job is cancelled by
 *   nobody, so say so.
 * - Trigger rules: `checkpointed` is not finished, so `all_done` and every other rule wait.
 * - Mapped tasks: each map index has its own checkpoint; the index is part of the idempotency key.
 * - Several jobs in one operator: one checkpoint, whose `remoteJobId` may be a list or an object of
 *   ids.
 * - Listener events: none of their own; a listener reads the outcome, as it does for a deferral.
 * - Execution timeout: counted anew for each step, as for a deferral; a limit on the whole belongs
 *   to the run.
 *
 * And where the seed's text has a gap: one field name, `methodName` (C3); an `onKill` whose
 * `length` is 0 is called without an argument (C7); a stored checkpoint outlives a resume that is
 * lost before it polls (C18, F15); a method is looked up at the resume only, so that a job's id is
 * not thrown away over a typing error (C36).
 *
 * @module
 */
export {
  type AttemptOutcome,
  EXECUTE,
  idempotencyKeyFrom,
  isFinished,
  startAfter,
  startWith,
  stateAfter,
  type TaskInstanceState,
  type TaskStart,
} from "./attempt.ts";
export { BaseOperator, type Operator } from "./base-operator.ts";
export type { TaskContext, TaskKey, TaskStatePort } from "./context.ts";
export { SignalSwallowed, UnknownResumeMethod } from "./errors.ts";
export {
  type ExecutionContext,
  executionContextFrom,
  keepsJob,
  type KillCategory,
  TaskKilled,
} from "./execution-context.ts";
export { runTask } from "./run-task.ts";
export { type Checkpoint, RESUME_METHOD_DEFAULT, TaskCheckpointed } from "./task-checkpointed.ts";
export { type Deferral, TaskDeferred } from "./task-deferred.ts";
