import type { TraceEvent } from "../../trace/trace.ts";

/** What should happen now and then in worlds of tasks; a search lists what never did. */
export const TASK_MARKS = [
  "an attempt ran on after it was declared dead",
  "an attempt was refused what it asked for",
  "an attempt was resumed",
  "an attempt was told of a kill",
  "a user cleared a task while an attempt ran",
  "a task succeeded at a later try",
  "a user set a watermark back",
] as const;

type TaskMark = (typeof TASK_MARKS)[number];

/** Notes which marks a run reached, from the trace. */
export class TaskMarks {
  readonly #sometimes: (mark: TaskMark) => void;
  readonly #running = new Map<number, string>();
  readonly #dead = new Set<number>();

  constructor(sometimes: (mark: TaskMark) => void) {
    this.#sometimes = sometimes;
  }

  observe(event: TraceEvent): void {
    switch (event.kind) {
      case "attempt":
        this.#running.set(event.attempt, event.task);
        if (event.start !== "execute") this.#sometimes("an attempt was resumed");
        break;
      case "attempt-ended":
        this.#running.delete(event.attempt);
        break;
      case "declared-dead":
        this.#dead.add(event.attempt);
        break;
      case "refused":
        if (this.#dead.has(event.attempt))
          this.#sometimes("an attempt ran on after it was declared dead");
        this.#sometimes("an attempt was refused what it asked for");
        break;
      case "kill":
        this.#sometimes("an attempt was told of a kill");
        break;
      case "user-cleared":
        if ([...this.#running.values()].includes(event.task))
          this.#sometimes("a user cleared a task while an attempt ran");
        break;
      case "user-rewound":
        this.#sometimes("a user set a watermark back");
        break;
      case "task-state":
        if (event.state === "success" && event.tryNumber > 1)
          this.#sometimes("a task succeeded at a later try");
        break;
      default:
        break;
    }
  }
}
