/**
 * The state store on SQLite, which Node, Deno and Bun include: nothing to install.
 *
 * ```ts
 * import { TaskStateStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 * import { SqliteStateBackend } from "faultlane/sqlite";
 *
 * await using backend = new SqliteStateBackend(":memory:"); // or the path of a file
 * const store = new TaskStateStore(
 *   backend,
 *   { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 },
 *   { clock: systemClock },
 * );
 * await store.set("last_page", 5);
 * console.log(await store.get("last_page")); // => 5
 * ```
 *
 * - **Several processes** can use one file: readers do not wait for a writer, writers wait for each
 *   other.
 * - **An acknowledged write** survives the process and, with `synchronous: "full"`, the default, a
 *   power failure.
 * - **The first call** opens the file and brings the schema up to date; doing so twice, or from two
 *   processes at once, is the same as once.
 *
 * @module
 */
import { SqlStateBackend } from "../store/sql/mod.ts";
import { SqliteDriver, type SqliteOptions } from "./sqlite-driver.ts";

export type { SqliteOptions };

/**
 * A {@linkcode SqlStateBackend} in an SQLite file, or in memory when the path is `:memory:`.
 *
 * @example
 * ```ts
 * import { SqliteStateBackend } from "faultlane/sqlite";
 *
 * await using backend = new SqliteStateBackend(":memory:", { busyTimeoutMs: 1_000 });
 * const asset = { kind: "asset", name: "orders" } as const;
 * await backend.set(asset, "watermark", "17", { expiresAt: null });
 * console.log((await backend.get(asset, "watermark"))?.value); // => 17
 * ```
 */
export class SqliteStateBackend extends SqlStateBackend {
  /**
   * Takes the path of a file, which the first call opens.
   *
   * @throws {TypeError} when `path` is not a string or empty, or there is another option
   */
  constructor(path: string, options: SqliteOptions = {}) {
    if (typeof path !== "string" || path === "") {
      throw new TypeError(`Cannot open a store at ${describe(path)}: write the path of a file`);
    }
    super(new SqliteDriver(path, options));
  }
}

function describe(path: unknown): string {
  return path === "" ? `""` : String(path);
}
