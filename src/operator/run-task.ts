import { type AttemptOutcome, EXECUTE, idempotencyKeyFrom, type TaskStart } from "./attempt.ts";
import type { Operator } from "./base-operator.ts";
import type { TaskContext } from "./context.ts";
import { SignalSwallowed, UnknownResumeMethod } from "./errors.ts";
import { type ExecutionContext, executionContextFrom } from "./execution-context.ts";
import { checkedJson } from "./json-value.ts";
import { takeRaised, type TaskSignal } from "./raised-signals.ts";
import { TaskCheckpointed } from "./task-checkpointed.ts";
import { TaskDeferred } from "./task-deferred.ts";

/** How one call of a user's method ended. */
type Ending<T> =
  | { readonly kind: "returned"; readonly value: T }
  | { readonly kind: "threw"; readonly error: unknown };

/**
 * Runs one attempt of a task to its outcome.
 *
 * Shape: `start` says whether the attempt executes, resumes a checkpoint or answers a deferral's
 * event.
 * Holds:
 * - It never rejects for anything that the operator does; what the operator throws is in the
 *   outcome.
 * - An abort of `ctx.signal` while the operator runs calls `onKill` once, before the operator can
 *   hear of it, and the outcome is then the kill's: what `execute` still answers is ignored,
 *   success included.
 * - A signal that `defer` or `checkpoint` raised and a catch block kept back fails the attempt.
 * - One operator object serves one attempt at a time.
 *
 * Source: AIP-96, "Flow Through System"; spec C.1 and C.2
 */
export async function runTask<Result>(
  operator: Operator<Result>,
  ctx: TaskContext,
  start: TaskStart = EXECUTE,
): Promise<AttemptOutcome<Result>> {
  takeRaised(operator);
  if (ctx.signal.aborted) {
    return { kind: "killed", executionContext: executionContextFrom(ctx.signal.reason) };
  }
  return new Promise((resolve) => {
    let over = false;
    function onAbort(): void {
      over = true;
      resolve(killedOutcome(operator, ctx, start));
    }
    // First to listen: the operator's own listeners find the kill already under way.
    ctx.signal.addEventListener("abort", onAbort, { once: true });
    void endingOf(() => begin(operator, ctx, start)).then((ending) => {
      ctx.signal.removeEventListener("abort", onAbort);
      if (over) tellLeftover(ctx, ending);
      else resolve(outcomeFrom(operator, ctx, start, ending));
    });
  });
}

function begin<Result>(
  operator: Operator<Result>,
  ctx: TaskContext,
  start: TaskStart,
): Result | PromiseLike<Result> {
  if (start.kind === "execute") return operator.execute(ctx);
  const { methodName } = start;
  const method = (operator as unknown as Readonly<Record<string, unknown>>)[methodName];
  if (typeof method !== "function" || methodName === "constructor") {
    throw new UnknownResumeMethod(nameOf(operator), methodName);
  }
  const given = start.kind === "resume" ? start.remoteJobId : start.event;
  return method.call(operator, ctx, given, start.kwargs) as Result;
}

async function endingOf<T>(call: () => T | PromiseLike<T>): Promise<Ending<T>> {
  try {
    return { kind: "returned", value: await call() };
  } catch (error) {
    return { kind: "threw", error };
  }
}

function outcomeFrom<Result>(
  operator: Operator<Result>,
  ctx: TaskContext,
  start: TaskStart,
  ending: Ending<Result>,
): AttemptOutcome<Result> {
  const raised = takeRaised(operator).at(-1);
  const where = methodOf(operator, start);
  const swallowed = swallowedSignal(raised, ending, where);
  if (swallowed !== undefined) {
    ctx.logger.error("Task swallowed a control-flow signal", { where, signal: raised?.name });
    return { kind: "failed", error: swallowed };
  }
  if (ending.kind === "returned") return { kind: "success", result: ending.value };
  return leftOutcome(ctx, start, ending.error) ?? { kind: "failed", error: ending.error };
}

function swallowedSignal(
  raised: TaskSignal | undefined,
  ending: Ending<unknown>,
  where: string,
): SignalSwallowed | undefined {
  if (raised === undefined) return undefined;
  if (ending.kind === "returned") return new SignalSwallowed(raised.name, where);
  if (ending.error === raised) return undefined;
  return new SignalSwallowed(raised.name, where, { cause: ending.error });
}

/** The outcome that a signal stands for; undefined when `thrown` is none. */
function leftOutcome(
  ctx: TaskContext,
  start: TaskStart,
  thrown: unknown,
): Exclude<AttemptOutcome<never>, { kind: "success" | "killed" }> | undefined {
  if (!(thrown instanceof TaskDeferred) && !(thrown instanceof TaskCheckpointed)) return undefined;
  const { methodName, kwargs } = thrown;
  try {
    // Again, as the arguments may have been changed since the signal was made.
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
  // What was raised before the kill is the body's matter, and the body's end is ignored.
  takeRaised(operator);
  const ending = await endingOf(() => callOnKill(operator, executionContext));
  const error = killFailure(operator, ending);
  if (error === undefined) {
    const left = ending.kind === "threw" ? leftOutcome(ctx, start, ending.error) : undefined;
    if (left === undefined) return { kind: "killed", executionContext };
    if (left.kind !== "failed") return left;
    return lostJob(ctx, { kind: "killed", executionContext, onKillFailure: left });
  }
  return lostJob(ctx, { kind: "killed", executionContext, onKillFailure: { error } });
}

function lostJob(
  ctx: TaskContext,
  outcome: Extract<AttemptOutcome<never>, { kind: "killed" }>,
): AttemptOutcome<never> {
  const error = String(outcome.onKillFailure?.error);
  const category = outcome.executionContext?.category ?? null;
  ctx.logger.error("onKill failed, a remote job may be left running", { error, category });
  return outcome;
}

function callOnKill(
  operator: Operator,
  executionContext: ExecutionContext | null,
): void | PromiseLike<void> {
  if (operator.onKill === undefined) return undefined;
  if (operator.onKill.length > 0) return operator.onKill(executionContext);
  // Written before kills had a context: it is called as it always was.
  return (operator as unknown as { onKill(): void | PromiseLike<void> }).onKill();
}

/** What went wrong in `onKill`; undefined when it returned or checkpointed. */
function killFailure(operator: Operator, ending: Ending<void>): unknown {
  const checkpoint = takeRaised(operator).findLast((signal) => signal.name === "TaskCheckpointed");
  const swallowed = swallowedSignal(checkpoint, ending, `${nameOf(operator)}.onKill`);
  if (swallowed !== undefined) return swallowed;
  if (ending.kind === "returned" || ending.error instanceof TaskCheckpointed) return undefined;
  if (!(ending.error instanceof TaskDeferred)) return ending.error ?? new Error("Unknown failure");
  return new TypeError(`Cannot defer from ${nameOf(operator)}.onKill: checkpoint the job instead`);
}

function tellLeftover(ctx: TaskContext, ending: Ending<unknown>): void {
  ctx.logger.debug("Task went on after its kill, its end is ignored", { end: ending.kind });
}

function methodOf(operator: Operator, start: TaskStart): string {
  return `${nameOf(operator)}.${start.kind === "execute" ? "execute" : start.methodName}`;
}

function nameOf(operator: Operator): string {
  return operator.constructor.name;
}
