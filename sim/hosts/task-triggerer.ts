import type { AttemptOutcome } from "../../src/operator/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import type { Life } from "./life.ts";
import type { TaskDatabase, TaskRow } from "./task-database.ts";

export interface TaskTriggererOptions {
  readonly database: string;
  readonly everyMs: number;
  /** Resolves with the event that the task waits for; a rejection fails the task's try. */
  waitFor(life: Life, row: TaskRow, deferral: Deferred): Promise<unknown>;
}

type Deferred = Extract<AttemptOutcome, { kind: "deferred" }>;

/** How long after a failed commit the next attempt follows. */
const COMMIT_RETRY_MS = 1_000;

/**
 * Starts one incarnation of the triggerer: it runs a trigger for each deferred task and commits the
 * trigger's event.
 *
 * Holds: its triggers die with it; the next incarnation starts them all again.
 */
export function startTaskTriggerer(
  life: Life,
  database: TaskDatabase,
  options: TaskTriggererOptions,
): void {
  const { database: host, everyMs } = options;
  const watched = new Set<Deferred>();

  async function commit(write: () => unknown): Promise<void> {
    for (;;) {
      try {
        await life.callAsync("trigger.commit", host, async () => write());
        return;
      } catch {
        await sleep(life.clock, COMMIT_RETRY_MS);
      }
    }
  }

  async function watch(row: TaskRow, deferral: Deferred): Promise<void> {
    const { idempotencyKey } = deferral;
    // A fail-over may lose a deferral; the one that the task makes next has the same key.
    const isCurrent = (): boolean => row.deferral === deferral;
    const write = await options.waitFor(life, row, deferral).then(
      (event) => () => isCurrent() && database.fire(row.name, idempotencyKey, event),
      (error: unknown) => () =>
        isCurrent() && database.failDeferred(row.name, idempotencyKey, error),
    );
    await commit(write);
    // It may lose this commit as well; the row then waits for its trigger again.
    watched.delete(deferral);
  }

  async function watchNew(): Promise<void> {
    const rows = await life.callAsync("database.query", host, async () => database.deferred());
    for (const row of rows) {
      const { deferral } = row;
      if (deferral === undefined || watched.has(deferral)) continue;
      watched.add(deferral);
      watch(row, deferral).catch((error: unknown) => life.world.fail(error));
    }
  }

  const again = (): void => {
    life.after(everyMs, () => void watchNew().then(again, again));
  };
  again();
}
