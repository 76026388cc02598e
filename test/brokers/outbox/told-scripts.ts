import type { QueryResult } from "pg";
import type { Script } from "./script.ts";
import { outcomeOf } from "./statement-outcomes.ts";

type Statements = readonly (readonly [sql: string, params?: readonly unknown[]])[];

/** Places that tell the type of a parameter, one place after the other. */
const PLACES: Statements = [
  ["SELECT id FROM outbox WHERE key = $1 OR id = $1", ["1"]],
  ["SELECT id FROM outbox WHERE id = $1 OR key = $1", ["1"]],
  ["SELECT $1::int + $1", [2]],
  ["SELECT $1 || 'a', $1 + 1", ["2"]],
  ["UPDATE outbox SET leased_by = $1 WHERE id = $1", ["2"]],
  ["SELECT id FROM outbox WHERE $1 IN ($2, $3) AND $1 = id", ["1", "2", "1"]],
  ["SELECT id FROM outbox WHERE $1 IN ($2, id, $3)", ["1", "2", "1"]],
  ["SELECT id FROM outbox WHERE $1 IN (id, key)", ["1"]],
  ["SELECT $1 IS DISTINCT FROM NULL", [1]],
  ["SELECT jsonb_build_object('a', $1)", [1]],
  ["SELECT jsonb_build_object('a', $1::text), $1", ["b"]],
  ["SELECT sum($1) FROM outbox", [1]],
  ["SELECT nope, $1 FROM outbox", [1]],
  ["SELECT $2::text", ["a", "b"]],
  ["SELECT $1::text", ["a", "b"]],
  ["BEGIN", [1]],
  ["-- nothing", [1]],
  ["SELECT id FROM outbox WHERE id = $1"],
  ["SELECT nope FROM outbox WHERE id = $1"],
];

/** Values of a column, also where no row is put in. */
const PUT_IN: Statements = [
  ["INSERT INTO outbox_dead (id, key, payload) SELECT key, key, payload FROM outbox WHERE false"],
  ["INSERT INTO outbox_dead (id, key, payload) SELECT id, key FROM outbox WHERE false"],
  ["INSERT INTO outbox_dead (id, key) SELECT id, key, payload FROM outbox WHERE false"],
  ["INSERT INTO outbox_dead (id, key, payload) SELECT id, nope, payload FROM outbox WHERE false"],
  ["INSERT INTO outbox_dead (id, key, payload) SELECT $1, $2, $3 FROM outbox", ["x", "b", "{}"]],
  ["INSERT INTO outbox_dead (id, key, payload) SELECT $1, $2, $3", [7, "b", { a: 1 }]],
  ["INSERT INTO outbox_dead (id, key, payload) SELECT * FROM outbox"],
  ["INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a'), (2, 'b', '{}')"],
  ["INSERT INTO outbox_dead (id, key, payload) VALUES (key, 'a', '{}')"],
  ["INSERT INTO outbox_dead (id, key, payload) VALUES (outbox_dead.id, 'a', '{}')"],
  ["INSERT INTO outbox (id, nope) VALUES (1, 2)"],
  ["INSERT INTO outbox (id, key) VALUES (1, nope)"],
  ["INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'a', 'null') RETURNING payload"],
  ["INSERT INTO outbox_dead (id, key, payload) VALUES (3, 'a', '1') RETURNING excluded.id"],
  ["INSERT INTO outbox_dead (id, key, payload) VALUES (1, max(2), '1')"],
  ["UPDATE outbox SET attempts = payload WHERE false"],
  ["UPDATE outbox SET nope = 1 WHERE id = 'x'"],
  ["UPDATE outbox SET attempts = 1 WHERE attempts = 1 / 0"],
  ["UPDATE outbox SET attempts = CASE WHEN id > 9 THEN 1 / 0 ELSE 1 END"],
  ["UPDATE outbox SET attempts = CASE WHEN true THEN 1 ELSE 1 / 0 END RETURNING attempts"],
  ["UPDATE outbox SET attempts = 1 RETURNING max(attempts)"],
  ["UPDATE outbox SET attempts = count(*)"],
  ["UPDATE outbox SET (leased_by, attempts) = ('a', 3) RETURNING leased_by, attempts"],
  ["UPDATE outbox SET (leased_by) = ROW('a'), key = 'b' WHERE id = 1 RETURNING leased_by, key"],
  ["UPDATE outbox SET (attempts, leased_by) = (attempts + $1, $2) RETURNING attempts", [1, "a"]],
  ["UPDATE outbox SET (attempts, attempts) = (1, 2)"],
  ["UPDATE outbox SET (attempts, nope) = (1, 2)"],
  ["UPDATE outbox SET (attempts, key) = ('x', 2)"],
  ["DELETE FROM outbox WHERE false AND 1 / 0 = 1"],
];

