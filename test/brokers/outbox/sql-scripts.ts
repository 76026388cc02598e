import type { QueryResult } from "pg";
import type { Script } from "./script.ts";

/** Conditions; each is true, false, unknown or an error. */
const CONDITIONS: readonly string[] = [
  // Precedence, from the loosest to the tightest.
  "true OR true AND false",
  "(true OR true) AND false",
  "NOT false AND false",
  "NOT (false AND false)",
  "NOT NOT true",
  "NOT 1 = 2",
  "1 + 2 * 3 = 7",
  "(1 + 2) * 3 = 9",
  "7 - 2 - 1 = 4",
  "2 * 3 * 4 - 1 = 23",
  "-3 + 5 = 2",
  "-(2) * 3 = -6",
  "2 - -2 = 4",
  // Three-valued logic.
  "null AND false",
  "false AND null",
  "null AND true",
  "null OR true",
  "null OR false",
  "NOT null",
  "true AND true",
  "false OR false",
  "false OR true",
  "null = 1",
  "1 <> null",
  "null + 1 IS NULL",
  "1 * null IS NOT NULL",
  "null IS NULL",
  "1 IS NULL",
  "1 IS NOT NULL",
  "3 IN (1, null)",
  "1 IN (1, null)",
  "3 NOT IN (1, null)",
  "1 NOT IN (1, null)",
  "null IN (1)",
  "null NOT IN (1)",
  // Comparisons, at and beside the boundary.
  ...["1 < 1", "1 <= 1", "1 > 1", "1 >= 1", "1 = 1", "1 <> 1", "1 != 1"],
  ...["1 < 2", "1 <= 2", "1 > 2", "1 >= 2", "1 = 2", "1 <> 2", "1 != 2"],
  ...["2 < 1", "2 <= 1", "2 > 1", "2 >= 1"],
  ...["'a' < 'b'", "'b' <= 'a'", "'b' > 'a'", "'it''s' = 'it''s'", "'A' = 'a'"],
  ...["true > false", "false >= true", "true = 'yes'", "'off' = false"],
  ...["2 IN (1, 2)", "3 IN (1, 2)", "3 NOT IN (1, 2)", "2 NOT IN (1, 2)", "'b' IN ('a', 'b')"],
  // Conversions.
  ...["'5'::int = 5", "' -5 '::bigint + 1 = -4", "'1.5'::float8 = 1.5", "1.6::int = 2"],
  ...["1.5 + 1 = 2.5", "2 * 1.5 = 3", "3 - 0.5 > 2.4", "'2' + 1 = 3", "2 * '3' = 6"],
  ...["5::text = '5'", "true::text = 'true'", "'x'::varchar = 'x'", "'5' = 5", "5 = '5'"],
  ...["'t'::boolean", "'FALSE'::bool", "'on'::bool", "'0'::bool", "'1'::bool", "'no'::bool"],
  `'{"a": [1, null]}'::jsonb = '{"a":[1,null]}'::jsonb`,
  `'{"a": 1}'::jsonb <> '{"a": 2}'::jsonb`,
  // Intervals.
  "interval '1 minute' = interval '60 seconds'",
  "interval '1 hour 30 minutes' > interval '89 min'",
  "interval '2 days' = interval '48 hours'",
  "interval '1.5 s' = interval '1500 milliseconds'",
  "interval '1 day' = interval '1440 mins'",
  "interval '1 second' * 3 = interval '3 secs'",
  "2 * interval '1 hour' = interval '120 minutes'",
  "interval '1 sec' * '2' = interval '2000 ms'",
  "interval '1 min' - interval '1 sec' = interval '59 s'",
  "interval '1 min' + interval '1 sec' = interval '61 s'",
  "interval '1 min' + '1 sec' = interval '61 s'",
  "interval '-1 min' < interval '0 s'",
  "make_interval(secs => 1.5) = interval '1500 ms'",
  "make_interval(mins => 2, secs => 1) = interval '121 seconds'",
  "make_interval(days => 1, hours => 1) = interval '25 hours'",
  // Times.
  "'2026-01-01'::timestamptz < '2026-01-02'::timestamptz",
  "'2026-01-01T00:00:00Z'::timestamptz + interval '1 day' = '2026-01-02T00:00:00Z'::timestamptz",
  "interval '1 day' + '2026-01-01T00:00:00Z'::timestamptz = '2026-01-02 00:00:00Z'::timestamptz",
  "'2026-01-02T00:00Z'::timestamptz - interval '1 day' = '2026-01-01T00:00Z'::timestamptz",
  "'2026-01-01T00:00Z'::timestamptz + '1 hour' = '2026-01-01T01:00Z'::timestamptz",
  "'2026-01-01T02:00+02:00'::timestamptz = '2026-01-01T00:00Z'::timestamptz",
  "'2026-01-02'::timestamptz - '2026-01-01'::timestamptz = interval '24 hours'",
  "now() - interval '1 s' < now()",
  "now() <= clock_timestamp()",
  "now() = now()",
  // What a server refuses.
  ...["'one'::int", "'1.5'::int", "'one'::float8", "'maybe'::bool", "'{no'::jsonb", "'' = 5"],
  ...["interval 'soon'", "interval '5 lightyears'", "interval '5'  = interval 'x 5 s'"],
  ...[
    "'soon'::timestamptz",
    "now() + 5 > now()",
    "now() * 2 = now()",
    "now() > 5",
    "5 - now() = 1",
  ],
  ...["interval '1 day' - now() = now()", "interval '1 s' + 1 = now()", "interval '1 s' = 1"],
  ...[
    "true + 1 = 2",
    "true = 1",
    "1 = true",
    "'a'::text = 1",
    "1 = 'a'::text",
    "'a'::text + 1 = 2",
  ],
  ...[
    "interval '1 s' * interval '1 s' = now()",
    "1 = 'one'",
    "true = 'maybe'",
    "true::timestamptz",
  ],
  ...["missing = 1", "NOT 5", "5 AND true", "'one' = ANY('one')"],
];

