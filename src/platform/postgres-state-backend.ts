/**
 * The state store on PostgreSQL, over the `pg` package, which the user installs.
 *
 * ```ts
 * import { TaskStateStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 * import { PostgresStateBackend } from "faultlane/postgres";
 *
 * await using backend = new PostgresStateBackend("postgres://user@host/database");
 * const scope = { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 }
 * as const; const store = new TaskStateStore(backend, scope, { clock: systemClock });
 * await store.set("last_page", 5);
 * ```
 *
 * - **Any number of processes** may use one database; two sweeps at once share the work.
 * - **The tables** are `faultlane_state` and `faultlane_schema` in the first schema of the search
 *   path.
 * - **Connecting** happens with the first call, and brings the schema up to date; twice or by two
 *   processes at once is the same as once.
 *
 * @module
 */
import type { Pool } from "pg";
import { SqlStateBackend } from "../store/mod.ts";
import { PostgresDriver, type PostgresOptions } from "./postgres-driver.ts";

export type { PostgresOptions };

/** A {@linkcode SqlStateBackend} in a database of PostgreSQL. */
export class PostgresStateBackend extends SqlStateBackend {
  /**
   * Takes the address of a database, or a pool, which then stays the caller's to close.
   *
   * @throws {TypeError} when `server` is neither
   */
  constructor(server: string | Pool, options: PostgresOptions = {}) {
    const isPool = typeof server === "object" && server !== null && "query" in server;
    if (!isPool && (typeof server !== "string" || server === "")) {
      throw new TypeError(
        `Cannot open a store at ${describe(server)}: write postgres://user@host/database, or give a pool`,
      );
    }
    super(new PostgresDriver(server, options));
  }
}

function describe(server: unknown): string {
  return server === "" ? `""` : String(server);
}
