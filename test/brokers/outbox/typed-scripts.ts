import type { Script } from "./script.ts";
import { answersTo, selected } from "./statement-scripts.ts";

/** Values that are put together, also those that are not chosen, and what is negated. */
const TOGETHER: readonly string[] = [
  ...["coalesce(1, 'b')", "coalesce(1, '2')", "coalesce(NULL, 'a', 'b')", "coalesce('a', 1)"],
  ...["CASE WHEN true THEN 1 ELSE 'x' END", "CASE WHEN false THEN 'x' ELSE 1 END"],
  ...["CASE WHEN true THEN 'x' ELSE 'y' END", "CASE WHEN true THEN now() ELSE 'x' END"],
  ...["'1' + '2'", "'1' / '2'", "NULL % NULL", "'a' || 'b'", "'a' = 'b'", "-'1'", "-NULL"],
  ...[
    "-true",
    "-'a'::text",
    "-interval '5 s'",
    "-2147483648 - 1",
    "-2147483648 + 1",
    "- 7::bigint",
  ],
  ...["-9 / 2", "-'{}'::jsonb", "- -1", "-1.50 > -2"],
  // Of texts of two types the first one says what they are; ELSE comes before all others.
  ...["coalesce('a'::varchar, 'b'::text)", "least('b'::text, 'a'::varchar)"],
  ...["CASE WHEN true THEN 'a'::varchar ELSE 'b'::text END", "'a'::varchar IN ('b'::text, 'a')"],
  ...["'7'::text NOT IN (SELECT count(*) FROM outbox)", "'7'::text NOT IN (1, 2)"],
  ...["1 = ANY(ARRAY['a'::varchar, 'b'::text])", "1 = ANY(ARRAY['b'::text, 'a'::varchar])"],
];

/** Texts that are written in one way or another. */
const WRITTEN: readonly string[] = [
  ...["'ye'::boolean", "'tr'::boolean", "' n '::boolean", "'of'::boolean", "'o'::boolean"],
  ...[
    "'1e3'::float8",
    "'.5'::float8",
    "'5.'::float8",
    "'1e400'::float8",
    "'e3'::float8",
    "1e3 > 999",
  ],
  ...["1e2::int", ".5 < 1", "5. = 5", "1.5e1::int"],
  ...["'2020-02-30'::timestamptz", "'2020-13-01'::timestamptz", "'2020-00-01'::timestamptz"],
  ...["'2020-01-01 25:00'::timestamptz", "'2020-01-01 10:60'::timestamptz", "'x'::timestamptz"],
  ...["'2020-01-01 24:00Z'::timestamptz = '2020-01-02Z'", "'2024-02-29Z'::timestamptz < now()"],
  ...["'2023-02-29Z'::timestamptz", "'1767225600000'::timestamptz", "'2020'::timestamptz"],
  ...["''::timestamptz"],
];

/** What is taken out of jsonb by a cast. */
const OUT_OF_JSON: readonly string[] = [
  ...[`('{"n": 5}'::jsonb->'n')::int`, `('{"n": 5}'::jsonb->'n')::bigint`],
  ...[`('{"n": 2.5}'::jsonb->'n')::int`, `('{"n": 2.5}'::jsonb->'n')::float8`],
  ...[`('{"n": "5"}'::jsonb->'n')::int`, `('{"n": true}'::jsonb->'n')::boolean`],
  ...[`('{"n": true}'::jsonb->'n')::int`, `('{"n": 1}'::jsonb->'n')::boolean`],
  ...[`('{"n": [1]}'::jsonb->'n')::int`, `('{"n": {}}'::jsonb->'n')::float8`, "'5'::jsonb::int"],
  ...[
    `('{"n": 3000000000}'::jsonb->'n')::int`,
    `('{}'::jsonb->'n')::int`,
    "'5'::jsonb::timestamptz",
  ],
];

