import type { Script } from "./script.ts";

const FOUR =
  "INSERT INTO outbox (key, payload, attempts) VALUES ('a', '{\"n\": 1}', 2), ('b', '{\"n\": 2}', 0), ('a', '[]', 1), ('c', '\"x\"', 0)";

/** Numbers at the edges of their types, and what is computed with them. */
const NUMBERS: readonly string[] = [
  ...["2147483647 + 0", "2147483647 + 1", "-2147483647 - 1", "-2147483647 - 2", "65536 * 32768"],
  ...["2147483648 - 1", "2147483648 + 1", "46340 * 46340", "46341 * 46341", "1.5 * 2 = 3"],
  ...["'2147483648'::int", "'-2147483648'::int", "'9223372036854775808'::bigint", "'1e3'::int"],
  ...["''::int", "' '::int", "'x'::bigint", "'5 5'::int", "'+5'::int", "'-0'::int", "5.5::int"],
  ...["2.5::int", "-2.5::int", "3.5::bigint", "'2.5'::float8 * 2", "1::bool", "0::bool", "5::bool"],
  ...["true::int", "false::int", "'5'::text::int", "5::text", "null::int", "1 + null"],
  ...["'2026-01-02T03:04:05Z'::timestamptz::text", "'2026-01-02'::timestamptz || ' at 0'"],
  "'2026-01-02T00:00:10.25+01:00'::timestamptz::text",
];

/** Columns of a query and what they are called. */
const NAMES: readonly string[] = [
  ...["1", "1 AS one", "1::bigint", "'x'", "'x'::text", "true", "null", "null::int"],
  ...["count(*)", "coalesce(null, 1)", "now() = now()"],
  ...["case when true then 1 end", "case when true then 1 else 2 end", "exists (SELECT 1)"],
  ...["case when true then 1 else coalesce(1, 2) end", "1 = 1", "1 IN (1)"],
  ...["case when true then '1' else coalesce(1, 2)::text end", "case when true then abs(2) end"],
  ...[
    "case when true then 1 else 2::int::bigint end",
    "case when true then 1 else abs(2)::int end",
  ],
  ...["case when false then 1 else 2::bigint end", "coalesce(1, 2)::text", "(1)::text", "((1))"],
  ...[
    "make_interval(secs => 1) = interval '1 second'",
    "NOT true",
    "1 IS NULL",
    "-1",
    "'1'::int + 1",
  ],
];

/** Times between and around; each is true, false or an error. */
const INTERVALS: readonly string[] = [
  ...[
    "make_interval(secs => 1.5) = interval '1.5 s'",
    "make_interval(mins => 1) = '60 s'::interval",
  ],
  ...["make_interval(hours => 1, mins => 2) = '62 min'::interval"],
  ...["make_interval(secs => 'x') IS NULL"],
  ...["make_interval(secs => null) IS NULL"],
  ...[
    "interval '1 day' * 2 = '2 days'",
    "2 * interval '1 s' = '2 s'",
    "interval '1 s' * 0.5 = '0.5 s'",
  ],
  ...["interval '1 s' + interval '1 s' = '2 s'", "interval '2 s' - interval '1 s' = '1 s'"],
  ...[
    "interval '1 s' + 1 = '2 s'",
    "1 + interval '1 s' = '2 s'",
    "interval '1 s' * interval '1 s' = '1 s'",
  ],
  ...["now() + interval '1 s' > now()", "now() - interval '1 s' < now()", "now() - now() = '0'"],
  ...[
    "now() + now() = now()",
    "now() * 2 = now()",
    "interval '1 s' - now() = now()",
    "now() + 1 > now()",
  ],
  ...[
    "interval '1 s' + now() > now()",
    "now() - '1 s' < now()",
    "now() > '2000-01-01'",
    "now() < 'x'",
  ],
  ...["'1 s'::interval = '1000 ms'", "'1 fortnight'::interval = '1 s'", "'-1 s'::interval < '0'"],
  ...["'1 s 2 ms'::interval = '1.002'", "''::interval = '0'"],
];

