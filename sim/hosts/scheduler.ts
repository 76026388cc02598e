import type { Life } from "./host.ts";
import type { TaskDatabase } from "./task-database.ts";

export interface SchedulerOptions {
  readonly database: string;
  readonly everyMs: number;
  /** An attempt that was not heard of for so long is declared dead; it may still be running. */
  readonly staleMs: number;
}

/** One incarnation of the scheduler: loops over the database, and keeps nothing itself. */
export function startScheduler(
  life: Life,
  database: TaskDatabase,
  { database: host, everyMs, staleMs }: SchedulerOptions,
): void {
  const again = (): void => {
    life.after(everyMs, loop);
  };
  const loop = (): void => {
    // A loop that fails left no trace in the database; the next one decides anew.
    life.ask("scheduler.commit", host, async () => database.schedule(staleMs)).then(again, again);
  };
  loop();
}
