/**
 * Operators: what a task does, how it frees its worker, and what it does when it is killed.
 *
 * ```ts
 * import { BaseOperator, runTask, silentLogger, stateAfter } from "faultlane";
 *
 * class Submit extends BaseOperator {
 *   override execute(): never {
 *     return this.checkpoint({ remoteJobId: "app-17" });
 *   }
 * }
 * const task = { dagId: "etl", runId: "r1", taskId: "submit", mapIndex: -1, tryNumber: 1 };
 * const { signal } = new AbortController();
 * const outcome = await runTask(new Submit(), { ...task, signal, logger: silentLogger });
 * console.log(stateAfter(outcome, 0)); // => checkpointed
 * ```
 *
 * Holds:
 * - **An attempt ends in a value**: `runTask` returns one of six outcomes and does not reject.
 * - **No signal is lost**: a deferral or checkpoint that a catch block swallowed or replaced fails
 *   the attempt with `SignalSwallowed`.
 * - **A kill decides the outcome**: once it has begun, the outcome is that of `onKill`, even if
 *   `execute` still returns.
 * - **Only a known infrastructure kill keeps the job**; an unknown cause, a timeout and a user
 *   cancel it.
 * - **Every checkpoint has a job** and consists of JSON values; otherwise it fails before any state
 *   changes.
 * - **A resume finds its method or fails**; it never falls back to `execute`.
 * - **Reporting a departure twice is harmless**: each has its own idempotency key.
 *
 * Why so, where AIP-96 leaves a question open:
 * - Who determines the kill category: whoever kills passes it as the abort reason, a `TaskKilled`.
 *   Any other reason means that the cause is unknown.
 * - Try accounting: a deferral, a checkpoint or a reschedule uses up no try; `tryNumber` stays and
 *   `step` counts.
 * - A worker that is lost without a checkpoint costs a try. Without one left the task fails, even
 *   if its job has succeeded: AIP-96 leaves that to a retry of the platform's own, and does not
 *   define it. Give such tasks a retry; the mixin then fetches the result, and submits nothing.
 * - Resume delay: none. The scheduler may start a checkpointed task at once; `retryDelay` is for
 *   failures.
 * - Lifetime of a checkpoint: unlimited. It stays valid until its job has ended, a newer checkpoint
 *   replaces it, or a user clears the task.
 * - A run that times out while a task is checkpointed fails, as with a deferred task. Nothing
 *   cancels the job then, nor when a user stops a checkpointed task: no process of the task runs
 *   that could. The simulator lists such jobs as orphans of a run, with the reason.
 * - Trigger rules: `checkpointed` is not finished, so `all_done` and every other rule wait.
 * - Mapped tasks: each map index has its own checkpoint; the index is part of the idempotency key.
 * - Several jobs in one operator: one checkpoint, whose `remoteJobId` may be a list or an object of
 *   ids.
 * - Listener events: none of their own; a listener sees the outcome, as for a deferral.
 * - Execution timeout: starts anew with each step, as for a deferral. A limit on the whole belongs
 *   to the run.
 *
 * And where its text has a gap:
 * - There is one field name, `methodName` (C3).
 * - An `onKill` whose `length` is 0 is called without an argument (C7).
 * - A stored checkpoint outlives a resume that is lost before it polls (C18, F15).
 * - A method is looked up only when the task resumes, so that a misspelt name does not lose the id
 *   of the job (C36).
 *
 * @module
 */
export {
  type AttemptOutcome,
  type Departure,
  EXECUTE,
  isFinished,
  startAfter,
  startWith,
  stateAfter,
  TaskInstanceState,
  type TaskStart,
} from "./attempt.ts";
export { BaseOperator, type Operator } from "./base-operator.ts";
export { type CallResult, resultOf, swallowedIn } from "./call-result.ts";
export type {
  AssetStatePort,
  StateModelPort,
  TaskContext,
  TaskKey,
  TaskStatePort,
} from "./context.ts";
export { SignalSwallowed, UnknownResumeMethod } from "./errors.ts";
export { type ExecutionContext, keepsJob, KillCategory, TaskKilled } from "./execution-context.ts";
export { takeRaised } from "./raised-signals.ts";
export { resumeMethodOf } from "./resume-method.ts";
export { runTask } from "./run-task.ts";
export { type Checkpoint, TaskCheckpointed } from "./task-checkpointed.ts";
export { type Deferral, TaskDeferred } from "./task-deferred.ts";
export { TaskRescheduled } from "./task-rescheduled.ts";
export type { TaskFunction } from "./task-function.ts";
