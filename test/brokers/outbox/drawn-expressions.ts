import * as fc from "fast-check";
import type { Script } from "./script.ts";
import { among, sql } from "./drawn-text.ts";

/** The types of SQL of which something is drawn; what it computes is no error. */
type Typed = Record<"int" | "bool" | "text" | "json" | "lease" | "instant", string>;

const QUERIES_MAX = 10;
const DEPTH_MAX = 2;

const ROWS = `INSERT INTO outbox (key, payload, attempts, leased_by) VALUES
  ('a', '{"n": 1, "to": {"city": "Ulm"}, "tags": ["x", "y"]}', 2, NULL),
  ('b', '{"n": 2}', 0, 'w1'), ('a', '[1, "x", [2]]', 1, 'w2'), ('c', '"x"', 0, NULL),
  ('b', '{"n": "1", "z": {"n": 1}}', 2, 'w1'), ('it''s', '{}', 5, 'w10')`;

const COMPARED = ["=", "<>", "<", "<=", ">", ">="] as const;
const JSON_TEXTS = ['{"n": 1}', '{"to": {"city": "Ulm"}}', '[1, "x"]', '"x"', "7", "{}", "[]"];

const small = fc.integer({ min: -3, max: 9 }).map((one) => (one < 0 ? `(${one})` : String(one)));
const divisor = among("2", "3", "(-2)", "7");
const compares = among(...COMPARED);
const jsonLiteral = among(...JSON_TEXTS).map((one) => `'${one}'::jsonb`);

