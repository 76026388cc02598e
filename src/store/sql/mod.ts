/**
 * For authors of database drivers: the SQL of a state store, its schema, and the backend that runs
 * both over a driver.
 *
 * A driver implements {@linkcode SqlDriver}; {@linkcode SqlStateBackend} does the rest. The drivers
 * of this package, `faultlane/sqlite` and `faultlane/postgres`, are built the same way.
 *
 * ```ts
 * import { migrationFrom, sqlStatements } from "faultlane/sql";
 *
 * console.log(migrationFrom("postgres", 1)); // => []
 * console.log(sqlStatements("postgres").get.name); // => faultlane_get
 * ```
 *
 * - **Two tables** hold everything: `faultlane_state` and `faultlane_schema`.
 * - **Two releases** can use one database during a rolling upgrade: the schema says the oldest one
 *   that it serves.
 * - **A statement is a transaction**; none depends on an earlier one.
 * - **Any key and any scope is stored**: characters that a database refuses are escaped, names too
 *   long for an index are replaced by a digest and kept beside it.
 *
 * @module
 */
export { SqlStateBackend } from "./backend.ts";
export type { SqlDialect } from "./dialect.ts";
export type { SqlDriver, SqlParam, SqlRow } from "./driver.ts";
export { CREATE_VERSION_TABLE, migrationFrom, SELECT_VERSION } from "./schema.ts";
export { type SqlStatement, type SqlStatementName, sqlStatements } from "./statements.ts";
