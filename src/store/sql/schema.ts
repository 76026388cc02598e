import type { SqlDialect } from "./dialect.ts";

/**
 * Returns the migrations from an empty database to the newest schema; the one at index `i` makes
 * version `i + 1`.
 *
 * Never edit a released migration: append one. During a rolling upgrade processes of the release
 * before use the same table, so that a column is replaced in several releases:
 * 1. The new column is added; both are written, and the old one is read.
 * 2. The new one is filled, and read.
 * 3. The old one is not written any more.
 * 4. The old one is dropped.
 *
 * Each stores its version, and the one before it as the oldest that the table serves.
 */
function migrations(dialect: SqlDialect): readonly (readonly string[])[] {
  const text = dialect === "postgres" ? `TEXT COLLATE "C"` : "TEXT";
  const integer = dialect === "postgres" ? "BIGINT" : "INTEGER";
  return [
    [
      `CREATE TABLE faultlane_state (
        scope_id ${text} NOT NULL,
        map_index INTEGER NOT NULL,
        key_id ${text} NOT NULL,
        long_scope ${text},
        long_key ${text},
        value TEXT NOT NULL,
        expires_at ${integer},
        updated_at ${integer},
        writer TEXT,
        PRIMARY KEY (scope_id, map_index, key_id)
      )${dialect === "sqlite" ? " STRICT" : ""}`,
      `CREATE INDEX faultlane_state_expiry ON faultlane_state (expires_at)
        WHERE expires_at IS NOT NULL`,
    ],
  ];
}

/**
 * Creates the table of the schema version, which holds one row: the version; or two: the version,
 * and the oldest one whose processes can still use the table. A table and not a setting of the
 * database, because the database may be shared with others.
 */
export const CREATE_VERSION_TABLE =
  "CREATE TABLE IF NOT EXISTS faultlane_schema (version INTEGER NOT NULL)";

/**
 * Selects the schema version as `version`, and as `oldest` the oldest one whose processes can use
 * the table; null in an empty database.
 */
export const SELECT_VERSION =
  "SELECT max(version) AS version, min(version) AS oldest FROM faultlane_schema";

/**
 * Returns the statements that migrate a database from `version` to the newest schema; none when it
 * is up to date, or when a newer package has migrated it and `oldest` says that it serves this one
 * as well, as during a rolling upgrade. By default it serves no other version than its own.
 *
 * Run them in one transaction under a lock that keeps other migrators out, so that running twice,
 * or from two processes at once, is the same as running once.
 *
 * @example Migrate an empty database
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { CREATE_VERSION_TABLE, migrationFrom, SELECT_VERSION } from "faultlane/sql";
 *
 * const database = new DatabaseSync(":memory:");
 * database.exec("BEGIN IMMEDIATE");
 * database.exec(CREATE_VERSION_TABLE);
 * const { version, oldest } = database.prepare(SELECT_VERSION).get() as Record<string, number>;
 * for (const statement of migrationFrom("sqlite", version ?? 0, oldest ?? 0)) {
 *   database.exec(statement);
 * }
 * database.exec("COMMIT");
 * console.log(database.prepare(SELECT_VERSION).get()?.["version"]); // => 1
 * ```
 *
 * @throws {RangeError} when a newer version of this package has written the schema, and it does not
 * serve this one
 */
export function migrationFrom(
  dialect: SqlDialect,
  version: number,
  oldest: number = version,
): readonly string[] {
  const all = migrations(dialect);
  if (oldest > all.length) {
    const serves = oldest === version ? "" : `, which serves versions from ${oldest}`;
    throw new RangeError(
      `Cannot open a store of schema version ${version}${serves}: this package knows versions up to ${all.length}, use a newer one`,
    );
  }
  if (version >= all.length) return [];
  return [
    ...all.slice(version).flat(),
    "DELETE FROM faultlane_schema",
    `INSERT INTO faultlane_schema (version) VALUES (${all.length})`,
  ];
}
