/**
 * The state store on SQLite, as the runtime itself brings it: nothing to install.
 *
 * ```ts
 * import { TaskStateStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 * import { SqliteStateBackend } from "faultlane/sqlite";
 *
 * await using backend = new SqliteStateBackend("state.db");
 * const scope = { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 }
 * as const; const store = new TaskStateStore(backend, scope, { clock: systemClock });
 * await store.set("last_page", 5);
 * ```
 *
 * - **Several processes** may use one file: readers do not wait for a writer, writers wait for each
 *   other.
 * - **An acknowledged write** outlives the process, and with `synchronous: "full"`, the default,
 *   the machine.
 * - **Opening** happens with the first call, and brings the schema up to date; twice or by two
 *   processes at once is the same as once.
 *
 * @module
 */
import { SqlStateBackend } from "../store/mod.ts";
import { SqliteDriver, type SqliteOptions } from "./sqlite-driver.ts";

export type { SqliteOptions };

/** A {@linkcode SqlStateBackend} in a file of SQLite, or in memory when the path is `:memory:`. */
export class SqliteStateBackend extends SqlStateBackend {
  /** @throws {TypeError} when `path` is not a text */
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
