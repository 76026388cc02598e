import { types } from "pg";
import type { Script } from "./script.ts";

/** How values of all types that the tables have are read, by what is set and by an object. */
const READ = "SELECT id, attempts, payload, leased_by, id = 1 AS first, 2.50 AS sum FROM outbox";
const BIGINT = 20;

/** JSON that a server keeps, and that it does not. */
const ESCAPES: readonly unknown[] = [
  ...['{"a":"\\u0000"}', '{"\\u0000":1}', '"\\\\u0000"', '"\\ud83d\\ude00"', '"\\ud83d"'],
  ...[
    '"\\ude00"',
    '"\\ud83d\\ud83d\\ude00"',
    '"\\ud83d\\n"',
    '"\\ud83d \\ude00"',
    '"\\u00e9\\ude00"',
  ],
  ...[{ note: "cut \ud83d" }, { note: "whole \ud83d\ude00" }, { note: "nul \0" }],
];

/** Intervals that a statement returns: a server tells months from days, and days from hours. */
const INTERVALS: readonly string[] = [
  ...["interval '90 minutes'", "interval '-1.5 seconds'", "interval '250 ms'", "interval '0'"],
  ...["interval '23:59:59.999'", "interval '1 hour ago'", "interval '0.0005 s'", "now() - now()"],
  ...["now() + interval '2 minutes' - now()", "now() - (now() + interval '3661 seconds')"],
  ...["least(1, 2) * interval '10 seconds'", "null::interval"],
  ...["interval '1 day -1 hour'", "interval '1 mon -2 days 3:04:05.5'", "interval '36 hours'"],
  ...[
    "interval '1.5 days'",
    "interval '1.5 weeks'",
    "interval '0.35 mon'",
    "interval '1.21 years'",
  ],
  ...["interval '1 decade 2 c 3 mil ago'", "interval 'P1Y2M3DT4H5M6.789S'", "interval 'PT-1.5H'"],
  ...["interval '1:02 1.5 days'", "interval '1.5 days 1:02'", "interval '0.0000015 s'"],
  ...["interval '1 day' - interval '25 hours'", "-interval '1 mon -1 day'", "interval '1 mon' / 7"],
  ...["interval '1 year 1 mon 1 day 01:01:01' * 1.37", "interval '10 days 5:00' / -3"],
  ...["make_interval(years => 1, months => -14, weeks => 2, days => 3, hours => 49)"],
  ...["make_interval(weeks => 2000000000, months => 5)"],
  ...["'2026-03-01T12:00:00Z'::timestamptz - '2024-02-28T13:30:00.25Z'::timestamptz"],
  ...["'2024-02-28T13:30:00.25Z'::timestamptz - '2026-03-01T12:00:00Z'::timestamptz"],
];

