import type { Pool } from "pg";
import { expect, test } from "vitest";
import { outbox } from "../../../sim/brokers/outbox/model.ts";
import { BrokerStage } from "../broker-stage.ts";

/** Statements that a server refuses too or the model does not have, and where it stops reading. */
const STOPS: readonly (readonly [sql: string, at: string])[] = [
  ["EXPLAIN SELECT 1", "explain"],
  ["SELECT", "end"],
  ["SELECT 1 2", "2"],
  ["SELECT 1,", "end"],
  ["SELECT (1", "end"],
  ["SELECT )", ")"],
  ["SELECT * 1", "1"],
  ["SELECT 1 AS 2", "2"],
  ["SELECT 1 AS", "end"],
  ["SELECT 1 IS 2", "2"],
  ["SELECT 1 IS NOT 2", "2"],
  ["SELECT 1 NOT 2", "not"],
  ["SELECT 1 IN 2", "2"],
  ["SELECT 1 IN (1", "end"],
  ["SELECT 1 IN (SELECT id FROM outbox", "end"],
  ["SELECT 1 < ANY($1)", "any"],
  ["SELECT 1 = ANY 1", "1"],
  ["SELECT 1 = ANY($1", "end"],
  ["SELECT 1 +", "end"],
  ["SELECT $1::int[", "end"],
  ["SELECT $1::money", "end"],
  ["SELECT 1::2", "2"],
  ["SELECT outbox. 1 FROM outbox", "1"],
  ["SELECT make_interval(secs 1)", "1"],
  ["SELECT make_interval(1)", "1"],
  ["SELECT make_interval(secs => 1", "end"],
  ["SELECT id FROM", "end"],
  ["SELECT id FROM outbox AS 1", "1"],
  ["SELECT id FROM outbox ORDER id", "id"],
  ["SELECT id FROM outbox ORDER BY id ASC DESC", "desc"],
  ["SELECT id FROM outbox LIMIT", "end"],
  ["SELECT id FROM outbox FOR SHARE", "share"],
  ["SELECT id FROM outbox FOR NO UPDATE", "update"],
  ["SELECT id FROM outbox FOR UPDATE OF 1", "1"],
  ["SELECT id FROM outbox FOR UPDATE SKIP", "end"],
  ["SELECT 1;;", ";"],
  ["UPDATE outbox key = 'k'", "="],
  ["UPDATE outbox SET 'key' = 1", "key"],
  ["UPDATE outbox SET key 1", "1"],
  ["UPDATE outbox SET key = 'k',", "end"],
  ["DELETE outbox", "outbox"],
  ["INSERT outbox (key) VALUES ('k')", "outbox"],
  ["INSERT INTO outbox VALUES (1)", "values"],
  ["INSERT INTO outbox (key VALUES ('k')", "values"],
  ["INSERT INTO outbox (key) ('k')", "("],
  ["INSERT INTO outbox (key) VALUES 'k'", "k"],
  ["INSERT INTO outbox (key) VALUES ('k'", "end"],
  ["INSERT INTO outbox (key) VALUES ('k') ON (id) DO NOTHING", "("],
  ["INSERT INTO outbox (key) VALUES ('k') ON CONFLICT NOTHING", "nothing"],
  ["INSERT INTO outbox (key) VALUES ('k') ON CONFLICT DO UPDATE SET key = 'k'", "update"],
  ["BEGIN ISOLATION READ COMMITTED", "read"],
  ["BEGIN ISOLATION LEVEL COMMITTED", "committed"],
  ["BEGIN ISOLATION LEVEL READ UNCOMMITTED", "uncommitted"],
  ["COMMIT TRANSACTION WORK", "work"],
];

