import { type AssetRef, clearOrphanedAssets, type StateBackend } from "../../src/store/mod.ts";
import type { Life } from "./life.ts";
import type { TaskDatabase } from "./task-database.ts";

export interface DagProcessorOptions {
  readonly database: string;
  readonly everyMs: number;
  /** The assets that the DAGs declare now. */
  readonly declared: () => readonly AssetRef[];
}

/**
 * Starts one incarnation of the DAG processor: each time it has parsed the DAGs, it deletes the
 * state of assets that none of them declares. What an interrupted clean-up has left is deleted by
 * the next one.
 */
export function startDagProcessor(
  life: Life,
  database: TaskDatabase,
  { database: host, everyMs, declared }: DagProcessorOptions,
): void {
  const backend = remoteStore(life, database, host);
  const clean = async (): Promise<void> => {
    const since = life.world.now;
    await clearOrphanedAssets(backend, declared());
    life.trace({ kind: "orphans-cleared", since });
  };
  const again = (): void => {
    life.after(everyMs, () => void clean().then(again, again));
  };
  again();
}

/** The store as the DAG processor reaches it: each call is one transaction. */
function remoteStore(life: Life, { store }: TaskDatabase, host: string): StateBackend {
  const refuse = (): Promise<never> =>
    Promise.reject(new TypeError("The DAG processor only lists scopes and clears them"));
  return {
    get: refuse,
    set: refuse,
    delete: refuse,
    list: refuse,
    sweepExpired: refuse,
    listScopes: (page) => life.callAsync("store.read", host, () => store.listScopes(page)),
    clear: (scope) =>
      life.callAsync("store.commit", host, () => store.clearing("orphaned").clear(scope)),
  };
}