/** What intervals come to in an expression of another type. */
const OF_INTERVALS: readonly string[] = [
  ...["interval '1 mon -2 days 3:04:05.5'::text", "interval '-1 mon +2 days'::text"],
  ...[
    "'since ' || interval '-25:00:00.000001'",
    "interval '0 years'::text",
    "interval '26 h'::text",
  ],
  ...["interval '1 mon' = interval '30 days'", "interval '1 year' > interval '360 days'"],
  ...["interval '1 day' = interval '24 h'", "interval '1 day -1 us' < interval '1 day'"],
  ...["extract(epoch FROM interval '1 year 1 mon 1 day 1:01:01.5')"],
  ...["jsonb_build_object('age', interval '3 days 4 s')", "greatest(interval '1 d', '25 h')"],
  ...["'2026-01-31T10:00:00Z'::timestamptz + interval '1 mon'"],
  ...["'2024-03-31T10:00:00Z'::timestamptz - interval '1 mon 1 day'"],
  ...["'2024-02-29T10:00:00Z'::timestamptz + interval '1 year 13 mons 0.5 s'"],
  ...["('2026-01-31T10:00:00Z'::timestamptz + interval '12 us')::text"],
  ...["('2026-01-31T10:00:00Z'::timestamptz + interval '9000 years')::text"],
  ...["'2026-01-31T10:00:00Z'::timestamptz + interval '999.999 ms'", "to_timestamp(1.0006)"],
  ...["interval '3000000000 days'", "interval '2147483647 years'", "interval '1 day 2 qtr'"],
  // A unit without an amount.
  ...["'1:02 seconds'::interval::text", "'days 1 day hours 2:00 s'::interval::text"],
  ...[
    "'1d2h3m4s'::interval::text",
    "'1w2d'::interval",
    "'w1 s'::interval",
    "'d1 s'::interval::text",
  ],
  ...["'1 day-2 h'::interval", "'1d-2h'::interval", "'1d+2h'::interval::text", "'1w+2h'::interval"],
  ...["'1mon2d'::interval::text", "'1dec1y'::interval::text", "'1 dayx'::interval"],
  ...["'hours'::interval", "'1:02 quarters'::interval", "'d 1 d 2 days'::interval"],
  ...["interval '2000000000 days' * 2", "interval '1 day' / 0", "interval '1.5 s 2 ms'"],
];

interface Interval {
  toPostgres(): string;
  toISOString(): string;
}

/** What a program does at its start, so that its tables are there. */
const CREATIONS: readonly string[] = [
  "CREATE TABLE IF NOT EXISTS outbox (id bigint PRIMARY KEY, price numeric(10, 2) DEFAULT (1 + 2))",
  "create table if not exists outbox_dead ();",
  "CREATE TABLE outbox (id int)",
  "CREATE INDEX IF NOT EXISTS due ON outbox (visible_at)",
  "CREATE INDEX IF NOT EXISTS due ON outbox (visible_at)",
  "CREATE INDEX IF NOT EXISTS late ON outbox USING btree (visible_at ASC, id DESC NULLS LAST, key)",
  "CREATE INDEX IF NOT EXISTS due ON outbox (since)",
  "CREATE INDEX IF NOT EXISTS dead ON dead_letters (id)",
  "CREATE INDEX IF NOT EXISTS free ON outbox (visible_at, id) WHERE leased_by IS NULL",
  "CREATE INDEX IF NOT EXISTS few ON outbox (id) WHERE attempts < 5 AND NOT key IN ('a', 'b')",
  "CREATE INDEX IF NOT EXISTS overdue ON outbox (id) WHERE visible_at < now()",
  "CREATE INDEX IF NOT EXISTS unknown ON outbox (id) WHERE since IS NULL",
  "CREATE INDEX IF NOT EXISTS wrong ON outbox (id) WHERE attempts",
  "CREATE INDEX IF NOT EXISTS unlike ON outbox (id) WHERE attempts = 'x'",
];

/** Statements in which there is nothing for a server. */
const EMPTY: readonly string[] = ["", "  ", ";", " ; ;", "-- a remark", "/* a remark */ ;\n-- one"];

async function endOf(call: () => Promise<unknown>): Promise<unknown> {
  let pending: Promise<unknown>;
  try {
    pending = call();
  } catch (error) {
    return ["throws", errorOf(error)];
  }
  try {
    return await pending;
  } catch (error) {
    return ["rejects", errorOf(error)];
  }
}

function errorOf(error: unknown): readonly unknown[] {
  const { constructor, message } = error as Error;
  return [constructor.name, message];
}

