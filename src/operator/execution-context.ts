/**
 * Why an attempt is killed.
 *
 * - `infrastructure`: eviction, preemption, node drain; the work is fine and is kept.
 * - `timeout`: the execution timeout; the work is cancelled.
 * - `user`: somebody cleared, marked or stopped the task; the work is cancelled.
 */
export type KillCategory = "infrastructure" | "timeout" | "user";

/** What `onKill` is told. Null instead of it: nobody knows why. */
export interface ExecutionContext {
  readonly category: KillCategory;
  /** In words, for the log. */
  readonly reason?: string;
}

/**
 * Whether a kill leaves the remote job running.
 *
 * Holds: only a kill that is known to be the infrastructure's keeps the job; everything else
 * cancels it.
 *
 * Source: AIP-96, "Operator Implementation", on_kill
 */
export function keepsJob(executionContext: ExecutionContext | null | undefined): boolean {
  return executionContext?.category === "infrastructure";
}

/**
 * The reason to abort an attempt's signal with.
 *
 * ```ts
 * controller.abort(new TaskKilled({ category: "infrastructure", reason: "node drain" }));
 * ```
 */
export class TaskKilled extends Error {
  override readonly name = "TaskKilled";
  readonly executionContext: ExecutionContext;

  constructor(executionContext: ExecutionContext) {
    const { category, reason } = executionContext;
    super(`Task killed as ${category}${reason === undefined ? "" : `: ${reason}`}`);
    this.executionContext = executionContext;
  }
}

/** What an abort reason says about the kill; null when it is no {@linkcode TaskKilled}. */
export function executionContextFrom(reason: unknown): ExecutionContext | null {
  return reason instanceof TaskKilled ? reason.executionContext : null;
}
