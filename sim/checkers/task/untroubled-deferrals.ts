import type { TraceEvent } from "../../trace/trace.ts";
import { Troubles } from "./troubles.ts";

type TaskState = Extract<TraceEvent, { kind: "task-state" }>;

/** Clocks drift, by a fiftieth at most; this is more. */
const DRIFT_PARTS = 20;

/** Finds triggers that fail of themselves: nothing befell the run while they waited. */
export class UntroubledDeferrals {
  readonly #troubles = new Troubles();
  /** Since when tasks are deferred, and when that may time out. */
  readonly #waiting = new Map<string, { readonly since: number; readonly timesOutAt: number }>();

  observe(event: TraceEvent): void {
    this.#troubles.observe(event);
  }

  /** Its user ends what the trigger of the task waits for. */
  endByUser(task: string): void {
    this.#waiting.delete(task);
  }

  /** Takes what becomes of a task; returns whether that is by a trigger that fails of itself. */
  failsBy({ task, state, at, waits }: TaskState): boolean {
    const deferral = this.#waiting.get(task);
    this.#waiting.delete(task);
    if (state === "deferred") {
      const timesOutAt = at + (waits ?? Number.POSITIVE_INFINITY) * (1 - 1 / DRIFT_PARTS);
      this.#waiting.set(task, { since: at, timesOutAt });
    }
    if (deferral === undefined || (state !== "failed" && state !== "up_for_retry")) return false;
    const { since, timesOutAt } = deferral;
    const isQuiet = this.#troubles.quietSince !== undefined && !this.#troubles.since(since);
    return isQuiet && at < timesOutAt;
  }
}
