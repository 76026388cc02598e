import type { AttemptOutcome } from "../../src/operator/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import type { Life } from "./host.ts";
import type { TaskDatabase, TaskRow } from "./task-database.ts";

export interface TaskTriggererOptions {
  readonly database: string;
  readonly everyMs: number;
  /** Waits for what a deferred task waits for; answers its event, or rejects and fails its try. */
  waitFor(life: Life, row: TaskRow, deferral: Deferred): Promise<unknown>;
}

type Deferred = Extract<AttemptOutcome, { kind: "deferred" }>;

/** How long after a commit that failed it is tried again. */
const COMMIT_AGAIN_MS = 1_000;

/**
 * One incarnation of the triggerer, for deferred tasks: runs a trigger for each, and commits its
 * event.
 *
 * Holds: what it had begun dies with it; its next incarnation begins every trigger anew from what
 * the deferral says.
 */
export function startTaskTriggerer(
  life: Life,
  database: TaskDatabase,
  options: TaskTriggererOptions,
): void {
  const { database: host, everyMs } = options;
  const watched = new Set<string>();

  async function commit(write: () => void): Promise<void> {
    for (;;) {
      try {
        await life.ask("trigger.commit", host, async () => write());
        return;
      } catch {
        await sleep(life.clock, COMMIT_AGAIN_MS);
      }
    }
  }

  async function watch(row: TaskRow, deferral: Deferred): Promise<void> {
    const { idempotencyKey } = deferral;
    const write = await options.waitFor(life, row, deferral).then(
      (event) => () => database.fire(row.name, idempotencyKey, event),
      (error: unknown) => () => database.failDeferred(row.name, idempotencyKey, error),
    );
    await commit(write);
  }

  async function look(): Promise<void> {
    const rows = await life.ask("database.query", host, async () => database.deferred());
    for (const row of rows) {
      const { deferral } = row;
      if (deferral === undefined || watched.has(deferral.idempotencyKey)) continue;
      watched.add(deferral.idempotencyKey);
      watch(row, deferral).catch((error: unknown) => life.world.fail(error));
    }
  }

  const again = (): void => {
    life.after(everyMs, () => void look().then(again, again));
  };
  again();
}
