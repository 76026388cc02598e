import type { Life } from "./life.ts";
import type { TaskDatabase } from "./task-database.ts";

export interface SweeperOptions {
  readonly database: string;
  readonly everyMs: number;
  readonly batchSize: number;
  /** How long an expired key is kept, because the clocks of the hosts differ. */
  readonly graceMs: number;
}

/**
 * Starts one incarnation of the sweeper, which deletes expired keys in batches. Keys that an
 * interrupted sweep has left are deleted by the next one.
 */
export function startSweeper(
  life: Life,
  { store }: TaskDatabase,
  { database: host, everyMs, batchSize, graceMs }: SweeperOptions,
): void {
  const sweep = async (): Promise<void> => {
    const now = life.clock.wallNow() - graceMs;
    let swept = batchSize;
    while (swept === batchSize) {
      swept = await life.callAsync("store.sweep", host, () => store.sweepBatch(now, batchSize));
    }
  };
  const again = (): void => {
    life.after(everyMs, () => void sweep().then(again, again));
  };
  again();
}