/** Conditions with a parameter. */
const WITH_PARAMETERS: readonly (readonly [sql: string, params: readonly unknown[]])[] = [
  ["$1::int = 5", [5]],
  ["$1::int = 5", ["5"]],
  ["$1::bool", [true]],
  ["$1::text IS NULL", [null]],
  ["$1::text IS NULL", [undefined]],
  ["$1::jsonb = '{\"a\": 1}'::jsonb", [{ a: 1 }]],
  ["$1 = '2026-01-01T00:00:00Z'::timestamptz", [new Date(Date.UTC(2026, 0, 1))]],
  ["2 = ANY($1)", [[1, 2]]],
  ["3 = ANY($1)", [[1, 2]]],
  ["3 = ANY($1)", [[1, null]]],
  ["3 = ANY($1)", [[]]],
  ["3 = ANY($1::int[])", [null]],
  ["null = ANY($1::int[])", [[1]]],
  ["null = ANY($1::int[])", [[]]],
  ["$2::int = 2 AND $1::int = 1", [1, 2]],
];

/** Ways to say what there is to say, each on the same four rows. */
const SELECTS: readonly string[] = [
  "SELECT id FROM outbox LIMIT -1",
  "SELECT id FROM outbox OFFSET -2",
  "SELECT 2147483647 + 1 FROM outbox",
  "SELECT attempts + 2147483647 + 1 FROM outbox WHERE id = 1",
  "SELECT attempts - 2147483648 - attempts FROM outbox WHERE id = 1",
  "SELECT id FROM outbox ORDER BY id",
  "select ID from OUTBOX order by ID asc;",
  'SELECT "id" FROM "outbox" ORDER BY "id" DESC',
  "SELECT o.id FROM outbox o WHERE o.id > 2 ORDER BY o.id",
  "SELECT o.id FROM outbox AS o WHERE NOT o.id > 2 ORDER BY id",
  "SELECT id -- a comment\n FROM /* another\n one */ outbox ORDER BY id",
  "SELECT id FROM outbox ORDER BY leased_by, id",
  "SELECT id FROM outbox ORDER BY leased_by DESC, id DESC",
  "SELECT id FROM outbox ORDER BY attempts, id DESC",
  "SELECT id FROM outbox ORDER BY attempts DESC, leased_by ASC, id",
  "SELECT id FROM outbox ORDER BY id * attempts DESC, id",
  "SELECT id FROM outbox ORDER BY id LIMIT 2",
  "SELECT id FROM outbox ORDER BY id LIMIT 0",
  "SELECT id FROM outbox ORDER BY id LIMIT NULL",
  "SELECT id FROM outbox ORDER BY id LIMIT 1 + 2",
  "SELECT id FROM outbox WHERE id IN (SELECT id FROM outbox WHERE attempts = 1) ORDER BY id",
  "SELECT id FROM outbox WHERE id NOT IN (SELECT id FROM outbox WHERE attempts = 1) ORDER BY id",
  "SELECT id FROM outbox WHERE null IN (SELECT id FROM outbox WHERE false)",
  "SELECT id FROM outbox WHERE id NOT IN (SELECT id FROM outbox WHERE false) ORDER BY id",
  "SELECT id FROM outbox WHERE leased_by IN (SELECT leased_by FROM outbox) ORDER BY id",
  "SELECT id FROM outbox WHERE id IN (SELECT id + 1 FROM outbox ORDER BY id LIMIT 2) ORDER BY id",
  "SELECT count(*) FROM outbox",
  "SELECT COUNT(*) FROM outbox WHERE id > 1",
  "SELECT key AS k, id + 1 AS next, id, id::int FROM outbox WHERE id = 2",
  "SELECT 1, 'text', true, null, 1.5::float8, 5::bigint, '5'::int",
  "SELECT attempts, attempts + 1, attempts * id, -attempts, key FROM outbox WHERE id = 1",
  "SELECT attempts * 1.5::float8, payload, '[1]'::jsonb FROM outbox WHERE id = 1",
  "SELECT id, nothing FROM outbox WHERE false",
  "SELECT id, attempts, key, leased_by, id + 1 FROM outbox WHERE false",
  "SELECT * FROM outbox_dead",
  "SELECT id FROM outbox ORDER BY nothing",
  "SELECT id FROM outbox WHERE id",
  "SELECT id FROM outbox ORDER BY id LIMIT 'two'",
  "SELECT id FROM outbox ORDER BY id FOR UPDATE",
  "SELECT id FROM outbox ORDER BY id FOR NO KEY UPDATE SKIP LOCKED",
  "SELECT id FROM outbox ORDER BY id LIMIT 1 FOR UPDATE OF outbox NOWAIT",
];