const NOT_MODELLED: readonly (readonly [sql: string, what: string])[] = [
  ...["LOCK outbox", "COPY outbox TO STDOUT", "CREATE VIEW v AS SELECT 1"].map(
    (sql) => [sql, `${sql.split(" ")[0]} in SQL`] as const,
  ),
  ["CREATE UNIQUE INDEX one ON outbox (key)", "CREATE in SQL"],
  ["CREATE INDEX one ON outbox (key)", "CREATE in SQL"],
  ["CREATE INDEX IF NOT EXISTS one ON outbox USING gin (payload)", "the statement"],
  [
    "CREATE INDEX IF NOT EXISTS one ON outbox (id) WHERE id + 1 > 1",
    "an index with such a condition",
  ],
  ["UPDATE outbox SET (key, attempts) = (SELECT key, 1 FROM outbox)", "the statement"],
  ["UPDATE outbox SET (key, attempts) = (1)", "a row of other length than its columns"],
  ["CREATE TABLE IF NOT EXISTS others (id int)", "the table others"],
  ["CREATE TABLE outbox (id int", "the statement"],
  ["TRUNCATE outbox", "TRUNCATE in SQL"],
  ["DELETE FROM outbox USING outbox_dead, outbox", "a join"],
  ["SELECT now(1)", "the function now() with what it is given"],
  ["SELECT o.id FROM outbox AS o, outbox_dead", "the statement"],
  ["SELECT coalesce(outbox.*) FROM outbox", "* as a value"],
  ["SELECT 'a' = ANY($1::bigint[]::text[]) FROM outbox", "bigint[] as text[]"],
  ["SELECT key = from FROM outbox", "the word from as a value"],
  ["SELECT $1::text[]", "an array as a result"],
  ["SELECT id FROM outbox WHERE key = $1::text[]", "text = text[]"],
  ["SELECT abs($1::int[])", "abs() of an array"],
  ["SELECT 'a' IN (SELECT unnest($1))", "unnest() of what is no array"],
  ["WITH a AS (SELECT id, key AS id FROM outbox) SELECT id FROM a", "a part of a WITH with two"],
  ["SELECT '30 jan'::timestamptz", 'the time "30 jan"'],
  ["SELECT jsonb_set(payload, '{a}', '1', true) FROM outbox", "the function jsonb_set()"],
  ["SELECT to_timestamp('a', 'b')", "the function to_timestamp()"],
  ["SELECT power(2.0, 99)", "the function power()"],
  ["SELECT count(*), (SELECT 1) FROM outbox", "a subquery beside an aggregate"],
  ["SELECT interval '1 2:03'", 'the interval "1 2:03"'],
  ["SELECT interval 'P1Y1Y'", 'the interval "P1Y1Y"'],
  ["SELECT interval '1 day' / 1e-12", "an interval that a division makes too large"],
  ["SELECT 1 - NOT id = 2 = 3 FROM outbox", "the statement"],
  ["SELECT 1 FROM outbox WHERE 1 BETWEEN NOT true AND 2", "the statement"],
  ["SELECT current_user", "current_user"],
  ["SELECT extract(year FROM now())", "extract() of year"],
  ["SELECT extract(epoch FROM 5)", "the function extract() with what it is given"],
  ["SELECT power(2, 0.5)", "power() to a fraction"],
  ["SELECT jsonb_build_object('at', now())", "a timestamp with time zone in jsonb"],
  ["SELECT 'a' = ANY('{{a}}')", "an array of arrays"],
  ["SELECT o.id FROM outbox o LEFT JOIN outbox_dead d ON d.id = o.id", "a join"],
  ["SELECT 2.5 * 2", "a result of type numeric"],
];

function refusalOf(sql: string): Promise<string> {
  const stage = new BrokerStage(outbox()) as unknown as BrokerStage<Pool>;
  stage.publish(1);
  return stage.play((pool) =>
    pool.query(sql, sql.includes("$1") ? [[1]] : []).then(
      () => "accepted",
      (error: unknown) => String(error),
    ),
  );
}

test("bytes are refused as a parameter", async () => {
  const stage = new BrokerStage(outbox()) as unknown as BrokerStage<Pool>;
  const seen = await stage.play((pool) =>
    pool.query("SELECT $1::text", [new Uint8Array(1)]).catch((error: unknown) => String(error)),
  );
  expect(seen).toContain("Not modelled: bytes as a parameter");
});

test.each(STOPS)("reading %j stops at %s", async (sql, at) => {
  const where = at === "end" ? "at its end" : `at ${JSON.stringify(at)}`;
  expect(await refusalOf(sql)).toBe(
    `NotModelled: Not modelled: the statement ${JSON.stringify(sql)}, ${where}; see brokers.outbox`,
  );
});

test.each(NOT_MODELLED)("%j is refused by name", async (sql, what) => {
  expect(await refusalOf(sql)).toContain(`NotModelled: Not modelled: ${what}`);
});
