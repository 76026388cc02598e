import type { TaskKey } from "./context.ts";
import { type ExecutionContext, keepsJob } from "./execution-context.ts";
import type { DurationLike } from "../time/mod.ts";

/**
 * How an attempt begins.
 *
 * `step` counts how often this try was left by a deferral or a checkpoint and entered again.
 */
export type TaskStart =
  | { readonly kind: "execute"; readonly step: number }
  | {
      readonly kind: "resume";
      readonly step: number;
      readonly methodName: string;
      readonly remoteJobId: unknown;
      readonly kwargs: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: "event";
      readonly step: number;
      readonly methodName: string;
      readonly event: unknown;
      readonly kwargs: Readonly<Record<string, unknown>>;
    };

export const EXECUTE: TaskStart = Object.freeze({ kind: "execute", step: 0 });

/** What the attempt tells its supervisor to write; the key makes a second telling harmless. */
interface Left {
  readonly methodName: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
  readonly step: number;
}

/** How an attempt ended. A value, never an exception. */
export type AttemptOutcome<Result = unknown> =
  | { readonly kind: "success"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: unknown }
  | (Left & {
      readonly kind: "deferred";
      readonly trigger: unknown;
      readonly timeout: DurationLike | undefined;
    })
  | (Left & { readonly kind: "checkpointed"; readonly remoteJobId: unknown })
  | {
      readonly kind: "killed";
      readonly executionContext: ExecutionContext | null;
      /** Why `onKill` failed: then nobody knows whether the remote job was cancelled. */
      readonly onKillFailure?: { readonly error: unknown };
    };

/** The state that a task instance takes; Airflow's values. */
export type TaskInstanceState = "success" | "failed" | "up_for_retry" | "deferred" | "checkpointed";

/** Whether dependents may go by it; a deferred or checkpointed task is still under way. */
export function isFinished(state: TaskInstanceState): boolean {
  return state === "success" || state === "failed";
}

/**
 * The state after an attempt, when the server has not moved the task instance on meanwhile.
 *
 * Holds: leaving by a deferral or a checkpoint asks for no try, so a task without retries can
 * resume; a kill by a user is not retried.
 */
export function stateAfter(outcome: AttemptOutcome, triesLeft: number): TaskInstanceState {
  switch (outcome.kind) {
    case "success":
      return "success";
    case "deferred":
      return "deferred";
    case "checkpointed":
      return "checkpointed";
    case "failed":
      return triesLeft > 0 ? "up_for_retry" : "failed";
    case "killed":
      if (outcome.executionContext?.category === "user") return "failed";
      return triesLeft > 0 ? "up_for_retry" : "failed";
    default:
      return outcome satisfies never;
  }
}

/**
 * How the next attempt begins after one that began with `start`; a deferral goes on with {@linkcode
 * startWith}.
 *
 * Holds: a checkpoint is kept until the job came to its end: an infrastructure kill that could not
 * checkpoint again leaves the old one in force. After a clear by a user begin with {@linkcode
 * EXECUTE} instead.
 */
export function startAfter(start: TaskStart, outcome: AttemptOutcome): TaskStart {
  if (outcome.kind === "checkpointed") {
    const { step, methodName, remoteJobId, kwargs } = outcome;
    return { kind: "resume", step, methodName, remoteJobId, kwargs };
  }
  const lost = outcome.kind === "killed" && keepsJob(outcome.executionContext);
  return lost && start.kind !== "execute" ? { ...start, step: start.step + 1 } : EXECUTE;
}

/** How the attempt begins that answers the event of a deferral. */
export function startWith(
  outcome: Extract<AttemptOutcome, { kind: "deferred" }>,
  event: unknown,
): TaskStart {
  const { step, methodName, kwargs } = outcome;
  return { kind: "event", step, methodName, event, kwargs };
}

/** Names one leaving of one attempt: two tellings of it are equal, any other differs. */
export function idempotencyKeyFrom(
  key: TaskKey & { readonly tryNumber: number },
  start: TaskStart,
  kind: "deferred" | "checkpointed",
): string {
  const { dagId, runId, taskId, mapIndex, tryNumber } = key;
  return JSON.stringify([dagId, runId, taskId, mapIndex, tryNumber, start.step, kind]);
}