/** Changes, each in a transaction that is rolled back. */
const CHANGES: readonly string[] = [
  "UPDATE outbox SET attempts = attempts + 1, leased_by = key WHERE id < 3 RETURNING id, attempts",
  "UPDATE outbox AS o SET attempts = 7 WHERE o.id = 1 RETURNING attempts, attempts * 2 AS twice",
  "UPDATE outbox SET key = attempts, attempts = attempts - 1 WHERE id = 2 RETURNING key, attempts",
  "UPDATE outbox SET attempts = attempts WHERE false RETURNING id",
  "UPDATE outbox SET attempts = 99999999999 WHERE id = 77",
  "UPDATE outbox SET attempts = 2147483647 + 1 WHERE id = 77",
  "UPDATE outbox SET attempts = 'x' WHERE id = 77",
  "UPDATE outbox SET attempts = attempts + 2147483647 + 1 WHERE id = 77",
  "UPDATE outbox SET attempts = attempts + 2147483647 + 1 WHERE id = 1",
  "UPDATE outbox SET attempts = 2147483647 WHERE id = 1 RETURNING attempts",
  "UPDATE outbox SET leased_by = 'all'",
  "UPDATE outbox SET visible_at = created_at + interval '1 hour' WHERE visible_at > created_at",
  "UPDATE outbox SET payload = '{}' WHERE id = 1 RETURNING payload",
  "UPDATE outbox SET attempts = 'many'",
  "UPDATE outbox SET attempts = nothing",
  "UPDATE outbox SET attempts = null WHERE id > 1",
  "UPDATE nothing SET key = 'k'",
  "DELETE FROM outbox",
  "DELETE FROM outbox o WHERE o.attempts = 1 RETURNING o.id, key",
  "DELETE FROM outbox WHERE id = 1 RETURNING id, attempts, key, leased_by, payload",
  "DELETE FROM outbox WHERE nothing = 1",
  "INSERT INTO outbox (key, payload) VALUES ('a', '1'), ('b', '[]') RETURNING key, payload, attempts",
  "INSERT INTO outbox (payload, key, attempts) VALUES ('1', 'k', 2 + 3) RETURNING attempts, leased_by",
  "INSERT INTO outbox (key, payload) SELECT key, payload FROM outbox WHERE id < 3 RETURNING key",
  "INSERT INTO outbox (key) VALUES ('a')",
  "INSERT INTO outbox (key, payload) VALUES ('a')",
  "INSERT INTO outbox (key) VALUES ('a', '1')",
  "INSERT INTO outbox (nothing) VALUES (1)",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '1'), (1, 'b', '2')",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '1'), (1, 'b', '2') ON CONFLICT DO NOTHING",
  `INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '1'), (2, 'b', '2')
    ON CONFLICT (id) DO NOTHING RETURNING id, reason`,
  "INSERT INTO outbox_dead (id, key, payload, reason) SELECT id, key, payload, 'why' FROM outbox ORDER BY id LIMIT 2",
  "INSERT INTO outbox_dead (key, payload) VALUES ('a', '1')",
];