/** What `pg` makes of replies and calls. */
export const RESULT_SCRIPTS: Readonly<Record<string, Script>> = {
  async "intervals as results"({ pool }) {
    const seen: unknown[] = [];
    for (const of of INTERVALS) {
      const { rows, fields } = await pool.query<{ value: Interval | null }>(
        `SELECT ${of} AS value`,
      );
      const value = rows[0]?.value ?? null;
      seen.push(fields[0]?.dataTypeID, value?.constructor.name, { ...value });
      seen.push(value?.toPostgres(), value?.toISOString());
    }
    return seen;
  },
  async "what intervals come to in expressions"({ pool }) {
    const seen: unknown[] = [];
    for (const of of OF_INTERVALS) {
      const outcome = pool.query<object>(`SELECT ${of} AS value`);
      seen.push(of, await outcome.then(({ rows }) => rows, errorOf));
    }
    return seen;
  },
  async "statements in which there is nothing, also in a transaction that failed"({ pool }) {
    const one = await pool.connect();
    const seen: unknown[] = [];
    for (const before of ["SELECT 1", "BEGIN", "SELECT none"]) {
      await one.query(before).catch(() => undefined);
      for (const text of EMPTY) {
        const { command, rowCount, rows, fields, oid } = await one.query(text);
        seen.push([command, rowCount, rows, fields, oid]);
      }
    }
    await one.query("ROLLBACK");
    one.release();
    return seen;
  },
  async "how values are read is set for the process, or given with a query"({ pool, publish }) {
    await publish(2);
    const own = types.getTypeParser(BIGINT, "text") as (text: string) => unknown;
    const seen: unknown[] = [];
    types.setTypeParser(BIGINT, Number);
    try {
      seen.push((await pool.query(READ)).rows);
      seen.push((await pool.query({ text: READ, rowMode: "array" })).rows);
    } finally {
      types.setTypeParser(BIGINT, own);
    }
    seen.push((await pool.query(READ)).rows);
    const asTexts = { getTypeParser: (type: number) => (text: string) => `${type}: ${text}` };
    // The library's types ask for an object that knows every format.
    const given = { text: READ, types: asTexts as unknown as typeof types };
    seen.push((await pool.query(given)).rows);
    return seen;
  },
  async "JSON with escapes that no text of a server has"({ pool }) {
    const seen: unknown[] = [];
    for (const value of ESCAPES) {
      const sent = pool.query("SELECT $1::jsonb AS value", [value]);
      seen.push(
        await sent.then(
          ({ rows }): unknown => rows,
          ({ code, message }: Error & { readonly code: string }) => [code, message],
        ),
      );
    }
    return seen;
  },
  async "tables that are made unless they are there, and indexes"({ pool }) {
    const one = await pool.connect();
    const seen: unknown[] = [];
    const outcomeOf = (text: string, values?: readonly unknown[]): Promise<unknown> =>
      one.query(text, values && [...values]).then(
        ({ command, rowCount, rows, fields, oid }): unknown => [
          command,
          rowCount,
          rows,
          fields,
          oid,
        ],
        ({ code, message }: Error & { readonly code: string }) => [code, message],
      );
    for (const text of CREATIONS) seen.push(await outcomeOf(text));
    seen.push(await outcomeOf("CREATE TABLE IF NOT EXISTS outbox (id int)", [1]));
    for (const text of ["BEGIN", ...CREATIONS.slice(0, 4), "COMMIT"]) {
      seen.push(await outcomeOf(text));
    }
    one.release();
    return seen;
  },
  async "queries that are none"({ pool }) {
    const one = await pool.connect();
    const seen: unknown[] = [];
    for (const given of [undefined, null, {}, { text: 5 }, { text: "SELECT 1", values: 5 }, 7]) {
      seen.push(await endOf(() => one.query(given as unknown as string)));
      seen.push(await endOf(() => pool.query(given as unknown as string)));
    }
    const { rows } = await one.query("SELECT 1 AS one");
    one.release();
    return [...seen, rows];
  },
  async "the class of the error of a connection that is lost"({ pool, failOver, wait }) {
    const one = await pool.connect();
    const heard: unknown[] = [];
    one.on("error", (error) => heard.push(error.constructor.name));
    await one.query("SELECT 1");
    await failOver();
    await wait(300);
    const seen = await endOf(() => one.query("SELECT 1"));
    one.release(true);
    return [seen, heard];
  },
};
