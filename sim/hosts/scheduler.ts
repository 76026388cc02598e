import type { Life } from "./life.ts";
import type { TaskDatabase } from "./task-database.ts";

export interface SchedulerOptions {
  readonly database: string;
  readonly everyMs: number;
  /** An attempt without a heartbeat for this long is declared dead; it may still be running. */
  readonly staleMs: number;
}

/** Starts one incarnation of the scheduler: it loops over the database and has no state. */
export function startScheduler(
  life: Life,
  database: TaskDatabase,
  { database: host, everyMs, staleMs }: SchedulerOptions,
): void {
  const again = (): void => {
    life.after(everyMs, loop);
  };
  const loop = (): void => {
    // A loop that fails has changed nothing; the next one starts over.
    life
      .callAsync("scheduler.commit", host, async () =>
        database.schedule(staleMs, life.clock.wallNow()),
      )
      .then(again, again);
  };
  loop();
}
