import type { Script } from "./script.ts";

const FOUR =
  'INSERT INTO outbox (key, payload, attempts) VALUES (\'a\', \'{"n": 1, "to": {"city": "Ulm"}, "tags": ["x", "y"]}\', 2), (\'b\', \'{"n": 2}\', 0), (\'a\', \'[1, "x", [2]]\', 1), (\'c\', \'"x"\', 0)';
const LEASED = "UPDATE outbox SET leased_by = 'w' || id WHERE id > 2";

/** Each is true, or an error. */
const LEASES: readonly string[] = [
  "interval '00:00:30' = interval '30 s'",
  "interval '1:02:03.5' = interval '3723.5 s'",
  "interval '01:30' = interval '90 minutes'",
  "interval '-00:00:30' = interval '-30 s'",
  "interval '1 day 02:00:00' = interval '26 hours'",
  "interval '24 h' = interval '1 day'",
  "interval '2 hrs 1 hr' = interval '3 hours'",
  "interval '5 m' = interval '5 min'",
  "interval '2 weeks' = interval '14 d'",
  "interval '1 w' = interval '7 days'",
  "interval '1500 us' = interval '1.5 ms'",
  "interval '5 microseconds' < interval '1 ms'",
  "interval '30 seconds ago' = interval '-30 s'",
  "interval '@ 30 seconds' = interval '30 s'",
  "interval 'PT30S' = interval '30 s'",
  "interval 'P1DT2H3M4.5S' = interval '1 day 2 hours 3 min 4.5 s'",
  "interval 'P2W' = interval '14 days'",
  "interval '.5 s' = interval '500 ms'",
  "interval '1:75' = interval '1 s'",
  "interval '5 parsecs' = interval '1 s'",
  "interval 'P' = interval '1 s'",
  "interval 'soon' = interval '1 s'",
  "make_interval(weeks => 1) = interval '7 days'",
  "make_interval() = interval '0'",
  "make_interval(parsecs => 1) = interval '0'",
  "CURRENT_TIMESTAMP = now()",
  "current_timestamp + interval '1 s' > transaction_timestamp()",
  "power(2, 3) * interval '1 second' = interval '8 s'",
  "2 ^ 3 * interval '1 second' = interval '8 s'",
  "least(5, 3, null) * interval '1 second' = interval '3 s'",
  "interval '1 min' / 4 = interval '15 s'",
  "interval '1 min' / 0 = interval '15 s'",
  "now() + greatest(1, 2) * interval '1 s' > now()",
  "to_timestamp(1900000000) = '2030-03-17T17:46:40Z'",
  "to_timestamp(1900000000500 / 1000.0) = '2030-03-17T17:46:40.5Z'",
  "extract(epoch FROM interval '1 day') = 86400",
  "extract(epoch FROM interval '90 s') / 60 = 1.5",
  "extract(epoch FROM '2026-01-01T00:00:00Z'::timestamptz) = 1767225600",
];

/** Numbers and what is computed with them: their values. */
const NUMBERS: readonly string[] = [
  ...["7 / 2", "-7 / 2", "7 % 3", "-7 % 3", "1 / 0", "1 % 0", "7.0 / 2 = 3.5", "7::float8 / 2"],
  ...[
    "2 ^ 10",
    "2 ^ -2",
    "2 ^ 2000",
    "0 ^ -1",
    "1 ^ 5000",
    "2 + 3 * 2 ^ 2",
    "abs(-4)",
    "abs(null::int)",
    "abs(-1.5) = 1.5",
  ],
  ...["power(2, 10)", "power(2.0, 3) = 8", "power(null, 2)", "floor(2.7)", "ceil(2.1)"],
  ...[
    "floor(-2.5::float8)",
    "ceiling(2.5::float8)",
    "round(2.5)",
    "round(-2.5)",
    "round(3.5::float8)",
  ],
  ...[
    "round(2.5::float8)",
    "round(2.567, 1)",
    "round(2.675, 2)",
    "round(5)",
    "round(2.5::float8, 1)",
  ],
  ...["least(3, 1, 2)", "greatest(3, null, 2)", "least(null, null)", "greatest('a', 'b')"],
  ...[
    "least(1, 2.5)::int",
    "greatest(1, 'x')",
    "least(1, true)",
    "floor('x')",
    "coalesce(2 / 1, 5)",
  ],
  ...["extract(epoch FROM interval '1.5 s')", "extract(epoch FROM null::interval)"],
  ...[
    "floor(extract(epoch FROM interval '1.5 s'))",
    "round(extract(epoch FROM interval '1.5 s'))::int",
  ],
  ...[
    "extract(epoch FROM interval '1.5 s')::int",
    "(extract(epoch FROM interval '2 s') * 1000)::bigint",
  ],
  ...["1 IS DISTINCT FROM null", "null IS DISTINCT FROM null", "1 IS NOT DISTINCT FROM 1"],
  ...["1 IS DISTINCT FROM 2", "'a' IS NOT DISTINCT FROM null", "1 IS DISTINCT FROM 'x'"],
  ...["2 = ANY('{1,2,3}')", "'b' = ANY('{a,\"b\"}')", "5 = ANY('{1,NULL}')", "5 = ANY('{}')"],
  ...["5 = ANY('{1,')", "5 = ANY('x')", "2 = ANY(ARRAY[1, 2])", "'2' = ANY(ARRAY[1, 2])"],
];