/** The null of jsonb, which is not that of SQL. */
const NULLS: Statements = [
  [`SELECT '{"n": null}'::jsonb -> 'n' IS NULL, '{"n": null}'::jsonb ->> 'n' IS NULL`],
  [`SELECT '{"n": null}'::jsonb -> 'm' IS NULL, 'null'::jsonb IS NULL, 'null'::jsonb::text`],
  [`SELECT coalesce('{"n": null}'::jsonb -> 'n', '1'), 'null'::jsonb = 'null'::jsonb`],
  [`SELECT 'null'::jsonb || '[1]', 'null'::jsonb || '{"a": 1}', 'null'::jsonb @> 'null'`],
  [`SELECT jsonb_set('{}', '{n}', 'null'), jsonb_build_object('n', 'null'::jsonb)`],
  ["SELECT ('null'::jsonb)::int"],
  ["SELECT 'null'::jsonb - 'n'"],
  ["SELECT count('null'::jsonb), count(NULL::jsonb) FROM outbox"],
];

/** What a select shows, sorts and counts. */
const SHOWN: Statements = [
  ["SELECT count(*) FROM outbox LIMIT 0"],
  ["SELECT count(*) FROM outbox LIMIT 1 OFFSET 0"],
  ["SELECT count(*) FROM outbox ORDER BY id"],
  ["SELECT 1 AS one WHERE false"],
  ["SELECT 1 AS one LIMIT 0"],
  ["SELECT id, key AS id FROM outbox ORDER BY id"],
  ["SELECT id, outbox.id FROM outbox ORDER BY id"],
  ["SELECT * FROM outbox ORDER BY 3 + 1, 9"],
  ["SELECT id FROM outbox ORDER BY 1.5"],
  ["SELECT id FROM outbox ORDER BY id LIMIT key"],
  ["SELECT id FROM outbox ORDER BY id LIMIT attempts + 1"],
  ["SELECT id FROM outbox ORDER BY id LIMIT now()"],
  ["SELECT id FROM outbox WHERE false ORDER BY 1 / attempts"],
  ["SELECT count(*) FROM outbox FOR NO KEY UPDATE"],
  ["SELECT outbox.* FROM outbox o"],
  ["SELECT *"],
  ["SELECT id FROM outbox WHERE id IN (SELECT 1)"],
  ["SELECT id FROM outbox WHERE id IN ((SELECT id FROM outbox)) ORDER BY id"],
  ["SELECT id FROM outbox WHERE id = ANY((SELECT id FROM outbox)) ORDER BY id"],
  ["SELECT id FROM outbox WHERE id IN (SELECT * FROM outbox)"],
  ["WITH a AS (SELECT 1 / attempts AS n FROM outbox) SELECT 1 AS one"],
  ["WITH a AS (SELECT id, id FROM outbox) SELECT 2 AS two"],
  ["UPDATE outbox SET attempts = 1 FROM outbox WHERE true"],
  ["SELECT key::varchar AS k, coalesce(key::varchar, 'x') AS c FROM outbox ORDER BY id"],
  ["SELECT 1 = 'a'::varchar"],
  ["SELECT CASE WHEN true THEN 1 ELSE CASE WHEN false THEN 2 ELSE attempts END END FROM outbox"],
  ["SELECT id FROM outbox WHERE id NOT BETWEEN 'a'::text AND 2"],
  ["SELECT id FROM outbox WHERE attempts NOT IN ('a'::text)"],
  ["SELECT power(1), power(1, 2, 3)"],
  ["SELECT make_interval(secs => 1, secs => 2)"],
  ["SELECT make_interval(mins => 1.5)"],
  ["SELECT '0'::timestamptz"],
  ["SELECT '13 s'::timestamptz"],
  ["SELECT '12'::timestamptz"],
  ["/* a */ SELECT 'b' AS b /* c */"],
];