/** What a row has, and has not. */
const OF_ROWS: readonly string[] = [
  ...["(SELECT id, key FROM outbox LIMIT 1)", "id IN (SELECT id, key FROM outbox)", "max(payload)"],
  ...["max(count(*))", "count(*) FILTER (WHERE count(*) > 1)"],
  ...["other.id", "outbox.none"],
];

const STATEMENTS: readonly string[] = [
  "INSERT INTO outbox (key, payload) VALUES ('a', '{}'), ('b', '{}')",
  "SELECT id FROM outbox ORDER BY id LIMIT ALL",
  "SELECT id FROM outbox LIMIT id",
  "SELECT id FROM outbox OFFSET id",
  "SELECT id FROM outbox ORDER BY 'x'",
  "SELECT id FROM outbox ORDER BY 2",
  "SELECT id, key FROM outbox ORDER BY 2 DESC",
  "SELECT id FROM outbox o WHERE outbox.id = 1",
  "SELECT id FROM outbox o WHERE other.id = 1",
  "SELECT id FROM outbox o LIMIT 1 FOR UPDATE OF outbox",
  "SELECT id FROM outbox o ORDER BY id LIMIT 1 FOR UPDATE OF o SKIP LOCKED",
  "SELECT count(*) FROM outbox FOR UPDATE",
  "UPDATE outbox SET attempts = true",
  "UPDATE outbox SET attempts = true WHERE false",
  "UPDATE outbox SET attempts = '2'::text",
  "UPDATE outbox SET attempts = attempts = 0",
  "UPDATE outbox SET attempts = 1.5::float8 WHERE id = 1 RETURNING attempts",
  "UPDATE outbox SET payload = 5",
  "UPDATE outbox SET payload = key",
  "UPDATE outbox SET payload = '5'::text WHERE false",
  "UPDATE outbox SET key = 5 WHERE id = 1 RETURNING key",
  "UPDATE outbox SET key = payload WHERE id = 1 RETURNING key",
  "UPDATE outbox SET leased_by = now() IS NULL RETURNING leased_by",
  "UPDATE outbox SET visible_at = now()::text",
  "UPDATE outbox SET visible_at = now()::text WHERE false",
  "UPDATE outbox SET visible_at = interval '1 s' WHERE false",
  "INSERT INTO outbox (key, payload, attempts) VALUES ('a', '{}', true)",
  "INSERT INTO outbox (key, payload) VALUES (1, 2)",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1.4, 5, '1') RETURNING id, key, payload",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '{}') ON CONFLICT (key) DO NOTHING",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '{}') ON CONFLICT (none) DO NOTHING",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '{}') ON CONFLICT (key, id) DO NOTHING",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', '{}') ON CONFLICT (id) DO NOTHING",
  `INSERT INTO outbox_dead (id, key, payload) VALUES (2, 'a', '{}'), (2, 'b', '{}')
   ON CONFLICT (id) DO UPDATE SET key = excluded.key`,
  `INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'b', '{}'), (1, 'c', '{}')
   ON CONFLICT (id) DO UPDATE SET key = excluded.key`,
  `INSERT INTO outbox_dead (id, key, payload) VALUES (2, 'a', '{}'), (2, 'b', '{}')
   ON CONFLICT (id) DO NOTHING`,
  `INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'x', '{}'), (2, 'y', '{}')
   ON CONFLICT (id) DO UPDATE SET key = excluded.key RETURNING id, key`,
  "SELECT id, key FROM outbox_dead ORDER BY id",
  "WITH a AS (SELECT 1 AS n), a AS (SELECT 2 AS n) SELECT n FROM a",
  "WITH a AS (DELETE FROM outbox_dead) SELECT * FROM a",
  "WITH a AS (DELETE FROM outbox_dead) SELECT count(*) FROM a",
  "WITH a AS (DELETE FROM outbox_dead) SELECT 1 AS one",
];

