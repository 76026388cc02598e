/**
 * The state store on PostgreSQL, over the `pg` package, which you install yourself.
 *
 * ```ts
 * // needs: postgres
 * import { TaskStateStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 * import { PostgresStateBackend } from "faultlane/postgres";
 *
 * await using backend = new PostgresStateBackend("postgres://user@host/database");
 * const store = new TaskStateStore(
 *   backend,
 *   { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 },
 *   { clock: systemClock },
 * );
 * await store.set("last_page", 5);
 * console.log(await store.get("last_page")); // => 5
 * ```
 *
 * - **Any number of processes** can use one database; two concurrent sweeps share the work.
 * - **The tables** `faultlane_state` and `faultlane_schema` are in the first schema of the search
 *   path.
 * - **The first call** connects and brings the schema up to date; doing so twice, or from two
 *   processes at once, is the same as once.
 *
 * @module
 */
import type { Pool } from "pg";
import { SqlStateBackend } from "../store/sql/mod.ts";
import { PostgresDriver, type PostgresOptions } from "./postgres-driver.ts";

export type { PostgresOptions };

/**
 * A {@linkcode SqlStateBackend} in a PostgreSQL database.
 *
 * @example
 * ```ts
 * // needs: postgres
 * import { PostgresStateBackend } from "faultlane/postgres";
 *
 * await using backend = new PostgresStateBackend("postgres://user@host/database", {
 *   connectionsMax: 2,
 * });
 * const asset = { kind: "asset", name: "orders" } as const;
 * await backend.set(asset, "watermark", "17", { expiresAt: null });
 * console.log((await backend.get(asset, "watermark"))?.value); // => 17
 * ```
 */
export class PostgresStateBackend extends SqlStateBackend {
  /**
   * Takes the URL of a database, or a pool, which remains the caller's to close.
   *
   * @throws {TypeError} when `server` is neither, or there is another option
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
