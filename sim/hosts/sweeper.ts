import type { Life } from "./host.ts";
import type { TaskDatabase } from "./task-database.ts";

export interface SweeperOptions {
  readonly database: string;
  readonly everyMs: number;
  readonly batchSize: number;
  /** How long an expired key is left, against clocks that differ. */
  readonly graceMs: number;
}

/**
 * One incarnation of the host that deletes what has expired, batch by batch; what an interrupted
 * sweep left, the next one takes.
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
      swept = await life.ask("store.sweep", host, () => store.sweepBatch(now, batchSize));
    }
  };
  const again = (): void => {
    life.after(everyMs, () => void sweep().then(again, again));
  };
  again();
}
