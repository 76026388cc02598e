import * as fc from "fast-check";
import type { QueryConfig } from "pg";
import type { Script } from "./script.ts";
import { outcomeOf, ROWS } from "./statement-outcomes.ts";
import { among, sql } from "./drawn-text.ts";

/** A statement that is drawn, with what is given for its parameters. */
export interface DrawnStatement {
  readonly text: string;
  /** Undefined: nothing is given. */
  readonly values: readonly unknown[] | undefined;
  readonly isOfLists: boolean;
}

/** The types of SQL of which something is drawn, right or wrong. */
type Typed = Record<
  "int" | "fraction" | "bool" | "text" | "json" | "lease" | "instant" | "any",
  string
>;

const DEPTH_MAX = 2;
const STATEMENTS_MAX = 8;

/** What a caller may give for a parameter. */
const GIVEN: readonly unknown[] = [
  ...[1, 0, 2, -3, 7, 2.5, 9_000_000_000, Number.NaN, 7n, true, false, null, undefined],
  ...["a", "b", "", "7", " 7 ", "2.5", "it's", "true", "no", "x", "1e2", "n", "0"],
  ...["1 minute", "00:01:30", "soon", "2011-01-01T00:00:00Z", "2011-01-01", "2011-13-01"],
  ...['{"n": 1}', "[1, 2]", "null", '"a"', "{a,b}", "{1,2}", "{}", "{n}", "{", "epoch"],
  ...[new Date(Date.UTC(2011, 0, 1, 0, 30)), { n: 1 }, { to: { city: "Ulm" } }, {}],
  ...[["a", "b"], [1, 2], [], [null, "a"], [true], [{ n: 1 }], [["a"]], [1.5, "x"]],
];
/** Those among them that go with a type. */
const FITTING: Readonly<Record<Exclude<keyof Typed, "any">, readonly number[]>> = {
  int: placesOf((one) => Number.isInteger(one) || one === "7" || one === " 7 " || one === 7n),
  fraction: placesOf((one) => (typeof one === "number" && one < 100) || one === "2.5"),
  bool: placesOf((one) => typeof one === "boolean" || one === "true" || one === "no"),
  text: placesOf((one) => typeof one === "string" && one.length < 6),
  json: placesOf((one) => /^[{["n]\W?/.test(String(one)) && one !== "{" && one !== "n"),
  lease: placesOf((one) => one === "1 minute" || one === "00:01:30" || one === "7"),
  instant: placesOf((one) => one instanceof Date || one === "2011-01-01T00:00:00Z"),
};
const LISTS = placesOf((one) => Array.isArray(one) || /^\{(?:[ab12,]*)\}$/.test(String(one)));

function placesOf(fits: (one: unknown) => boolean): readonly number[] {
  return GIVEN.flatMap((one, at) => (fits(one) ? [at] : []));
}

/** A server reads a column of several tables as that of none. */
function qualified(of: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const names = /(?<![.\w"'$])(?:id|key|payload)\b(?!")/gi;
  return of.map((text) => text.replaceAll(names, (name) => `outbox.${name}`));
}

/** What needs no row: a column is a value of its type. */
function withoutColumns(
  of: fc.Arbitrary<string>,
  names = /(?<![.\w'$])(?:outbox\.)?"?\b(attempts|id|key|leased_by|payload|created_at|visible_at)\b"?/gi,
): fc.Arbitrary<string> {
  return of.map((text) =>
    text.replaceAll(names, (_, name: string) => VALUES_OF[name.toLowerCase()] ?? "NULL"),
  );
}

/** What does not tell when a new row was written, which is another time on each server. */
function withoutTimes(of: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return withoutColumns(of, /(?<![.\w'$])(?:outbox\.)?"?\b(created_at|visible_at)\b"?/gi);
}

const VALUES_OF: Readonly<Record<string, string>> = {
  ...{ attempts: "2", id: "3::bigint", key: "'a'::text", leased_by: "'w1'::text" },
  payload: `'{"n": 1}'::jsonb`,
  created_at: "'2011-01-01T00:00:00Z'::timestamptz",
  visible_at: "'2011-01-01T00:00:00Z'::timestamptz",
};

/** A text in most cases nothing. */
function rarely(of: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant("") }, { weight: 1, arbitrary: of });
}

function listOf(of: fc.Arbitrary<string>, maxLength = 3): fc.Arbitrary<string> {
  return fc.array(of, { minLength: 1, maxLength, size: "max" }).map((all) => all.join(", "));
}

/** A parameter, by the place of what is given for it. */
function param(places: readonly number[]): fc.Arbitrary<string> {
  return fc.constantFrom(...places).map((at) => `$<${at}>`);
}

const ANY_PARAM = param(GIVEN.map((_, at) => at));
const small = fc.integer({ min: -3, max: 9 }).map((one) => (one < 0 ? `(${one})` : `${one}`));
const compares = among("=", "<>", "!=", "<", "<=", ">", ">=");
const COLUMNS = ["id", "key", "payload", "created_at", "attempts", "leased_by", "visible_at"];
const TYPES = [
  ...["int", "integer", "bigint", "numeric", "float8", "text", "varchar", "boolean", "bool"],
  ...["timestamptz", "interval", "jsonb", "int8", "int4"],
];

const EXPRESSIONS = fc.letrec<Typed>((tie) => {
  const of = (
    kind: keyof typeof FITTING,
    ...all: readonly fc.Arbitrary<string>[]
  ): fc.Arbitrary<string> => {
    const [first = fc.constant("NULL"), ...others] = all;
    return fc.oneof(
      { maxDepth: DEPTH_MAX, withCrossShrink: true },
      { weight: 50, arbitrary: first },
      { weight: 30, arbitrary: param(FITTING[kind]) },
      { weight: 2, arbitrary: tie("any") },
      { weight: 4, arbitrary: sql`(${tie(kind)})` },
      { weight: 4, arbitrary: sql`coalesce(${tie(kind)}, ${tie(kind)})` },
      { weight: 4, arbitrary: sql`${among("least", "greatest")}(${tie(kind)}, ${tie(kind)})` },
      {
        weight: 4,
        arbitrary: sql`CASE WHEN ${tie("bool")} THEN ${tie(kind)} ELSE ${tie(kind)} END`,
      },
      ...others.map((arbitrary) => ({ weight: 8, arbitrary })),
    );
  };
  const [i, f, b, t] = [tie("int"), tie("fraction"), tie("bool"), tie("text")];
  const [j, l, at, any] = [tie("json"), tie("lease"), tie("instant"), tie("any")];
  const same = (word: string): fc.Arbitrary<string> =>
    fc.oneof(...[i, t, b, at, l, j, f].map((one) => sql`${one} ${among(word)} ${one}`));
  return {
    int: of(
      "int",
      fc.oneof(among("attempts", "id", "1", "'7'", "NULL", "0", "2147483647"), small),
      sql`${i} ${among("+", "-", "*", "/", "%")} ${i}`,
      sql`abs(${i})`,
      sql`(- ${i})`,
      sql`(${any})::${among("int", "bigint", "int4")}`,
      sql`(SELECT ${among("count(*)", "max(attempts)", "min(attempts)")} FROM outbox WHERE ${b})`,
    ),
    fraction: of(
      "fraction",
      among("0.5", "2.50", "1e2", "1.5::float8", "'2.5'", "NULL::float8", "attempts"),
      sql`${f} ${among("+", "-", "*", "/", "^")} ${f}`,
      sql`${among("abs", "floor", "ceil", "round")}(${f})`,
      sql`power(${among("2", "attempts", "2.0")}, ${i})`,
      sql`extract(epoch FROM ${fc.oneof(l, at)})`,
    ),
    bool: of(
      "bool",
      among("true", "false", "NULL", "leased_by IS NULL", "'t'", "attempts > 0", "id = 2"),
      sql`${i} ${compares} ${i}`,
      sql`${t} ${compares} ${t}`,
      sql`${at} ${compares} ${at}`,
      sql`${among("visible_at", "created_at")} ${among("<=", ">")} ${among("now()", "CURRENT_TIMESTAMP")}`,
      sql`${fc.oneof(i, t, j, l, at, f)} ${compares} ${fc.oneof(i, t, j, l, at, f)}`,
      sql`${b} ${among("AND", "OR")} ${b}`,
      sql`NOT ${b}`,
      sql`${any} ${among("IS NULL", "IS NOT NULL")}`,
      sql`${b} ${among("IS TRUE", "IS NOT FALSE", "IS UNKNOWN")}`,
      same("IS DISTINCT FROM"),
      same("IS NOT DISTINCT FROM"),
      sql`${i} ${among("IN", "NOT IN")} (${listOf(i)})`,
      sql`${t} ${among("IN", "NOT IN")} (${listOf(t)})`,
      sql`${any} IN (${listOf(any)})`,
      sql`${i} ${among("BETWEEN", "NOT BETWEEN")} ${i} AND ${i}`,
      sql`${at} BETWEEN ${at} AND ${at}`,
      sql`${t} ${among("LIKE", "NOT LIKE", "ILIKE")} ${t}`,
      sql`${fc.oneof(i, t)} = ANY(${param(LISTS)})`,
      sql`${fc.oneof(i, t, any)} = ANY(${param(LISTS)}${among("::text[]", "::bigint[]", "::int[]")})`,
      sql`${fc.oneof(i, t)} = ANY(ARRAY[${listOf(fc.oneof(i, t))}])`,
      sql`${t} = ANY('{a,b}')`,
      sql`${j} @> ${j}`,
      sql`${j} ? ${t}`,
      sql`${i} IN (SELECT ${among("id", "attempts", "key", "id, key")} FROM outbox WHERE ${b})`,
      sql`EXISTS (SELECT 1 FROM outbox_dead d WHERE d.${among("id", "key", "nope")} = ${any})`,
    ),
    text: of(
      "text",
      among("key", "leased_by", "'a'", "''", "NULL", "'it''s'", "outbox.key", '"key"', "KEY"),
      sql`${t} || ${t}`,
      sql`${any} || ${t}`,
      sql`${any}::${among("text", "varchar")}`,
      sql`${j} ->> ${fc.oneof(among("'n'", "'to'", "0", "key"), any)}`,
      sql`${j} #>> ${among("'{to,city}'", "'{n}'", "'{tags,1}'")}`,
      sql`${among("lower", "upper", "concat", "md5")}(${t})`,
    ),
    json: of(
      "json",
      among("payload", `'{"n": 1}'`, `'[1, "x"]'::jsonb`, "'null'::jsonb", "NULL", "'{}'::jsonb"),
      sql`${j} || ${j}`,
      sql`${j} -> ${fc.oneof(among("'n'", "'to'", "0", "'nil'"), any)}`,
      sql`${j} - ${fc.oneof(among("'n'", "0"), any)}`,
      sql`jsonb_build_object(${t}, ${any})`,
      sql`jsonb_set(${j}, ${among("'{n}'", "'{to,city}'")}, ${j})`,
    ),
    lease: of(
      "lease",
      among("interval '1 minute'", "'30 s'", "make_interval(secs => 30)", "interval '-2 hours'"),
      among("interval '30 days'", "interval '1 mon'", "interval '-1 day 2 h'"),
      sql`${l} ${among("+", "-")} ${l}`,
      sql`${l} ${among("*", "/")} ${fc.oneof(i, f)}`,
      sql`${fc.oneof(i, f)} * ${l}`,
      sql`make_interval(${among("secs", "mins", "hours", "days", "months")} => ${fc.oneof(i, f)})`,
      sql`${at} - ${at}`,
      sql`${any}::interval`,
      sql`(${t} || ' seconds')::interval`,
    ),
    instant: of(
      "instant",
      among("created_at", "visible_at", "'2011-01-01T00:00:00Z'::timestamptz"),
      sql`${at} ${among("+", "-")} ${l}`,
      sql`to_timestamp(${fc.oneof(i, f)})`,
      sql`${any}::timestamptz`,
    ),
    any: fc.oneof(
      { maxDepth: DEPTH_MAX },
      { weight: 4, arbitrary: ANY_PARAM },
      ...[i, f, b, t, j, l, at].map((arbitrary) => ({ weight: 3, arbitrary })),
      { weight: 3, arbitrary: among(...COLUMNS) },
      { weight: 2, arbitrary: sql`${any}::${among(...TYPES)}` },
      { weight: 1, arbitrary: among("nope", "outbox.nope", "other.id", "o.id", "nope(1)") },
    ),
  };
});
const { int, bool, text, json, instant, any, fraction, lease } = EXPRESSIONS;

const alias = fc.oneof(among("", "", " AS x", ' AS "X y"', " X"), among(" AS id", " AS key"));
const aggregate = fc.oneof(
  sql`count(${fc.oneof(fc.constant("*"), any)})`,
  sql`${among("min", "max")}(${fc.oneof(int, text, instant, fraction, any)})`,
  sql`sum(${fc.oneof(int, lease, any)})`,
  sql`count(*) FILTER (WHERE ${bool})`,
);
const value = fc.oneof(
  ...[int, fraction, bool, text, json, lease, instant].map((arbitrary) => ({
    ...{ weight: 4, arbitrary },
  })),
  { weight: 1, arbitrary: any },
);
const shown = fc.oneof(
  { weight: 1, arbitrary: among("id", "key", "*", "outbox.*", "payload", "attempts") },
  { weight: 2, arbitrary: sql`${value}${alias}` },
);
const item = fc.oneof(
  { weight: 9, arbitrary: shown },
  { weight: 1, arbitrary: sql`${aggregate}${alias}` },
);
const items = fc.oneof(
  { weight: 1, arbitrary: listOf(item) },
  { weight: 3, arbitrary: listOf(shown) },
  { weight: 1, arbitrary: listOf(sql`${aggregate}${alias}`) },
);
const condition = fc.oneof(
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 3, arbitrary: sql` WHERE ${bool}` },
);
const limit = rarely(
  fc.oneof(
    sql` LIMIT ${fc.oneof(among("1", "2", "ALL", "NULL"), int)}`,
    sql` LIMIT ${int} OFFSET ${among("0", "1", "'1'", "-1")}`,
    sql` OFFSET ${fc.oneof(among("1 ROWS"), int)}`,
    sql` FETCH FIRST ${among("2", "")} ROWS ONLY`,
  ),
);
const locking = rarely(
  among(
    ...[" FOR UPDATE", " FOR UPDATE SKIP LOCKED", " FOR UPDATE NOWAIT", " FOR NO KEY UPDATE"],
    ...[" FOR UPDATE OF outbox SKIP LOCKED", " FOR UPDATE OF nope"],
  ),
);
const direction = among("", " DESC", " ASC", " NULLS FIRST", " DESC NULLS LAST");
const order = fc.oneof(
  // A column of the result may have the name id, too: rows that are equal in it come in any order.
  { weight: 2, arbitrary: among(" ORDER BY id, outbox.id", " ORDER BY outbox.id") },
  {
    weight: 1,
    arbitrary: sql` ORDER BY ${fc.oneof(value, among("1", "2", "x"))}${direction}, outbox.id`,
  },
);
const plainOrder = fc.constant(" ORDER BY outbox.id");
const plain = withoutColumns(value);
const row = withoutColumns(sql`(${text}, ${json}, ${int})`);
const select = fc.oneof(
  { weight: 2, arbitrary: sql`SELECT ${listOf(sql`${plain}${alias}`)}` },
  {
    weight: 4,
    arbitrary: sql`SELECT ${items} FROM outbox${condition}${order}${limit}${locking}`,
  },
  { weight: 1, arbitrary: sql`SELECT ${items} FROM outbox${condition}` },
  {
    weight: 1,
    arbitrary: sql`SELECT DISTINCT ON (${among("key", "key", "attempts")}) ${listOf(shown)}
      FROM outbox ${condition} ORDER BY ${among("key", "key", "leased_by")}, outbox.id`,
  },
  { weight: 1, arbitrary: sql`SELECT ${items} FROM outbox o${condition}` },
  { weight: 1, arbitrary: sql`SELECT ${any}, count(*) FROM outbox GROUP BY ${among("key", "id")}` },
);
/** What is put into each column. */
const ofColumn = fc.oneof(
  { weight: 4, arbitrary: sql`attempts = ${fc.oneof(int, sql`attempts + 1`)}` },
  { weight: 2, arbitrary: sql`key = ${text}` },
  { weight: 4, arbitrary: sql`leased_by = ${text}` },
  { weight: 2, arbitrary: sql`payload = ${json}` },
  { weight: 4, arbitrary: sql`visible_at = ${instant}` },
  { weight: 4, arbitrary: sql`visible_at = now() + ${lease}` },
  { weight: 1, arbitrary: sql`payload = jsonb_set(payload, '{n}', ${json})` },
  {
    weight: 1,
    arbitrary: sql`${among("attempts", "leased_by")} = ${among("attempts", "leased_by", "key")}`,
  },
  { weight: 1, arbitrary: sql`${among(...COLUMNS, "nope")} = ${any}` },
);
const returning = fc.oneof(
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 3,
    arbitrary: sql` RETURNING ${listOf(fc.oneof({ weight: 9, arbitrary: shown }, item))}`,
  },
);
const update = fc.oneof(
  sql`UPDATE outbox SET ${listOf(ofColumn)}${condition}${returning}`,
  sql`UPDATE outbox AS o SET ${ofColumn} WHERE o.id = ${int}${returning}`,
  sql`UPDATE outbox SET ${ofColumn} WHERE id IN (SELECT id FROM outbox${condition}${plainOrder}
    LIMIT ${fc.oneof(among("1", "2"), param(FITTING.int.filter((at) => !String(GIVEN[at]).includes("-"))))}
    FOR UPDATE SKIP LOCKED)${returning}`,
  sql`UPDATE outbox SET leased_by = ${qualified(text)} FROM outbox_dead d
    WHERE d.id = outbox.id AND ${qualified(bool)}${qualified(returning)}`,
  sql`UPDATE outbox SET ${ofColumn} FROM outbox_dead d WHERE d.id = outbox.id AND ${bool}${returning}`,
);
const remove = fc.oneof(
  sql`DELETE FROM outbox${condition}${returning}`,
  sql`DELETE FROM outbox USING outbox_dead d WHERE d.id = outbox.id AND ${qualified(bool)}
    ${qualified(returning)}`,
  sql`DELETE FROM outbox USING outbox_dead d WHERE d.id = outbox.id AND ${bool}${returning}`,
  sql`DELETE FROM outbox_dead WHERE id = ${int}`,
);
const conflict = rarely(
  fc.oneof(
    among(
      " ON CONFLICT DO NOTHING",
      " ON CONFLICT (id) DO NOTHING",
      " ON CONFLICT (key) DO NOTHING",
    ),
    sql` ON CONFLICT (id) DO UPDATE SET ${fc.oneof(
      among("key = excluded.key", "reason = excluded.reason", "payload = excluded.payload"),
      sql`key = ${text}`,
      sql`${among("key", "payload", "reason", "id", "nope")} = ${any}`,
    )}`,
  ),
);
const insert = fc.oneof(
  sql`INSERT INTO outbox (key, payload) VALUES ${withoutColumns(sql`(${text}, ${json})`)}
    ${withoutTimes(returning)}`,
  sql`INSERT INTO outbox (key, payload, attempts) VALUES ${listOf(row, 2)}
    ${withoutTimes(returning)}`,
  sql`INSERT INTO outbox (${listOf(among(...COLUMNS, "nope"))}) VALUES (${listOf(any)})`,
  sql`INSERT INTO outbox_dead (id, key, payload) VALUES
    ${withoutColumns(sql`(${int}, ${text}, ${json})`)}${conflict}`,
  sql`INSERT INTO outbox_dead (id, key, payload, reason) SELECT id, key, payload, ${text}
    FROM outbox${condition}${conflict}${rarely(sql` RETURNING ${listOf(any)}`)}`,
  sql`INSERT INTO outbox_dead (id, key, payload) SELECT ${int}, ${text}, ${json}
    FROM outbox${condition}${conflict}`,
  sql`INSERT INTO outbox_dead (id, key, payload) SELECT ${listOf(any)} FROM outbox WHERE false`,
);
const withParts = fc.oneof(
  sql`WITH due AS (SELECT ${among("id", "id, key", "*")} FROM outbox${condition}${plainOrder}${limit})
    UPDATE outbox SET ${ofColumn} FROM due WHERE due.id = outbox.id${returning}`,
  sql`WITH gone AS (DELETE FROM outbox${condition} RETURNING id, key, payload)
    INSERT INTO outbox_dead (id, key, payload) SELECT id, key, payload FROM gone`,
  sql`WITH due AS (SELECT ${listOf(item)} FROM outbox${condition}) SELECT ${fc.oneof(
    among("*", "count(*)", "id", "key", "x"),
    any,
  )} FROM due${condition}`,
  sql`WITH gone AS (DELETE FROM outbox${condition} RETURNING ${listOf(item)}) SELECT * FROM gone`,
);
const command = among(
  ...["BEGIN", "COMMIT", "ROLLBACK", "START TRANSACTION", "END", "ABORT", "SAVEPOINT a"],
  ...["ROLLBACK TO a", "RELEASE SAVEPOINT a", "ROLLBACK TO SAVEPOINT b", "SAVEPOINT B", ";", ""],
  ...["SET statement_timeout = '5s'", "SET LOCAL lock_timeout = 100", "RESET lock_timeout"],
  ...["SET nope = 1", "SET statement_timeout TO soon", "LISTEN outbox", "UNLISTEN *"],
  ...["NOTIFY outbox, 'x'", "SELECT pg_notify('outbox', 'x')", "SELECT pg_notify('', 'x')"],
  ...["SELECT pg_try_advisory_lock(7)", "SELECT pg_advisory_unlock(7)", "-- nothing", "COMMIT;"],
  ...["BEGIN; COMMIT", "SHOW statement_timeout", "SELECT 1 -- one", "/* a */ SELECT 'b' /* c */"],
);

/** What is between the angles is given for a parameter, each time or once for all of its places. */
function statementFrom(drawn: {
  readonly text: string;
  readonly isShared: boolean;
  readonly extra: number;
  readonly isOfLists: boolean;
}): DrawnStatement {
  const places: string[] = [];
  const numbered = drawn.text.replaceAll(/\$<(\d+)>/g, (_, place: string) => {
    const known = drawn.isShared ? places.indexOf(place) : -1;
    if (known >= 0) return `$${known + 1}`;
    places.push(place);
    return `$${places.length}`;
  });
  const given = places.map((place) => GIVEN[Number(place)]);
  const values = drawn.extra > 0 ? [...given, 1] : drawn.extra < 0 ? given.slice(1) : given;
  const isGiven = values.length > 0 || drawn.extra !== 0;
  return { text: numbered, values: isGiven ? values : undefined, isOfLists: drawn.isOfLists };
}

const statement: fc.Arbitrary<DrawnStatement> = fc
  .record({
    text: fc.oneof(
      { weight: 6, arbitrary: select },
      { weight: 4, arbitrary: update },
      { weight: 2, arbitrary: remove },
      { weight: 3, arbitrary: insert },
      { weight: 2, arbitrary: withParts },
      { weight: 2, arbitrary: command },
    ),
    isShared: fc.boolean(),
    extra: fc.oneof(
      { weight: 60, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(1, -1) },
    ),
    isOfLists: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(statementFrom);

/** Statements of one connection, as the author of a producer may write them, right and wrong ones. */
export const STATEMENTS: fc.Arbitrary<readonly DrawnStatement[]> = fc.array(statement, {
  minLength: 1,
  maxLength: STATEMENTS_MAX,
  size: "max",
});

const END = "ROLLBACK";
const READ = ["SELECT * FROM outbox ORDER BY id", "SELECT * FROM outbox_dead ORDER BY id"];

/**
 * Plays statements on one connection.
 *
 * @param refused - the numbers of those that the model refuses by name: it adds them, and they are
 *   left out elsewhere
 */
export function scriptOfStatements(
  statements: readonly DrawnStatement[],
  refused: Set<number>,
): Script {
  return async ({ pool }) => {
    for (const text of ROWS) await pool.query(text);
    const { rows } = await pool.query<{ readonly now: Date }>("SELECT now() AS now");
    const now = rows[0]?.now ?? new Date();
    const client = await pool.connect();
    const seen: string[] = [];
    const playOne = async ({ text, values, isOfLists }: DrawnStatement): Promise<string> => {
      const rowMode = isOfLists ? { rowMode: "array" } : {};
      const given = values === undefined ? {} : { values: [...values] };
      return outcomeOf(
        () => client.query({ text, ...given, ...rowMode } as QueryConfig),
        text,
        now,
      );
    };
    for (const [number, statement] of statements.entries()) {
      if (refused.has(number)) continue;
      const outcome = await playOne(statement);
      if (outcome.includes("Not modelled")) refused.add(number);
      else seen.push(`${statement.text}: ${outcome}`);
    }
    for (const text of [END, ...READ]) {
      seen.push(await playOne({ text, values: undefined, isOfLists: false }));
    }
    client.release();
    return seen;
  };
}