/** Statements on four rows, one after the other, in one session. */
const STATEMENTS: readonly string[] = [
  FOUR,
  "SELECT id, key FROM outbox ORDER BY key DESC, id",
  "SELECT id FROM outbox ORDER BY attempts, key DESC LIMIT 2",
  "SELECT id FROM outbox ORDER BY attempts DESC, id DESC LIMIT 0",
  "SELECT id FROM outbox ORDER BY id LIMIT null",
  "SELECT id FROM outbox ORDER BY id LIMIT -1",
  "SELECT id FROM outbox ORDER BY id LIMIT 'x'",
  "SELECT id FROM outbox ORDER BY id LIMIT 1 + 1",
  "SELECT id, attempts FROM outbox ORDER BY 2, 1",
  "SELECT key AS k FROM outbox ORDER BY k, id",
  "SELECT leased_by, id FROM outbox ORDER BY leased_by, id",
  "SELECT count(*), count(leased_by), min(key), max(id), min(leased_by) FROM outbox",
  "SELECT count(*) FROM outbox WHERE false",
  "SELECT max(id), min(key) FROM outbox WHERE false",
  "SELECT key, count(*) FROM outbox",
  "SELECT DISTINCT ON (key) id, key FROM outbox ORDER BY key, attempts",
  "SELECT DISTINCT ON (attempts) id, attempts FROM outbox ORDER BY attempts, id DESC",
  "SELECT DISTINCT ON (key) id FROM outbox ORDER BY id",
  "SELECT DISTINCT ON (key) id FROM outbox ORDER BY key, id FOR UPDATE",
  "SELECT id FROM outbox o WHERE o.attempts = (SELECT max(attempts) FROM outbox) ORDER BY id",
  "SELECT id FROM outbox o WHERE id IN (SELECT min(id) FROM outbox i WHERE i.key = o.key) ORDER BY id",
  "SELECT id FROM outbox o WHERE EXISTS (SELECT 1 FROM outbox i WHERE i.key = o.key AND i.id < o.id)",
  "SELECT id FROM outbox WHERE id NOT IN (SELECT id FROM outbox WHERE key = 'a') ORDER BY id",
  "SELECT id FROM outbox WHERE id = (SELECT id FROM outbox WHERE key = 'a')",
  "SELECT id FROM outbox WHERE id = (SELECT id FROM outbox WHERE key = 'z')",
  "SELECT o.nothing FROM outbox o",
  "SELECT nothing FROM outbox",
  "SELECT id FROM nothing",
  "SELECT id FROM outbox WHERE id",
  "SELECT id FROM outbox WHERE key",
  "SELECT id FROM outbox WHERE 'x'",
  "SELECT id FROM outbox WHERE key = 1",
  "UPDATE outbox SET attempts = attempts + 1 WHERE key = 'a' RETURNING attempts",
  "UPDATE outbox SET attempts = 'x'",
  "UPDATE outbox SET attempts = null WHERE id = 1",
  "UPDATE outbox SET nothing = 1",
  "UPDATE outbox SET attempts = 1, attempts = 2",
  "UPDATE outbox SET key = 5 WHERE id = 2 RETURNING key",
  "UPDATE outbox SET leased_by = key, key = 'd' WHERE id = 4 RETURNING leased_by, key",
  "UPDATE outbox SET attempts = 2147483647 + attempts WHERE id = 1",
  "UPDATE outbox SET payload = '{' WHERE id = 1",
  'UPDATE outbox SET payload = \'{"a": [1, {"b": null}]}\' WHERE id = 1 RETURNING payload',
  "INSERT INTO outbox (key) VALUES ('e')",
  "INSERT INTO outbox (id, key, payload) VALUES (1, 'e', '1')",
  "INSERT INTO outbox (id, key, payload) VALUES (1, 'e', '1') ON CONFLICT (id) DO NOTHING RETURNING id",
  "INSERT INTO outbox (id, key, payload) VALUES (1, 'e', '1') ON CONFLICT DO NOTHING",
  "INSERT INTO outbox (id, key, payload) VALUES (1, 'e', '1') ON CONFLICT (id) DO UPDATE SET key = 'f' RETURNING id, key",
  "INSERT INTO outbox (id, key, payload) VALUES (1, 'e', '1') ON CONFLICT (id) DO UPDATE SET key = excluded.key RETURNING key",
  "INSERT INTO outbox (id, key, payload) VALUES (1, 'e', '1') ON CONFLICT (id) DO UPDATE SET attempts = 1 / (excluded.id - 1), nothing = 1",
  "INSERT INTO outbox (id, key, payload) VALUES (1, 'e', '1') ON CONFLICT (key) DO NOTHING",
  "INSERT INTO outbox (key, payload) VALUES ('e')",
  "INSERT INTO outbox (key) VALUES ('e', '1')",
  "INSERT INTO outbox (key, key, payload) VALUES ('e', 'e', '1')",
  "INSERT INTO outbox (key, payload) SELECT key, payload FROM outbox WHERE id = 2 RETURNING key",
  "INSERT INTO outbox_dead (id, payload) VALUES (7, '1')",
  "DELETE FROM outbox WHERE id = 2 RETURNING id, key, attempts, leased_by",
  "DELETE FROM outbox WHERE id = 99 RETURNING id",
  "DELETE FROM outbox o WHERE o.id = 3 RETURNING o.id AS gone",
  `SELECT '1e15'::float8::text AS t0, '123456789012345'::float8::text AS t1, '1e14'::float8::text AS t2,
    '0.0001'::float8::text AS t3, '0.00001'::float8::text AS t4, '1e20'::float8::text AS t5,
    '-2.5e-7'::float8::text AS t6, '1.5e300'::float8::text AS t7, '0'::float8::text AS t8,
    '-0.1'::float8::text AS t9, '1e100'::float8::text AS t10, '12345678901234567'::float8::text AS t11,
    floor('1e20'::float8)::text AS t12, abs('-1e16'::float8)::text AS t13, ceil('-0.5'::float8)::text AS t14,
    round('1e20'::float8)::text AS t15`,
  "SELECT count(*) FROM outbox",
];

