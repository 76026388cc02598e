import { recogniseAnyCopy } from "../any-copy.ts";

/**
 * Why an attempt is killed.
 *
 * - `infrastructure`: eviction, preemption, node drain. The work is fine and should continue.
 * - `timeout`: the execution timeout. The work should be cancelled.
 * - `user`: somebody cleared, marked or stopped the task. The work should be cancelled.
 */
export type KillCategory = "infrastructure" | "timeout" | "user";

/** The kill categories by the names that AIP-96 gives them. */
export const KillCategory: {
  readonly INFRASTRUCTURE: "infrastructure";
  readonly TIMEOUT: "timeout";
  readonly USER: "user";
} = Object.freeze({ INFRASTRUCTURE: "infrastructure", TIMEOUT: "timeout", USER: "user" });

/** What `onKill` is given; null in its place means that the cause is unknown. */
export interface ExecutionContext {
  /** Why the attempt is killed. */
  readonly category: KillCategory;
  /** The cause in words, for the log. */
  readonly reason?: string;
}

/**
 * Returns whether a kill should leave the remote job running.
 *
 * Holds: only a kill known to come from the infrastructure keeps the job.
 *
 * @example
 * ```ts
 * import { keepsJob } from "faultlane";
 *
 * console.log(keepsJob({ category: "infrastructure", reason: "node drain" })); // => true
 * console.log(keepsJob({ category: "user" })); // => false
 * console.log(keepsJob(null)); // => false
 * ```
 *
 * Source: AIP-96, "Operator Implementation", on_kill
 */
export function keepsJob(executionContext: ExecutionContext | null | undefined): boolean {
  return executionContext?.category === "infrastructure";
}

/**
 * The reason with which to abort an attempt's signal, if the cause is known.
 *
 * @example
 * ```ts
 * import { TaskKilled } from "faultlane";
 *
 * const controller = new AbortController();
 * controller.abort(new TaskKilled({ category: "infrastructure", reason: "node drain" }));
 * console.log(String(controller.signal.reason));
 * // => TaskKilled: Task killed as infrastructure: node drain
 * ```
 */
export class TaskKilled extends Error {
  static {
    recogniseAnyCopy(this, "TaskKilled");
  }

  /** Always `"TaskKilled"`. */
  override readonly name = "TaskKilled";
  /** What `onKill` is given. */
  readonly executionContext: ExecutionContext;

  /** Puts category and reason into the message. */
  constructor(executionContext: ExecutionContext) {
    const { category, reason } = executionContext;
    super(`Task killed as ${category}${reason === undefined ? "" : `: ${reason}`}`);
    this.executionContext = executionContext;
  }
}

/** Returns the execution context of an abort reason; null when it is no {@linkcode TaskKilled}. */
export function executionContextFrom(reason: unknown): ExecutionContext | null {
  return reason instanceof TaskKilled ? reason.executionContext : null;
}