const { bool, int, text, json, lease, instant } = fc.letrec<Typed>((tie) => {
  const of = (...all: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.oneof({ maxDepth: DEPTH_MAX, withCrossShrink: true }, ...all);
  const [i, b, t, j] = [tie("int"), tie("bool"), tie("text"), tie("json")];
  const [l, at] = [tie("lease"), tie("instant")];
  return {
    int: of(
      among("attempts", "1", "0", "null::int"),
      small,
      sql`(${i} ${among("+", "-")} ${i})`,
      sql`(${i} / ${divisor})`,
      sql`(${i} % ${divisor})`,
      sql`(${small} * ${small})`,
      sql`${among("abs", "least", "greatest", "coalesce")}(${i})`,
      sql`${among("least", "greatest", "coalesce")}(${i}, ${i})`,
      sql`(CASE WHEN ${b} THEN ${i} ELSE ${i} END)`,
      sql`(CASE WHEN ${b} THEN ${i} WHEN ${b} THEN ${i} END)`,
      sql`${among("floor", "ceil", "round")}(${i} / ${divisor}::float8)::int`,
      sql`(${b})::int`,
      sql`extract(epoch FROM ${l})::int`,
      sql`(${i})::text::int`,
    ),
    bool: of(
      among("true", "false", "null::boolean", "(leased_by IS NULL)", "(leased_by IS NOT NULL)"),
      sql`(${i} ${compares} ${i})`,
      sql`(${t} ${compares} ${t})`,
      sql`(${b} ${compares} ${b})`,
      sql`(${l} ${compares} ${l})`,
      sql`(${at} ${compares} ${at})`,
      sql`(${j} ${among("=", "<>", "@>")} ${j})`,
      sql`(${j} ? ${among("'n'", "'x'", "'to'")})`,
      sql`(${b} ${among("AND", "OR")} ${b})`,
      sql`(NOT ${b})`,
      sql`(${i} ${among("IN", "NOT IN")} (${i}, ${i}))`,
      sql`(${t} ${among("IN", "NOT IN")} (${t}, ${t}))`,
      sql`(${i} ${among("IS NULL", "IS NOT NULL")})`,
      sql`(${t} ${among("IS DISTINCT FROM", "IS NOT DISTINCT FROM")} ${t})`,
      sql`(${i} ${among("IS DISTINCT FROM", "IS NOT DISTINCT FROM")} ${i})`,
      sql`(${i} = ANY(ARRAY[${i}, ${i}]))`,
      sql`(${t} = ANY('{a,b,"x"}'))`,
    ),
    text: of(
      among("key", "leased_by", "'a'", "'b'", "'x'", "''", "null::text"),
      sql`(${t} || ${t})`,
      sql`(${i})::text`,
      sql`(${b})::text`,
      sql`coalesce(${t}, ${t})`,
      sql`${among("least", "greatest")}(${t}, ${t})`,
      sql`(CASE WHEN ${b} THEN ${t} ELSE ${t} END)`,
      sql`(${j} ->> ${among("'n'", "'to'", "0", "1")})`,
      sql`(${j} #>> ${among("'{to,city}'", "'{n}'", "'{tags,1}'", "'{2,0}'")})`,
    ),
    json: of(
      among("payload", "null::jsonb"),
      jsonLiteral,
      sql`(${j} || ${j})`,
      sql`(${j} -> ${among("'n'", "'to'", "'tags'", "0", "1")})`,
      sql`(${j} #> ${among("'{to,city}'", "'{tags}'", "'{2}'")})`,
      sql`jsonb_build_object('n', coalesce(${i}, 0), 'x', coalesce(${t}, 'x'))`,
      sql`jsonb_build_object('to', coalesce(${j}, payload), 'n', coalesce(${b}, true))`,
      sql`coalesce(${j}, ${j})`,
    ),
    lease: of(
      among("interval '1 minute'", "interval '0'", "interval '90 s'", "null::interval"),
      among("interval '1 day'", "interval '-3 days 4 h'", "interval '1 mon -2 days'"),
      sql`(${l} ${among("+", "-")} ${l})`,
      sql`(${l} * ${small})`,
      sql`(${l} / ${among("2", "3", "5")})`,
      sql`make_interval(secs => ${small})`,
      sql`make_interval(mins => ${small}, hours => ${small})`,
      sql`coalesce(${l}, ${l})`,
    ),
    instant: of(
      among("'2026-01-01T00:00:00Z'::timestamptz", "null::timestamptz"),
      sql`to_timestamp(${small})`,
      sql`(${at} ${among("+", "-")} ${l})`,
      sql`coalesce(${at}, ${at})`,
    ),
  };
});

/** Of a row its id and values of each type that a result may have. */
const query: fc.Arbitrary<string> = fc.oneof(
  sql`SELECT id, ${int} AS i, ${bool} AS b, ${text} AS t, ${json} AS j FROM outbox ORDER BY id`,
  sql`SELECT id FROM outbox WHERE ${bool} ORDER BY id`,
  sql`SELECT id FROM outbox WHERE ${lease} ${compares} ${lease} ORDER BY attempts + ${int}, id`,
  sql`SELECT id FROM outbox WHERE ${instant} ${compares} ${instant} OR ${bool} ORDER BY id`,
  sql`SELECT id FROM outbox ORDER BY attempts + ${int} ${among("", "DESC", "NULLS FIRST")}, coalesce(leased_by, ${text})
    ${among("", "DESC", "DESC NULLS LAST")}, id ${among("", "DESC", "LIMIT 3", "OFFSET 2")}`,
  sql`SELECT count(*) FILTER (WHERE ${bool}) AS n, sum(coalesce(${int}, 0))::int AS s,
    ${among("min", "max")}(coalesce(${int}, attempts)) AS m FROM outbox`,
);

/** Expressions of all types on six rows: each computes something, and none of them ends in an error. */
export const EXPRESSIONS: fc.Arbitrary<readonly string[]> = fc.array(query, {
  minLength: 1,
  maxLength: QUERIES_MAX,
  size: "max",
});

export function scriptOfExpressions(queries: readonly string[]): Script {
  return async ({ pool }) => {
    await pool.query(ROWS);
    const seen: unknown[] = [];
    for (const text of queries) {
      try {
        const { rows } = await pool.query<Record<string, unknown>>(text);
        seen.push(rows);
      } catch (error) {
        seen.push([text, (error as Error).message]);
      }
    }
    return seen;
  };
}
