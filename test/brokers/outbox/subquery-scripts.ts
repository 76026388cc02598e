import type { Pool } from "pg";
import type { Script } from "./script.ts";

/** Two keys, in turn: 1 and 3 are of the first, 2 and 4 of the second. */
async function twoKeys(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO outbox (key, payload) VALUES ('a', '{"n": 1}'), ('b', '{"n": 2}'),
      ('a', '{"n": 3}'), ('b', '{"n": 4}')`,
  );
}

async function idsOf(pool: Pool, sql: string, values: unknown[] = []): Promise<unknown> {
  try {
    return (await pool.query<{ readonly id: string }>(sql, values)).rows.map(({ id }) => id);
  } catch (error) {
    const { code, message } = error as Error & Record<string, unknown>;
    return [code, message];
  }
}

/** Subqueries, and the first row of each key; each begins with empty tables. */
export const SUBQUERY_SCRIPTS: Readonly<Record<string, Script>> = {
  "only the oldest of each key is claimed": async ({ pool }) => {
    await twoKeys(pool);
    const claim = `UPDATE outbox SET leased_by = 'me', visible_at = now() + interval '5 seconds'
      WHERE id IN (SELECT o.id FROM outbox o WHERE o.visible_at <= now() AND NOT EXISTS (
        SELECT 1 FROM outbox earlier WHERE earlier.key = o.key AND earlier.id < o.id)
        ORDER BY o.id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id`;
    const first = await idsOf(pool, claim, [10]);
    await pool.query("DELETE FROM outbox WHERE id = 1");
    return [first, await idsOf(pool, claim, [10])];
  },
  "a list that does not depend on the row is read once for a statement": async ({ pool }) => {
    await twoKeys(pool);
    const [one, other] = [await pool.connect(), await pool.connect()];
    const list = "SELECT pg_try_advisory_lock(7) FROM outbox LIMIT 1";
    const { rowCount } = await one.query(`SELECT id FROM outbox WHERE true IN (${list})`);
    const isFree = async (): Promise<unknown> =>
      (await other.query<object>("SELECT pg_try_advisory_lock(7) AS locked")).rows;
    const before = await isFree();
    // A session that has taken its lock twice gives it back twice.
    await one.query("SELECT pg_advisory_unlock(7)");
    const after = await isFree();
    for (const client of [one, other]) client.release(true);
    return [rowCount, before, after];
  },
  "what a key is compared with is computed where there is no row": async ({ pool }) => {
    const none = "0 / (SELECT count(*) FROM outbox_dead)";
    return [
      await idsOf(pool, `SELECT id FROM outbox WHERE id = ${none}`),
      await idsOf(pool, `DELETE FROM outbox WHERE ${none} = id RETURNING id`),
      await idsOf(pool, `UPDATE outbox SET key = 'b' WHERE id = ${none} RETURNING id`),
      await idsOf(pool, `SELECT id FROM outbox WHERE attempts = ${none}`),
      await idsOf(pool, `SELECT id FROM outbox WHERE key = 'a' AND id IN (1, ${none})`),
    ];
  },
  "what is about no row is asked ahead of all rows, and a select in it too": async ({ pool }) => {
    await twoKeys(pool);
    const none = "(SELECT count(*) FROM outbox_dead)";
    return [
      await idsOf(pool, `SELECT id FROM outbox WHERE key::int > 1 AND 7 <= ${none}`),
      await idsOf(
        pool,
        `SELECT id FROM outbox WHERE key::int > 1 AND EXISTS (SELECT 1 FROM outbox_dead)`,
      ),
      await idsOf(
        pool,
        `SELECT id FROM outbox WHERE key::int > 1 AND 7 IN (SELECT 1 FROM outbox_dead)`,
      ),
      await idsOf(pool, `DELETE FROM outbox WHERE '7' BETWEEN key::int AND ${none} RETURNING id`),
    ];
  },
  "the first row of each key": async ({ pool }) => {
    await twoKeys(pool);
    return [
      await idsOf(pool, "SELECT DISTINCT ON (key) id, key FROM outbox ORDER BY key, id"),
      await idsOf(pool, "SELECT DISTINCT ON (key) id FROM outbox ORDER BY key DESC, id DESC"),
      await idsOf(pool, "SELECT DISTINCT ON (key) id FROM outbox ORDER BY key, id LIMIT 1"),
      await idsOf(pool, "SELECT DISTINCT ON (key) id FROM outbox ORDER BY id"),
      await idsOf(pool, "SELECT DISTINCT ON (key) id FROM outbox ORDER BY key, id FOR UPDATE"),
      await idsOf(
        pool,
        "SELECT id FROM outbox WHERE id IN (SELECT DISTINCT ON (key) id FROM outbox ORDER BY key, id) FOR UPDATE",
      ),
    ];
  },
  "the first row of each parameter that is no text": async ({ pool }) => {
    const sql = "SELECT DISTINCT ON (key) $1 AS key FROM outbox WHERE payload || $1 IS NULL";
    const orders = ["", " ORDER BY id", " ORDER BY key"];
    return Promise.all(orders.map((order) => idsOf(pool, sql + order, ["{}"])));
  },
  EXISTS: async ({ pool }) => {
    await twoKeys(pool);
    const results = [
      "SELECT EXISTS (SELECT 1 FROM outbox WHERE attempts = 0)",
      "SELECT NOT EXISTS (SELECT id FROM outbox WHERE attempts > 0) AS none",
      "SELECT EXISTS (SELECT 1 FROM outbox_dead)",
    ];
    const seen: unknown[] = [];
    for (const sql of results) seen.push((await pool.query<object>(sql)).rows);
    await pool.query("INSERT INTO outbox_dead (id, key, payload) VALUES (2, 'b', '{}')");
    const dead = "EXISTS (SELECT 1 FROM outbox_dead d WHERE d.id = outbox.id)";
    seen.push(await idsOf(pool, `SELECT id FROM outbox WHERE ${dead}`));
    seen.push(await idsOf(pool, `DELETE FROM outbox WHERE ${dead} RETURNING id`));
    seen.push(await idsOf(pool, "SELECT id FROM outbox WHERE EXISTS (SELECT 1 FROM nowhere)"));
    const wrong = "EXISTS (SELECT 1 FROM outbox_dead d WHERE d.none = outbox.id)";
    seen.push(await idsOf(pool, `SELECT id FROM outbox WHERE ${wrong}`));
    return seen;
  },
  "a subquery that stands for a value": async ({ pool }) => {
    await twoKeys(pool);
    return [
      await idsOf(pool, "SELECT id FROM outbox WHERE id = (SELECT max(id) FROM outbox)"),
      await idsOf(
        pool,
        "SELECT id FROM outbox o WHERE id = (SELECT min(id) FROM outbox i WHERE i.key = o.key) ORDER BY id",
      ),
      await idsOf(pool, "SELECT id FROM outbox WHERE id = (SELECT id FROM outbox_dead)"),
      await idsOf(pool, "SELECT id FROM outbox WHERE id = (SELECT id FROM outbox)"),
      (await pool.query<object>("SELECT (SELECT count(*) FROM outbox) AS n")).rows,
    ];
  },
  "rows whose ids are in an array": async ({ pool }) => {
    await twoKeys(pool);
    const list = [1, 3];
    const unnested = "(SELECT unnest($1::bigint[]))";
    return [
      await idsOf(pool, `SELECT id FROM outbox WHERE id IN ${unnested} ORDER BY id`, [list]),
      await idsOf(pool, `SELECT id FROM outbox WHERE id NOT IN ${unnested} ORDER BY id`, [list]),
      await idsOf(pool, `DELETE FROM outbox WHERE id IN ${unnested} RETURNING id`, [["2"]]),
      await idsOf(pool, `SELECT id FROM outbox WHERE id IN ${unnested}`, [[]]),
    ];
  },
  "a list that depends on the row": async ({ pool }) => {
    await twoKeys(pool);
    const sql = `SELECT id FROM outbox o WHERE id IN
      (SELECT i.id FROM outbox i WHERE i.key = o.key ORDER BY i.id DESC LIMIT 1) ORDER BY id`;
    return [await idsOf(pool, sql)];
  },
  "an order by names and places of what is selected": async ({ pool }) => {
    await twoKeys(pool);
    return [
      await idsOf(pool, "SELECT id, 0 - id AS n FROM outbox ORDER BY n"),
      await idsOf(pool, "SELECT key, id FROM outbox ORDER BY 1 DESC, 2"),
      await idsOf(pool, "SELECT key AS id FROM outbox ORDER BY id DESC, outbox.id LIMIT 2"),
    ];
  },
  "values that a column does not have": async ({ pool }) => {
    await twoKeys(pool);
    const seen: unknown[] = [];
    const statements: readonly (readonly [string, unknown[]])[] = [
      ["SELECT id FROM outbox WHERE id = $1", ["9223372036854775808"]],
      ["SELECT id FROM outbox WHERE attempts = $1", ["3000000000"]],
      ["UPDATE outbox SET attempts = 3000000000", []],
      ["INSERT INTO outbox (key, payload) VALUES ($1, '{}')", ["a\u0000b"]],
      ["INSERT INTO outbox (id, key, payload) VALUES (5, 'k', '{}')", []],
      ["UPDATE outbox SET id = 5", []],
      ["UPDATE outbox SET attempts = $1 WHERE id = 1 RETURNING id", [2_147_483_647]],
    ];
    for (const [sql, values] of statements) seen.push(await idsOf(pool, sql, [...values]));
    return seen;
  },
};