/** What jsonb holds and how it is changed. */
const JSONB: readonly string[] = [
  ...["'5'::jsonb -> 0", "'\"x\"'::jsonb ->> -1", "'\"x\"'::jsonb -> 1", "'5'::jsonb #> '{0}'"],
  ...["'{\"a\": 1}'::jsonb - 'a'", "'{\"a\": 1}'::jsonb - 'b'", "'[1, 2, 3]'::jsonb - 1"],
  ...[
    "'[1, 2]'::jsonb - (-1)",
    "'[\"a\", \"b\"]'::jsonb - 'a'",
    "'{\"a\": 1}'::jsonb - 1",
    "'5'::jsonb - 'a'",
  ],
  ...[
    '\'{"a": {"b": [1, "x"]}}\'::jsonb #> \'{a,b}\'',
    '\'{"a": {"b": [1, "x"]}}\'::jsonb #>> \'{a,b,1}\'',
  ],
  ...[
    "'{\"a\": 1}'::jsonb #>> '{b,c}'",
    "'{\"a\": 1}'::jsonb #>> '{a}'",
    "'{\"a\": 1}'::jsonb #> '{}'",
  ],
  ...['\'{"a": 1, "b": 2}\'::jsonb @> \'{"a": 1}\'', "'{\"a\": 1}'::jsonb @> '{\"a\": 2}'"],
  ...[
    '\'{"a": {"b": 1, "c": 2}}\'::jsonb @> \'{"a": {"b": 1}}\'',
    "'[1, 2, 3]'::jsonb @> '[3, 1]'",
  ],
  ...[
    "'[1, 2]'::jsonb @> '1'",
    "'1'::jsonb @> '1'",
    "'[[1, 2]]'::jsonb @> '[[1]]'",
    "'[[1, 2]]'::jsonb @> '[1]'",
  ],
  ...["'{\"a\": [1]}'::jsonb @> '{\"a\": 1}'", "'{}'::jsonb @> 'x'", "'x' @> 'y'", "1 @> '1'"],
  ...[
    "'{\"a\": 1}'::jsonb ? 'a'",
    "'{\"a\": 1}'::jsonb ? 'b'",
    "'[\"a\", 1]'::jsonb ? 'a'",
    "'\"a\"'::jsonb ? 'a'",
  ],
  ...["jsonb_build_object('n', 1, 't', 'x', 'b', true, 'z', null, 'j', '[1]'::jsonb)"],
  ...["jsonb_build_object('n')", "jsonb_build_object(null, 1)", "jsonb_build_object(1, 2)"],
  ...["jsonb_set('{\"a\": 1}', '{a}', '2')", "jsonb_set('{\"a\": 1}', '{b}', '{\"c\": 3}')"],
  ...[
    "jsonb_set('{\"a\": {\"b\": 1}}', '{a,b}', '\"x\"')",
    "jsonb_set('{\"a\": 1}', '{b,c}', '2')",
  ],
  ...["jsonb_set('{\"a\": 1}', '{a}', null)", "jsonb_set('5', '{a}', '1')"],
];