/** Settings of a session, and what comes of them. */
const SETTINGS: readonly string[] = [
  "SET lock_timeout = 'abc'",
  "SET lock_timeout = '5 parsecs'",
  "SET lock_timeout = ''",
  "SET lock_timeout = '-1'",
  "SET lock_timeout = ' 5 '",
  "SET lock_timeout = '5 s'",
  "SET lock_timeout = '5min'",
  "SET lock_timeout TO 100",
  "SET SESSION statement_timeout = 1000",
  "SET LOCAL statement_timeout = 1000",
  "SET statement_timeout TO DEFAULT",
  "SET lock_timeout TO DEFAULT",
  "NOTIFY a",
  "NOTIFY a, 'b'",
  "LISTEN a",
  "UNLISTEN a",
  "UNLISTEN *",
  "SELECT pg_notify('a', 'b')",
  "SELECT pg_notify('', 'b')",
  "SELECT pg_notify('a', null)",
  "BEGIN",
  "SET LOCAL lock_timeout = '1 h'",
  "SELECT nothing",
  "SELECT 1",
  "COMMIT",
  "COMMIT",
  "ROLLBACK",
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  "BEGIN",
  "SELECT nothing",
  "SELECT 1",
  "ROLLBACK",
];

/** What is answered to each statement, one after the other on one connection. */
export function answersTo(statements: readonly string[]): Script {
  return async ({ pool }) => {
    const client = await pool.connect();
    const seen: unknown[] = [];
    for (const sql of statements) {
      try {
        const { command, rowCount, rows, fields } = await client.query({ text: sql });
        const names = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`);
        // What is changed is told in the order in which it lies, which is the server's own.
        const lines = rows.map((row) => JSON.stringify(row));
        const told = /^(?:update|delete)/i.test(sql) ? lines.toSorted() : rows;
        seen.push([sql, command, rowCount, names, told]);
      } catch (error) {
        const { code, message } = error as Error & { readonly code?: string };
        seen.push([sql, code ?? "", message]);
      }
    }
    client.release();
    return seen;
  };
}

export const selected = (list: readonly string[]): readonly string[] =>
  list.map((one) => `SELECT ${one}`);

/** Statements with their answers: rows, names and types of columns, or the error. */
export const STATEMENT_SCRIPTS: Readonly<Record<string, Script>> = {
  "numbers at the edges of their types": answersTo(selected(NUMBERS)),
  "what columns are called": answersTo(selected(NAMES)),
  "intervals and times": answersTo(selected(INTERVALS)),
  "statements on four rows": answersTo(STATEMENTS),
  "settings, channels and transactions of a session": answersTo(SETTINGS),
};