/** Statements as libraries write them that are given tables and values: Drizzle, Kysely. */
const WRITTEN: Statements = [
  [
    'insert into "outbox_dead" ("id", "key", "payload", "reason", "died_at") values ($1, $2, $3, default, default) returning "reason", "died_at" = now() as "is_now"',
    [9, "k", "{}"],
  ],
  [
    'insert into "outbox" ("id", "key", "payload", "attempts") values (default, $1, $2, default), (default, $3, $4, 7) returning "key", "attempts", "leased_by", "created_at" = "visible_at" as "same"',
    ["a", "{}", "b", "[]"],
  ],
  ["INSERT INTO outbox (id, key, payload) VALUES (DEFAULT, 'a', '{}'), (5, 'b', '{}')"],
  ["INSERT INTO outbox (key, payload) VALUES (DEFAULT, '{}')"],
  ["INSERT INTO outbox (nope, key, payload) VALUES (DEFAULT, 'a', '{}')"],
  ["INSERT INTO outbox (key, payload) VALUES ('a', '{}', DEFAULT)"],
  [
    "INSERT INTO outbox_dead AS d (id, key, payload, reason) VALUES (1, 'a', '{}', 'r') ON CONFLICT (id) DO UPDATE SET reason = DEFAULT RETURNING reason",
  ],
  ["UPDATE outbox SET leased_by = DEFAULT, attempts = DEFAULT RETURNING leased_by, attempts"],
  ["UPDATE outbox SET (leased_by, visible_at) = ('w', DEFAULT) RETURNING visible_at = now()"],
  ["UPDATE outbox SET key = DEFAULT"],
  ["UPDATE outbox SET nope = DEFAULT"],
  ['select "o"."id" from "public"."outbox" as "o" order by "o"."id" limit 1'],
  ["SELECT outbox.id FROM public.outbox WHERE outbox.id = 2 FOR UPDATE OF outbox SKIP LOCKED"],
  ["SELECT outbox.id FROM public.outbox o"],
  ["WITH outbox AS (SELECT 5 AS id) SELECT count(*) FROM public.outbox"],
  ["UPDATE public.outbox SET attempts = outbox.attempts + 1 RETURNING attempts"],
  ["INSERT INTO public.outbox_dead (id, key, payload) VALUES (3, 'a', '{}')"],
  ["DELETE FROM public.outbox o USING public.outbox_dead d WHERE d.id = o.id"],
  ["SELECT id FROM public.nope"],
  ["CREATE TABLE IF NOT EXISTS public.outbox (id bigint)"],
  ["CREATE INDEX IF NOT EXISTS due ON public.outbox (visible_at)"],
  ["SELECT id FROM ONLY outbox ORDER BY id LIMIT 1"],
  ["SELECT CAST($1 AS integer), CAST(attempts AS text) FROM outbox LIMIT 1", ["5"]],
  ["SELECT id FROM outbox WHERE id = ANY(CAST($1 AS bigint[])) ORDER BY id", [[1, 2]]],
  ["SELECT CAST('soon' AS integer)"],
  ["SELECT NULLIF($1, ''), NULLIF(attempts, 0), NULLIF($2, 5) AS n FROM outbox", ["", 6]],
  ["SELECT NULLIF(leased_by, 'w') IS NULL, NULLIF(1, 2) FROM outbox LIMIT 1"],
  ["SELECT NULLIF(attempts, 'x') FROM outbox"],
  ["SELECT NULLIF(attempts, key) FROM outbox"],
  ["SELECT DISTINCT key FROM outbox ORDER BY key DESC"],
  ["SELECT DISTINCT o.key AS k, attempts FROM outbox o ORDER BY attempts, k LIMIT 1"],
  ["SELECT DISTINCT attempts + 1 FROM outbox ORDER BY attempts + 1"],
  ["SELECT DISTINCT key FROM outbox ORDER BY 1 OFFSET 1"],
  ["SELECT DISTINCT key FROM outbox FOR UPDATE"],
  ["SELECT id FROM outbox WHERE key IN (SELECT DISTINCT key FROM outbox) ORDER BY id"],
  ["SELECT DISTINCT leased_by IS NULL FROM outbox"],
  ["SELECT DISTINCT nope FROM outbox"],
  ["SELECT DISTINCT count(*) FROM outbox"],
  ["BEGIN READ WRITE"],
  ["BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"],
  ["START TRANSACTION READ WRITE, ISOLATION LEVEL READ COMMITTED"],
  ["SET search_path TO public"],
  ["SET search_path = 'public'"],
  ["SET LOCAL timezone = 'UTC'"],
  ["SET TIME ZONE 'UTC'"],
  ["SET timezone TO DEFAULT"],
  ["RESET timezone"],
];

function told(statements: Statements): Script {
  return async ({ pool, publish }) => {
    await publish(2);
    const seen: string[] = [];
    const client = await pool.connect();
    for (const [sql, params] of statements) {
      await client.query("BEGIN");
      const given = params === undefined ? [] : [[...params]];
      const play = (): Promise<QueryResult> => client.query(sql, ...given);
      seen.push(`${sql}: ${await outcomeOf(play, sql, new Date(0))}`);
      await client.query("ROLLBACK");
    }
    client.release();
    return seen;
  };
}

/** What tells types, before any row is looked at. */
export const TOLD_SCRIPTS: Readonly<Record<string, Script>> = {
  "places that tell the type of a parameter": told(PLACES),
  "values of columns, also where no row is put in": told(PUT_IN),
  "the null of jsonb": told(NULLS),
  "what a select shows, sorts and counts": told(SHOWN),
  "statements as libraries write them": told(WRITTEN),
  "what waits behind a statement when its connection is lost": async ({ pool, wait, ...given }) => {
    await given.publish(1);
    const [holder, client] = [await pool.connect(), await pool.connect()];
    for (const one of [holder, client]) one.on("error", () => undefined);
    await holder.query("BEGIN");
    await holder.query("SELECT id FROM outbox FOR UPDATE");
    const all = ["SELECT id FROM outbox FOR UPDATE", "SELECT 1", "SELECT 2"].map((sql) =>
      outcomeOf(() => client.query(sql), sql, new Date(0)),
    );
    await wait(100);
    await given.failOver();
    const seen = await Promise.all(all);
    seen.push(await outcomeOf(() => client.query("SELECT 3"), "SELECT 3", new Date(0)));
    for (const one of [holder, client]) one.release(true);
    return seen;
  },
};
