import type { SqlDialect } from "./sql-schema.ts";

/** A statement and the name to prepare it under; each `$n` stands once in the text, in order. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

type StatementName =
  | "get"
  | "set"
  | "update"
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
  | OwnName;

/** The statements for which each database has words of its own. */
type OwnName = "setMany" | "getMany" | "sweep";

export type SqlStatements = Readonly<Record<StatementName, SqlStatement>>;

const CONFLICT = `ON CONFLICT (scope_id, map_index, key_id) DO UPDATE SET
  value = excluded.value, expires_at = excluded.expires_at, updated_at = excluded.updated_at,
  writer = coalesce(excluded.writer, faultlane_state.writer)`;
const COLUMNS = `(scope_id, map_index, key_id, long_scope, long_key, value, expires_at, updated_at, writer)`;
const ENTRY = "key_id, long_key, value, expires_at, updated_at, writer";
const KEY = "coalesce(long_key, key_id)";

/** What both databases understand in the same words. */
const COMMON: Readonly<Record<Exclude<StatementName, OwnName>, string>> = {
  get: `SELECT value, expires_at, updated_at, writer FROM faultlane_state
    WHERE scope_id = $1 AND map_index = $2 AND key_id = $3`,
  set: `INSERT INTO faultlane_state ${COLUMNS}
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ${CONFLICT}`,
  update: `UPDATE faultlane_state SET value = $1, updated_at = $2, writer = coalesce($3, writer)
    WHERE scope_id = $4 AND map_index = $5 AND key_id = $6`,
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

/** What each says in words of its own: rows out of a JSON list, and a delete of so many rows. */
const OWN: Readonly<Record<SqlDialect, Readonly<Record<OwnName, string>>>> = {
  sqlite: {
    setMany: `INSERT INTO faultlane_state ${COLUMNS}
      SELECT $1, $2, json_extract(e.value, '$[0]'), $3, json_extract(e.value, '$[1]'),
        json_extract(e.value, '$[2]'), $4, $5, $6
      FROM json_each($7) AS e WHERE true ${CONFLICT}`,
    getMany: `SELECT ${ENTRY} FROM faultlane_state
      WHERE scope_id = $1 AND map_index = $2 AND key_id IN (SELECT e.value FROM json_each($3) AS e)
      ORDER BY ${KEY}`,
    // One statement is one transaction, and there is one writer at a time: nothing can be refreshed
    // inside of it.
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
    // A row that is being set right now is skipped; one that was set since is seen again by the
    // outer condition, whose sum keeps the planner from answering it with the index and then
    // looking each row up in a list of thousands (400 times slower where statistics are stale).
    sweep: `DELETE FROM faultlane_state WHERE ctid = ANY (ARRAY
      (SELECT ctid FROM faultlane_state WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
      AND expires_at + 0 < $3`,
  },
};

/** Every statement of a store, in the words of `dialect`. */
export function sqlStatements(dialect: SqlDialect): SqlStatements {
  const named = Object.entries({ ...COMMON, ...OWN[dialect] }).map(([name, text]) => [
    name,
    Object.freeze({ name: `faultlane_${name}`, text }),
  ]);
  return Object.freeze(Object.fromEntries(named) as Record<StatementName, SqlStatement>);
}
