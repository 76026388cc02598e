import type { DurationLike } from "../time/mod.ts";
import type { TaskKey } from "./context.ts";
import { type ExecutionContext, keepsJob } from "./execution-context.ts";

/**
 * How an attempt begins: from the start, from a checkpoint, or with the event of a deferral.
 *
 * `step` counts how often this try was left by a deferral, a checkpoint or a reschedule and entered
 * again.
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

/** The start of a first attempt, or of one after a user cleared the task. */
export const EXECUTE: TaskStart = Object.freeze({ kind: "execute", step: 0 });

/** What the supervisor persists when an attempt ends by a deferral or a checkpoint. */
export interface Departure {
  /** The operator's method that resumes. */
  readonly methodName: string;
  /** Further arguments of the method. */
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** Equal whenever the same departure is reported again, so that the report can be repeated. */
  readonly idempotencyKey: string;
  /** The step that begins next. */
  readonly step: number;
}

/** How an attempt ended. */
export type AttemptOutcome<Result = unknown> =
  | { readonly kind: "success"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: unknown }
  | (Departure & {
      readonly kind: "deferred";
      readonly trigger: unknown;
      readonly timeout: DurationLike | undefined;
    })
  | (Departure & { readonly kind: "checkpointed"; readonly remoteJobId: unknown })
  | {
      readonly kind: "rescheduled";
      /** When the next attempt begins at the earliest, in milliseconds since the epoch. */
      readonly rescheduleAt: number;
      /** Equal whenever the same reschedule is reported again, so that the report can be repeated. */
      readonly idempotencyKey: string;
      /** The step that begins next. */
      readonly step: number;
    }
  | {
      readonly kind: "killed";
      readonly executionContext: ExecutionContext | null;
      /** Present if `onKill` failed: it is then unknown whether the remote job was cancelled. */
      readonly onKillFailure?: { readonly error: unknown };
    };

/** The state of a task instance after an attempt; Airflow's values. */
export type TaskInstanceState =
  | "success"
  | "failed"
  | "up_for_retry"
  | "up_for_reschedule"
  | "deferred"
  | "checkpointed";

/** The states of a task instance after an attempt, by the names that Airflow gives them. */
export const TaskInstanceState: {
  readonly SUCCESS: "success";
  readonly FAILED: "failed";
  readonly UP_FOR_RETRY: "up_for_retry";
  readonly UP_FOR_RESCHEDULE: "up_for_reschedule";
  readonly DEFERRED: "deferred";
  readonly CHECKPOINTED: "checkpointed";
} = Object.freeze({
  SUCCESS: "success",
  FAILED: "failed",
  UP_FOR_RETRY: "up_for_retry",
  UP_FOR_RESCHEDULE: "up_for_reschedule",
  DEFERRED: "deferred",
  CHECKPOINTED: "checkpointed",
});

/**
 * Returns whether a state is final, so that dependent tasks may start. A deferred or checkpointed
 * task is still in progress.
 *
 * @example
 * ```ts
 * import { isFinished } from "faultlane";
 *
 * console.log(isFinished("success")); // => true
 * console.log(isFinished("checkpointed")); // => false
 * ```
 */
export function isFinished(state: TaskInstanceState): boolean {
  return state === "success" || state === "failed";
}

/**
 * Returns the state of the task instance after an attempt, unless the server has changed it
 * meanwhile.
 *
 * Holds: a deferral, a checkpoint or a reschedule uses up no try, so that a task without retries
 * can resume; a kill by a user is not retried.
 *
 * @example
 * ```ts
 * import { stateAfter } from "faultlane";
 *
 * const failure = { kind: "failed", error: new Error("no space left") } as const;
 * console.log(stateAfter(failure, 1)); // => up_for_retry
 * console.log(stateAfter(failure, 0)); // => failed
 * ```
 */
export function stateAfter(outcome: AttemptOutcome, triesLeft: number): TaskInstanceState {
  switch (outcome.kind) {
    case "success":
      return "success";
    case "deferred":
      return "deferred";
    case "checkpointed":
      return "checkpointed";
    case "rescheduled":
      return "up_for_reschedule";
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
 * Returns how the attempt after `outcome` begins, where `start` is how that attempt began. After a
 * deferral use {@linkcode startWith}; after a user cleared the task use {@linkcode EXECUTE}.
 *
 * Holds: a checkpoint stays valid until its job has ended. After an infrastructure kill in which
 * the operator could not checkpoint again, the next attempt resumes from the previous checkpoint.
 *
 * @example
 * ```ts
 * import { EXECUTE, startAfter } from "faultlane";
 *
 * const next = startAfter(EXECUTE, {
 *   kind: "checkpointed",
 *   remoteJobId: "app-17",
 *   methodName: "resumeJob",
 *   kwargs: {},
 *   idempotencyKey: "etl/r1/load/1",
 *   step: 1,
 * });
 * console.log(next.kind === "resume" && next.remoteJobId); // => app-17
 * ```
 */
export function startAfter(start: TaskStart, outcome: AttemptOutcome): TaskStart {
  if (outcome.kind === "checkpointed") {
    const { step, methodName, remoteJobId, kwargs } = outcome;
    return { kind: "resume", step, methodName, remoteJobId, kwargs };
  }
  if (outcome.kind === "rescheduled") return { kind: "execute", step: outcome.step };
  const lost = outcome.kind === "killed" && keepsJob(outcome.executionContext);
  return lost && start.kind !== "execute" ? { ...start, step: start.step + 1 } : EXECUTE;
}

/**
 * Returns how the attempt begins that handles the event of a deferral.
 *
 * @example
 * ```ts
 * import { startWith } from "faultlane";
 *
 * const next = startWith(
 *   {
 *     kind: "deferred",
 *     trigger: { topic: "orders" },
 *     timeout: undefined,
 *     methodName: "onOrder",
 *     kwargs: {},
 *     idempotencyKey: "etl/r1/load/1",
 *     step: 1,
 *   },
 *   { orderId: 17 },
 * );
 * console.log(next.kind === "event" && next.methodName); // => onOrder
 * ```
 */
export function startWith(
  outcome: Extract<AttemptOutcome, { kind: "deferred" }>,
  event: unknown,
): TaskStart {
  const { step, methodName, kwargs } = outcome;
  return { kind: "event", step, methodName, event, kwargs };
}

/** Returns a key that is the same for each report of one departure and differs for any other. */
export function idempotencyKeyFrom(
  key: TaskKey & { readonly tryNumber: number },
  start: TaskStart,
  kind: "deferred" | "checkpointed" | "rescheduled",
): string {
  const { dagId, runId, taskId, mapIndex, tryNumber } = key;
  return JSON.stringify([dagId, runId, taskId, mapIndex, tryNumber, start.step, kind]);
}
