import { type AttemptOutcome, EXECUTE, idempotencyKeyFrom, type TaskStart } from "./attempt.ts";
import type { Operator } from "./base-operator.ts";
import { type CallResult, resultOf, swallowedIn } from "./call-result.ts";
import type { TaskContext } from "./context.ts";
import { type ExecutionContext, executionContextFrom } from "./execution-context.ts";
import { checkedJson } from "../json-value.ts";
import { takeRaised, type TaskSignal } from "./raised-signals.ts";
import { resumeMethodOf } from "./resume-method.ts";
import { TaskCheckpointed } from "./task-checkpointed.ts";
import { TaskDeferred } from "./task-deferred.ts";
import { TaskRescheduled } from "./task-rescheduled.ts";
import { nameOfOperator, operatorFrom, type TaskFunction } from "./task-function.ts";

/**
 * Runs one attempt of a task and returns its outcome.
 *
 * Shape: `task` is an operator, or a function of the context. `start` says whether the attempt
 * executes, resumes from a checkpoint or handles the event of a deferral.
 * Holds:
 * - It never rejects because of the operator: what the operator throws is in the outcome.
 * - When `ctx.signal` aborts while the operator runs, `onKill` is called once, before the
 *   operator's own abort listeners, and the outcome is the kill's. What `execute` returns after
 *   that is ignored.
 * - A deferral or checkpoint that a catch block swallowed fails the attempt.
 * - An operator object can run one attempt at a time.
 *
 * @example
 * ```ts
 * import { BaseOperator, runTask, silentLogger } from "faultlane";
 *
 * class CountRows extends BaseOperator<number> {
 *   override execute(): number {
 *     return 42;
 *   }
 * }
 * const task = { dagId: "etl", runId: "r1", taskId: "count", mapIndex: -1, tryNumber: 1 };
 * const { signal } = new AbortController();
 * const outcome = await runTask(new CountRows(), { ...task, signal, logger: silentLogger });
 * console.log(outcome.kind === "success" && outcome.result); // => 42
 * ```
 *
 * @example A function as a task
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 *
 * const task = { dagId: "etl", runId: "r1", taskId: "greet", mapIndex: -1, tryNumber: 1 };
 * const { signal } = new AbortController();
 * const ctx = { ...task, signal, logger: silentLogger };
 * const outcome = await runTask(async ({ taskId }) => `I am ${taskId}`, ctx);
 * console.log(outcome.kind === "success" && outcome.result); // => I am greet
 * ```
 *
 * @throws {TypeError} when `task` is neither
 *
 * Source: AIP-96, "Flow Through System" (C1 to C38)
 */
export async function runTask<Result>(
  task: Operator<Result> | TaskFunction<Result>,
  ctx: TaskContext,
  start: TaskStart = EXECUTE,
): Promise<AttemptOutcome<Result>> {
  const operator = operatorFrom(task);
  takeRaised(operator);
  if (ctx.signal.aborted) {
    return { kind: "killed", executionContext: executionContextFrom(ctx.signal.reason) };
  }
  return new Promise((resolve) => {
    let killed = false;
    function onAbort(): void {
      killed = true;
      resolve(killedOutcome(operator, ctx, start));
    }
    // Registered before the operator runs, so that its own listeners are called after this one.
    ctx.signal.addEventListener("abort", onAbort, { once: true });
    void resultOf(() => begin(operator, ctx, start)).then((result) => {
      ctx.signal.removeEventListener("abort", onAbort);
      if (killed) logIgnored(ctx, result);
      else resolve(outcomeFrom(operator, ctx, start, result));
    });
  });
}

function begin<Result>(
  operator: Operator<Result>,
  ctx: TaskContext,
  start: TaskStart,
): Result | PromiseLike<Result> {
  if (start.kind === "execute") return operator.execute(ctx);
  const argument = start.kind === "resume" ? start.remoteJobId : start.event;
  const method = resumeMethodOf(operator, start.methodName, nameOfOperator(operator));
  return method(ctx, argument, start.kwargs) as Result;
}

function outcomeFrom<Result>(
  operator: Operator<Result>,
  ctx: TaskContext,
  start: TaskStart,
  result: CallResult<Result>,
): AttemptOutcome<Result> {
  const where = methodOf(operator, start);
  const swallowed = swallowedIn(operator, result, where);
  if (swallowed !== undefined) {
    const { signalName: signal } = swallowed;
    ctx.logger.error("Task swallowed a control-flow signal", { where, signal });
    return { kind: "failed", error: swallowed };
  }
  if (result.kind === "returned") return { kind: "success", result: result.value };
  return departureFrom(ctx, start, result.error) ?? { kind: "failed", error: result.error };
}

