import type { SqlDialect } from "./dialect.ts";

/** One statement of a store. */
export interface SqlStatement {
  /** A name to prepare it under; the same name always has the same text. */
  readonly name: string;
  /** Its parameters are `$1`, `$2` and so on, each used once and in this order. */
  readonly text: string;
}

/** The names of the statements that {@linkcode SqlStateBackend} runs. */
export type SqlStatementName =
  | "get"
  | "set"
  | "update"
  | "insert"
  | "exchange"
  | "delete"
  | "clear"
  | "clearGroup"
  | "clearRun"
  | "list"
  | "count"
  | "listScopes"
  | "countScopes"
  | "listExpired"
  | "countExpired"
  | "setMany"
  | "getMany"
  | "sweep";

/** The statements that differ between the dialects. */
type DialectName = Extract<SqlStatementName, "setMany" | "getMany" | "sweep">;

const CONFLICT = `ON CONFLICT (scope_id, map_index, key_id) DO UPDATE SET
  value = excluded.value, expires_at = excluded.expires_at, updated_at = excluded.updated_at,
  writer = coalesce(excluded.writer, faultlane_state.writer)`;
const COLUMNS = `(scope_id, map_index, key_id, long_scope, long_key, value, expires_at, updated_at, writer)`;
const ENTRY = "key_id, long_key, value, expires_at, updated_at, writer";
const KEY = "coalesce(long_key, key_id)";

/** The statements that both dialects share. */
const COMMON: Readonly<Record<Exclude<SqlStatementName, DialectName>, string>> = {
  get: `SELECT value, expires_at, updated_at, writer FROM faultlane_state
    WHERE scope_id = $1 AND map_index = $2 AND key_id = $3`,
  set: `INSERT INTO faultlane_state ${COLUMNS}
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ${CONFLICT}`,
  update: `UPDATE faultlane_state SET value = $1, updated_at = $2, writer = coalesce($3, writer)
    WHERE scope_id = $4 AND map_index = $5 AND key_id = $6`,
  insert: `INSERT INTO faultlane_state ${COLUMNS}
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (scope_id, map_index, key_id) DO NOTHING`,
  exchange: `UPDATE faultlane_state SET value = $1, expires_at = $2, updated_at = $3,
    writer = coalesce($4, writer)
    WHERE scope_id = $5 AND map_index = $6 AND key_id = $7 AND value = $8`,
  delete: `DELETE FROM faultlane_state WHERE scope_id = $1 AND map_index = $2 AND key_id = $3`,
  clear: `DELETE FROM faultlane_state WHERE scope_id = $1 AND map_index = $2`,
  clearGroup: `DELETE FROM faultlane_state WHERE scope_id = $1`,
  clearRun: `DELETE FROM faultlane_state WHERE (scope_id >= $1 AND scope_id < $2)
    OR (long_scope >= $3 AND long_scope < $4)`,
  list: `SELECT ${ENTRY} FROM faultlane_state
    WHERE scope_id = $1 AND map_index = $2 AND (expires_at IS NULL OR expires_at > $3)
    ORDER BY ${KEY} LIMIT $4 OFFSET $5`,
  count: `SELECT count(*) AS total FROM faultlane_state
    WHERE scope_id = $1 AND map_index = $2 AND (expires_at IS NULL OR expires_at > $3)`,
  listScopes: `SELECT scope_id, map_index, max(long_scope) AS long_scope, count(*) AS entries
    FROM faultlane_state GROUP BY scope_id, map_index
    ORDER BY coalesce(max(long_scope), scope_id), map_index LIMIT $1 OFFSET $2`,
  countScopes: `SELECT count(*) AS total
    FROM (SELECT DISTINCT scope_id, map_index FROM faultlane_state) AS scopes`,
  listExpired: `SELECT scope_id, map_index, key_id, long_scope, long_key, expires_at
    FROM faultlane_state WHERE expires_at < $1
    ORDER BY expires_at, scope_id, map_index, key_id LIMIT $2`,
  countExpired: `SELECT count(*) AS total FROM faultlane_state WHERE expires_at < $1`,
};

/** Unpacking a JSON list into rows, and deleting a limited number of rows, differ. */
const BY_DIALECT: Readonly<Record<SqlDialect, Readonly<Record<DialectName, string>>>> = {
  sqlite: {
    setMany: `INSERT INTO faultlane_state ${COLUMNS}
      SELECT $1, $2, json_extract(e.value, '$[0]'), $3, json_extract(e.value, '$[1]'),
        json_extract(e.value, '$[2]'), $4, $5, $6
      FROM json_each($7) AS e WHERE true ${CONFLICT}`,
    getMany: `SELECT ${ENTRY} FROM faultlane_state
      WHERE scope_id = $1 AND map_index = $2 AND key_id IN (SELECT e.value FROM json_each($3) AS e)
      ORDER BY ${KEY}`,
    // A statement is a transaction and SQLite has one writer at a time, so no row can be refreshed
    // while this runs.
    sweep: `DELETE FROM faultlane_state WHERE rowid IN
      (SELECT rowid FROM faultlane_state WHERE expires_at < $1 LIMIT $2) AND expires_at < $3`,
  },
  postgres: {
    setMany: `INSERT INTO faultlane_state ${COLUMNS}
      SELECT $1::text, $2::integer, e.value ->> 0, $3::text, e.value ->> 1, e.value ->> 2,
        $4::bigint, $5::bigint, $6::text
      FROM json_array_elements($7::json) AS e ${CONFLICT}`,
    getMany: `SELECT ${ENTRY} FROM faultlane_state
      WHERE scope_id = $1 AND map_index = $2
        AND key_id IN (SELECT json_array_elements_text($3::json)) ORDER BY ${KEY}`,
    // Skips rows that are being written. The outer condition checks again those that were written
    // since the inner query read them; its `+ 0` keeps the planner from using the expiry index for
    // it and probing the list of ctids once a row (400 times slower with stale statistics).
    sweep: `DELETE FROM faultlane_state WHERE ctid = ANY (ARRAY
      (SELECT ctid FROM faultlane_state WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
      AND expires_at + 0 < $3`,
  },
};

/**
 * Returns every statement of a store in `dialect`, by name.
 *
 * @example
 * ```ts
 * import { sqlStatements } from "faultlane/sql";
 *
 * console.log(sqlStatements("sqlite").clear.text);
 * // => DELETE FROM faultlane_state WHERE scope_id = $1 AND map_index = $2
 * ```
 */
export function sqlStatements(
  dialect: SqlDialect,
): Readonly<Record<SqlStatementName, SqlStatement>> {
  const named = Object.entries({ ...COMMON, ...BY_DIALECT[dialect] }).map(([name, text]) => [
    name,
    Object.freeze({ name: `faultlane_${name}`, text }),
  ]);
  return Object.freeze(Object.fromEntries(named) as Record<SqlStatementName, SqlStatement>);
}
