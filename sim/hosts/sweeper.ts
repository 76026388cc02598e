import {
  type StateBackend,
  type SweepReport,
  sweepInBatches,
  sweepPlanFrom,
  type SweepRequest,
  sweepStore,
} from "../../src/store/mod.ts";
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
    const since = life.world.now;
    let now = 0;
    const backend = remoteStore((request) => {
      now = request.now;
      const { batchSize: size = 0 } = request;
      return life.callAsync("store.sweep", host, () => store.sweepBatch(request.now, size));
    });
    await sweepStore(backend, {
      clock: life.clock,
      grace: { milliseconds: graceMs },
      batchSize,
    });
    life.trace({ kind: "sweep-done", since, now, grace: graceMs });
  };
  const again = (): void => {
    life.after(everyMs, () => void sweep().then(again, again));
  };
  again();
}

/** The store as the sweeper reaches it: each batch of a sweep is one call, and one transaction. */
function remoteStore(sweepBatch: (request: SweepRequest) => Promise<number>): StateBackend {
  const refuse = (): Promise<never> => Promise.reject(new TypeError("The sweeper only sweeps"));
  return {
    get: refuse,
    set: refuse,
    delete: refuse,
    clear: refuse,
    list: refuse,
    sweepExpired: (request): Promise<SweepReport> =>
      sweepInBatches(sweepPlanFrom(request), () => sweepBatch(request)),
  };
}
