/** The databases whose SQL is spoken. */
export type SqlDialect = "sqlite" | "postgres";

/**
 * The steps from an empty database to the newest schema, oldest first; step `i` makes version `i +
 * 1`.
 *
 * Never edit a step that was released: append one. A driver runs those that are missing in one
 * transaction that shuts out other migrators, so that running twice, or by two processes at once,
 * is the same as running once.
 */
function schemaSteps(dialect: SqlDialect): readonly (readonly string[])[] {
  const text = dialect === "postgres" ? `TEXT COLLATE "C"` : "TEXT";
  const whole = dialect === "postgres" ? "BIGINT" : "INTEGER";
  return [
    [
      `CREATE TABLE faultlane_state (
        scope_id ${text} NOT NULL,
        map_index INTEGER NOT NULL,
        key_id ${text} NOT NULL,
        long_scope ${text},
        long_key ${text},
        value TEXT NOT NULL,
        expires_at ${whole},
        updated_at ${whole},
        writer TEXT,
        PRIMARY KEY (scope_id, map_index, key_id)
      )${dialect === "sqlite" ? " STRICT" : ""}`,
      `CREATE INDEX faultlane_state_expiry ON faultlane_state (expires_at)
        WHERE expires_at IS NOT NULL`,
    ],
  ];
}

/** Where the version lies: one row, in a table of our own, since the database may be shared. */
export const CREATE_VERSION_TABLE =
  "CREATE TABLE IF NOT EXISTS faultlane_schema (version INTEGER NOT NULL)";
export const SELECT_VERSION = "SELECT max(version) AS version FROM faultlane_schema";

/**
 * The statements that take a database from `version` to the newest.
 *
 * @throws {RangeError} when the database was made by a newer kit
 */
export function migrationFrom(dialect: SqlDialect, version: number): readonly string[] {
  const steps = schemaSteps(dialect);
  if (version > steps.length) {
    throw new RangeError(
      `Cannot open a store of schema version ${version}: this kit knows versions up to ${steps.length}, use a newer one`,
    );
  }
  if (version === steps.length) return [];
  return [
    ...steps.slice(version).flat(),
    "DELETE FROM faultlane_schema",
    `INSERT INTO faultlane_schema (version) VALUES (${steps.length})`,
  ];
}