/** Statements that begin and end transactions, one after the other on one connection. */
const TRANSACTIONS: readonly string[] = [
  "COMMIT",
  "ROLLBACK",
  "BEGIN WORK",
  "BEGIN",
  "END",
  "BEGIN TRANSACTION",
  "COMMIT TRANSACTION",
  "START TRANSACTION",
  "COMMIT WORK",
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  "SELECT nothing",
  "BEGIN",
  "SELECT 1",
  "END TRANSACTION",
  "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED",
  "UPDATE outbox SET attempts = attempts + 10",
  "SELECT attempts FROM outbox ORDER BY id",
  "UPDATE outbox SET attempts = attempts + 10",
  "SELECT attempts FROM outbox ORDER BY id",
  "ABORT",
  "SELECT attempts FROM outbox ORDER BY id",
  "BEGIN",
  "DELETE FROM outbox WHERE id = 1",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '1')",
  "DELETE FROM outbox_dead",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'b', '2')",
  "UPDATE outbox_dead SET reason = 'changed' RETURNING id, key, reason",
  "SELECT id FROM outbox ORDER BY id",
  "ROLLBACK WORK",
  "SELECT id, key FROM outbox_dead",
  "SELECT id FROM outbox ORDER BY id",
];

async function facts(call: Promise<QueryResult>): Promise<unknown> {
  try {
    const { command, rowCount, rows, fields } = await call;
    return [command, rowCount, rows, fields.map(({ name, dataTypeID }) => [name, dataTypeID])];
  } catch (error) {
    const { message, code, severity } = error as Error & Record<string, unknown>;
    return [code, message, severity];
  }
}

/** Four rows that differ: two were tried before, and two are leased. */
async function fill({ pool, publish }: Parameters<Script>[0]): Promise<void> {
  await publish(4);
  await pool.query("UPDATE outbox SET attempts = 1 WHERE id = 2 OR id = 3");
  await pool.query("UPDATE outbox SET leased_by = 'a' WHERE id >= 3");
}

export const SQL_SCRIPTS: Readonly<Record<string, Script>> = {
  "what conditions are": async ({ pool }) => {
    const seen: unknown[] = [];
    for (const sql of CONDITIONS) {
      const is = pool.query<{ is: unknown }>(`SELECT (${sql}) AS is`);
      seen.push([
        sql,
        await is.then(
          ({ rows }) => rows[0]?.is,
          () => facts(is),
        ),
      ]);
    }
    for (const [sql, params] of WITH_PARAMETERS) {
      const is = pool.query<{ is: unknown }>(`SELECT (${sql}) AS is`, [...params]);
      seen.push([
        sql,
        await is.then(
          ({ rows }) => rows[0]?.is,
          () => facts(is),
        ),
      ]);
    }
    return seen;
  },
  "what selects return": async (place) => {
    await fill(place);
    const seen: unknown[] = [];
    for (const sql of SELECTS) seen.push([sql, await facts(place.pool.query(sql))]);
    return seen;
  },
  "what changes return": async (place) => {
    await fill(place);
    const client = await place.pool.connect();
    const seen: unknown[] = [];
    for (const sql of CHANGES) {
      await client.query("BEGIN");
      seen.push([sql, await facts(client.query(sql))]);
      await client.query("ROLLBACK");
    }
    client.release();
    seen.push(
      await facts(place.pool.query("SELECT id, attempts, leased_by FROM outbox ORDER BY id")),
    );
    return seen;
  },
  "statements of transactions": async (place) => {
    await fill(place);
    const client = await place.pool.connect();
    const seen: unknown[] = [];
    for (const sql of TRANSACTIONS) seen.push([sql, await facts(client.query(sql))]);
    client.release();
    return seen;
  },
};