/** Returns the outcome of a signal; undefined when `thrown` is none. */
function departureFrom(
  ctx: TaskContext,
  start: TaskStart,
  thrown: unknown,
): Exclude<AttemptOutcome<never>, { kind: "success" | "killed" }> | undefined {
  if (thrown instanceof TaskRescheduled) {
    const idempotencyKey = idempotencyKeyFrom(ctx, start, "rescheduled");
    const { rescheduleAt } = thrown;
    return { kind: "rescheduled", rescheduleAt, idempotencyKey, step: start.step + 1 };
  }
  if (!(thrown instanceof TaskDeferred) && !(thrown instanceof TaskCheckpointed)) return undefined;
  const { methodName, kwargs } = thrown;
  try {
    // Checked again: the operator may have changed the arguments since the signal was created.
    checkedJson(kwargs, `the kwargs of ${thrown.name}`);
  } catch (error) {
    return { kind: "failed", error };
  }
  const step = start.step + 1;
  if (thrown instanceof TaskCheckpointed) {
    const idempotencyKey = idempotencyKeyFrom(ctx, start, "checkpointed");
    const { remoteJobId } = thrown;
    return { kind: "checkpointed", remoteJobId, methodName, kwargs, idempotencyKey, step };
  }
  const idempotencyKey = idempotencyKeyFrom(ctx, start, "deferred");
  const { trigger, timeout } = thrown;
  return { kind: "deferred", trigger, timeout, methodName, kwargs, idempotencyKey, step };
}

async function killedOutcome(
  operator: Operator,
  ctx: TaskContext,
  start: TaskStart,
): Promise<AttemptOutcome<never>> {
  const executionContext = executionContextFrom(ctx.signal.reason);
  // Signals raised before the kill belong to the method that the kill interrupted; its result is
  // ignored.
  takeRaised(operator);
  const result = await resultOf(() => callOnKill(operator, executionContext));
  const error = onKillError(operator, result);
  if (error !== undefined) return onKillFailed(ctx, executionContext, error);
  const departure = result.kind === "threw" ? departureFrom(ctx, start, result.error) : undefined;
  if (departure === undefined) return { kind: "killed", executionContext };
  if (departure.kind !== "failed") return departure;
  return onKillFailed(ctx, executionContext, departure.error);
}

function onKillFailed(
  ctx: TaskContext,
  executionContext: ExecutionContext | null,
  error: unknown,
): AttemptOutcome<never> {
  const fields = { error: String(error), category: executionContext?.category ?? null };
  ctx.logger.error("onKill failed, a remote job may still be running", fields);
  return { kind: "killed", executionContext, onKillFailure: { error } };
}

function callOnKill(
  operator: Operator,
  executionContext: ExecutionContext | null,
): void | PromiseLike<void> {
  if (operator.onKill === undefined) return undefined;
  if (operator.onKill.length > 0) return operator.onKill(executionContext);
  // Operators written before kills had a context expect no argument.
  return (operator as unknown as { onKill(): void | PromiseLike<void> }).onKill();
}

/** Returns the error of `onKill`; undefined when it returned or checkpointed. */
function onKillError(operator: Operator, result: CallResult<void>): unknown {
  const where = `${nameOfOperator(operator)}.onKill`;
  const isCheckpoint = ({ name }: TaskSignal): boolean => name === "TaskCheckpointed";
  const swallowed = swallowedIn(operator, result, where, isCheckpoint);
  if (swallowed !== undefined) return swallowed;
  if (result.kind === "returned" || result.error instanceof TaskCheckpointed) return undefined;
  if (!(result.error instanceof TaskDeferred)) return result.error ?? new Error("Unknown failure");
  return new TypeError(
    `Cannot defer from ${nameOfOperator(operator)}.onKill: checkpoint the job instead`,
  );
}

function logIgnored(ctx: TaskContext, result: CallResult<unknown>): void {
  ctx.logger.debug("Task ended after its kill, its result is ignored", { end: result.kind });
}

function methodOf(operator: Operator, start: TaskStart): string {
  return `${nameOfOperator(operator)}.${start.kind === "execute" ? "execute" : start.methodName}`;
}