/** Statements on four rows, one after the other, in one session. */
const STATEMENTS: readonly string[] = [
  FOUR,
  LEASED,
  "SELECT id FROM outbox ORDER BY leased_by NULLS FIRST, id DESC",
  "SELECT id FROM outbox ORDER BY leased_by DESC NULLS LAST, id",
  "SELECT id FROM outbox ORDER BY leased_by DESC, id DESC",
  "SELECT id FROM outbox ORDER BY id FETCH FIRST 2 ROWS ONLY",
  "SELECT id FROM outbox ORDER BY id OFFSET 1 ROW FETCH NEXT ROW ONLY",
  "SELECT id FROM outbox ORDER BY id OFFSET 1 LIMIT 2",
  "SELECT id FROM outbox ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1",
  'SELECT o.id "theId", o.key k, attempts + 1 next FROM outbox AS o ORDER BY 1 LIMIT 1',
  "SELECT o.*, 1 AS one FROM outbox_dead o",
  "SELECT outbox_dead.* FROM outbox_dead",
  "SELECT x.* FROM outbox_dead",
  "SELECT count(*) FILTER (WHERE leased_by IS NULL) AS free, count(*) AS all_of_them FROM outbox",
  "SELECT sum(attempts), sum(id), coalesce(sum(attempts) FILTER (WHERE key = 'z'), 0) AS none FROM outbox",
  "SELECT sum(attempts) FROM outbox_dead",
  "SELECT id FROM outbox WHERE payload @> '{\"n\": 1}'",
  "SELECT id FROM outbox WHERE payload ? 'n' ORDER BY id",
  "SELECT payload #>> '{to,city}' AS city, payload - 'to' AS rest FROM outbox WHERE id = 1",
  "SELECT id FROM outbox WHERE id = ANY(ARRAY(SELECT id FROM outbox WHERE key = 'a')) ORDER BY id",
  "SELECT id FROM outbox WHERE id = ANY (SELECT min(id) FROM outbox)",
  "SELECT id FROM outbox WHERE leased_by IS DISTINCT FROM 'w3' ORDER BY id",
  "UPDATE outbox SET payload = jsonb_set(payload, '{tries}', to_jsonb_is_none) WHERE id = 1",
  "UPDATE outbox SET payload = payload || jsonb_build_object('tries', attempts) WHERE id = 2 RETURNING payload",
  "WITH next AS (SELECT id FROM outbox ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) UPDATE outbox o SET leased_by = 'me', attempts = o.attempts + 1 FROM next WHERE o.id = next.id RETURNING o.id, o.key, o.payload, o.attempts",
  "WITH next AS (SELECT id FROM outbox ORDER BY id DESC LIMIT 1) DELETE FROM outbox_dead d USING next WHERE d.id = next.id RETURNING d.*",
  "DELETE FROM outbox WHERE id = (SELECT id FROM outbox ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING id, key AS k",
  "UPDATE outbox SET visible_at = CURRENT_TIMESTAMP + power(2, attempts) * interval '1 second' WHERE id = 2 RETURNING id",
  "BEGIN",
  "ROLLBACK TO nothing",
  "SELECT 1",
  "ROLLBACK",
  "BEGIN",
  "SAVEPOINT one",
  "DELETE FROM outbox",
  "ROLLBACK TO two",
  "SELECT 1",
  "ROLLBACK TO one",
  "SELECT count(*) FROM outbox",
  "ROLLBACK",
];

const AT = new Date("2026-01-02T03:04:05.678Z");
/** What the library sends for a value. */
const VALUES: readonly unknown[] = [
  ...["text", 5, 5.5, true, null, undefined, { a: 1 }, 10n, "", "it's", ["a", null, [1]]],
  { toPostgres: () => "of its own" },
  { toPostgres: (prepare: (one: unknown) => unknown) => [1, prepare(true)] },
  { at: AT },
];

/** The dialect beyond what the first scripts use: intervals, functions, jsonb, orders. */
export const DIALECT_SCRIPTS: Readonly<Record<string, Script>> = {
  "every way to write a lease": conditions(LEASES),
  "numbers and functions of them": conditions(NUMBERS),
  "members of jsonb": conditions(JSONB),
  "limits, orders and stars, and a change that is joined with WITH": async ({ pool }) => {
    const client = await pool.connect();
    const seen: unknown[] = [];
    for (const sql of STATEMENTS) {
      seen.push([sql, await resultOf(client.query({ text: sql }))]);
    }
    client.release();
    return seen;
  },
  "values as they are sent": async ({ pool }) => {
    const seen: unknown[] = [];
    for (const value of VALUES) {
      seen.push(await resultOf(pool.query("SELECT $1::text AS sent", [value])));
    }
    const { rows } = await pool.query("SELECT $1::timestamptz AS at", [AT]);
    return [...seen, rows];
  },
  "a connection that its owner has closed": async ({ pool }) => {
    const client = await pool.connect();
    client.release(true);
    return [await resultOf(client.query("SELECT 1"))];
  },
};

function conditions(list: readonly string[]): Script {
  return async ({ pool }) => {
    const seen: unknown[] = [];
    for (const sql of list) {
      seen.push([sql, await resultOf(pool.query({ text: `SELECT ${sql} AS is` }))]);
    }
    return seen;
  };
}

interface Result {
  readonly command: string;
  readonly rowCount: number | null;
  readonly oid: number | null;
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  readonly rows: readonly unknown[];
}

async function resultOf(query: Promise<Result>): Promise<unknown> {
  try {
    const { command, rowCount, oid, fields, rows } = await query;
    const names = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`);
    return [command, rowCount, oid, names, rows];
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    return [code ?? "", message];
  }
}