/** Statements with parameters whose type something tells, or nothing. */
const PARAMETERS: readonly (readonly [sql: string, values: readonly unknown[]])[] = [
  ["SELECT $2::int AS v", [5, 6]],
  ["SELECT $0 AS v", [1]],
  ["SELECT $0 AS v", []],
  ["SELECT $1::text AS v, $3::text AS w", ["a", "b", "c"]],
  ["SELECT $1 IS NULL AS v", [null]],
  ["SELECT $1 IS NULL AS v", []],
  ["SELECT $1 IS NULL OR $1 = 'a' AS v", ["a"]],
  ["SELECT id FROM outbox WHERE $1 IS NULL OR key = $1", [null]],
  ["SELECT id FROM outbox WHERE key = $1 OR $1 IS NULL", [null]],
  ["UPDATE outbox SET payload = jsonb_build_object('by', $1) WHERE key = $1", ["key-1"]],
  ["UPDATE outbox SET leased_by = $1 WHERE $1 IS NULL", [null]],
  ["SELECT $1::text IS NULL AS v", [null]],
  ["SELECT jsonb_build_object('a', $1) AS v", ["x"]],
  ["SELECT jsonb_build_object('a', $1::text) AS v", ["x"]],
  ["SELECT jsonb_build_object('a', $1, 'b', $1::int) AS v", [5]],
  ["SELECT count($1) AS v FROM outbox", ["x"]],
  ["SELECT $1 AS v", ["x"]],
  ["SELECT coalesce($1, $2) AS v", [null, "x"]],
  ["SELECT coalesce($1, 1) AS v", ["x"]],
  ["SELECT CASE WHEN $1 THEN $2 ELSE 0 END AS v", [false, "x"]],
  ["SELECT $1 + $2 AS v", [1, 2]],
  ["SELECT -$1 AS v", [1]],
  ["SELECT $1 + 1 AS v", ["5"]],
  ["SELECT 1 = ANY($1::int[]) AS v", [["x"]]],
  ["SELECT 1 = ANY($1::int[]) AS v", [[1, null]]],
  ["SELECT 1 = ANY($1::text[]) AS v", [["1"]]],
  ["SELECT 'a' = ANY($1::text[]) AS v", [["a"]]],
  ["SELECT id FROM outbox WHERE id = ANY($1::text[])", [["1"]]],
  ["SELECT id FROM outbox WHERE id = ANY($1::bigint[])", [[1, "2"]]],
  ["UPDATE outbox SET visible_at = $1", [1_767_225_600_000]],
  ["UPDATE outbox SET visible_at = $1", ["2020-02-30"]],
  ["UPDATE outbox SET attempts = $1::text WHERE id = $2", ["1", 1]],
  ["SELECT id FROM outbox LIMIT $1", [null]],
];

/** Types of values where they are put together, into columns and out of jsonb. */
export const TYPED_SCRIPTS: Readonly<Record<string, Script>> = {
  "values that are put together or negated": answersTo(selected(TOGETHER)),
  "texts that are written in several ways": answersTo(selected(WRITTEN)),
  "what is taken out of jsonb": answersTo(selected(OUT_OF_JSON)),
  "aggregates and subqueries that cannot be": answersTo(
    selected(OF_ROWS).map((one) => `${one} AS v FROM outbox`),
  ),
  "conflicts, locks and types of columns": answersTo(STATEMENTS),
  async "types of parameters"({ pool, publish }) {
    await publish(1);
    const seen: unknown[] = [];
    for (const [text, values] of PARAMETERS) {
      try {
        const { rows, fields } = await pool.query({ text, values: [...values] });
        seen.push([text, rows, fields.map(({ dataTypeID }) => dataTypeID)]);
      } catch (error) {
        const { code, message } = error as Error & { readonly code?: string };
        seen.push([text, code, message]);
      }
    }
    return seen;
  },
  async "rows as lists, with two columns of one name"({ pool }) {
    const text = "SELECT 1 AS a, 2 AS a, 3 AS b";
    const [lists, rows] = [await pool.query({ text, rowMode: "array" }), await pool.query(text)];
    return [lists.rows, lists.fields.map(({ name }) => name), rows.rows];
  },
};
