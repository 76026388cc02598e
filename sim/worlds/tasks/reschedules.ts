import type { TraceEvent } from "../../trace/trace.ts";

/** After so many reschedules of one try a task that waits for the next makes no progress. */
const RESCHEDULES_MAX = 30;

/**
 * Counts how often each try was rescheduled, from what the database says of its tasks: what the
 * code under test counts of that is no measure of when to give it up.
 */
export class Reschedules {
  readonly #counts = new Map<string, number>();

  observe(event: TraceEvent): void {
    if (event.kind !== "task-state" || event.state !== "up_for_reschedule") return;
    const name = nameOf(event.task, event.tryNumber);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Whether the try of this number has been rescheduled so often that it seems to go on for ever. */
  areTooMany(task: string, tryNumber: number): boolean {
    return (this.#counts.get(nameOf(task, tryNumber)) ?? 0) >= RESCHEDULES_MAX;
  }
}

function nameOf(task: string, tryNumber: number): string {
  return `${task} ${tryNumber}`;
}
