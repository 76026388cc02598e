import type { Script } from "./script.ts";
import { outcomeOf, ROWS } from "./statement-outcomes.ts";

type Statement = readonly [text: string, values?: readonly unknown[]];

/** Row 1 has two attempts, row 3 five; there is no number in what row 1 has at `to`. */
const OF_ONE = "10 / (attempts - 2) > 0";
const OF_TEXT = "(payload->>'to')::int > 1";

/** Conditions of which a part has no value for a row that another part leaves out, or does not. */
const CONDITIONS: readonly Statement[] = [
  [`SELECT id FROM outbox WHERE ${OF_ONE} AND id = 99`],
  [`SELECT id FROM outbox WHERE ${OF_ONE} AND leased_by = 'nobody'`],
  [`SELECT id FROM outbox WHERE ${OF_ONE} AND attempts / 1 / 1 / 1 = 77`],
  [`SELECT id FROM outbox WHERE ${OF_ONE} AND now() < '2000-01-01'`],
  [`SELECT id FROM outbox WHERE ${OF_ONE} AND $1`, [false]],
  [`SELECT id FROM outbox WHERE ${OF_TEXT} AND leased_by = 'nobody'`],
  [`SELECT id FROM outbox WHERE ${OF_TEXT} AND visible_at <= now() AND leased_by = 'nobody'`],
  [`SELECT id FROM outbox WHERE ${OF_TEXT} AND leased_by IS NOT NULL ORDER BY id`],
  [`SELECT id FROM outbox WHERE ${OF_TEXT} AND NOT leased_by IS NULL ORDER BY id`],
  [`SELECT id FROM outbox WHERE ${OF_TEXT} AND (id = 2 OR leased_by = 'w2') ORDER BY id`],
  [`SELECT id FROM outbox WHERE ${OF_ONE} AND CASE WHEN attempts = 5 THEN true END`],
  [`SELECT id FROM outbox WHERE ${OF_ONE} AND coalesce(attempts, 0) BETWEEN 3 AND 7`],
  [`UPDATE outbox SET attempts = 9 WHERE ${OF_TEXT} AND leased_by = 'nobody'`],
  [`DELETE FROM outbox WHERE ${OF_ONE} AND NULL`],
  [`SELECT count(*) FROM outbox WHERE ${OF_ONE} AND 1 > 2`],
];

/** There is no such number of row 3. */
const SHOWN = "10 / (attempts - 5)";
/** Row 3 has no number as a place, row 4 is no object: which of them is said? */
const SET = "jsonb_set(payload, '{n}', payload)";
const LENGTHY = `${SHOWN}${" + id".repeat(12)}`;

/** What is shown of rows that a limit cuts off, or that are skipped. */
const CUT_OFF: readonly Statement[] = [
  ...[SHOWN, SET, LENGTHY, `(${SHOWN} + extract(epoch FROM clock_timestamp() - now()))::int`],
  `${SHOWN} + (SELECT max(o.id) FROM outbox o WHERE o.id = outbox.id)`,
].flatMap((shown): readonly Statement[] => {
  const ends = ["", "ORDER BY id", "ORDER BY attempts", "ORDER BY id, key", "ORDER BY key, id"];
  const counts = ["LIMIT 1", "OFFSET 3", "LIMIT 1 OFFSET 3", "OFFSET 3 FOR UPDATE", "LIMIT 0"];
  return ends.flatMap((end) =>
    [...counts, "LIMIT 1 FOR UPDATE SKIP LOCKED"].map((count): Statement => {
      return [`SELECT ${shown} AS v FROM outbox ${end} ${count}`];
    }),
  );
});

/** Two tables: what is about one of them is asked of all its rows, then they are joined. */
const JOINED: readonly Statement[] = [
  ...["OR false", "OR NULL", "AND true", "AND NULL", "OR CASE WHEN true THEN false END"].map(
    (more): Statement => [
      `UPDATE outbox o SET attempts = 9 FROM outbox_dead d
       WHERE (d.id = o.id AND 10 / (o.attempts - 2) > 0) ${more}`,
    ],
  ),
  [`UPDATE outbox SET key = 'x' FROM outbox_dead d WHERE d.id = outbox.id AND ${OF_ONE}`],
  ["UPDATE outbox SET key = 'x' FROM outbox_dead d WHERE d.id = outbox.id AND 1 / (d.id - 9) > 5"],
  ["DELETE FROM outbox USING outbox_dead d WHERE d.id = outbox.id AND 1 / (attempts - d.id) > 0"],
  [`DELETE FROM outbox USING outbox_dead d WHERE d.id = outbox.id AND false AND ${OF_ONE}`],
  [`DELETE FROM outbox USING outbox_dead d WHERE now() < '2000-01-01' AND ${OF_ONE}`],
  [
    `DELETE FROM outbox USING outbox_dead d WHERE d.id = outbox.id AND attempts = 0
     AND 4 / (attempts - 2) < 0 RETURNING outbox.id`,
  ],
  [
    `DELETE FROM outbox USING outbox_dead d WHERE d.id = outbox.id
     AND EXISTS (SELECT 1 FROM outbox o WHERE o.id = d.id) RETURNING outbox.id`,
  ],
];

const N = "(payload->>'to')::int AS n";
/** Parts of a WITH, of which a server computes what is read. */
const PARTS: readonly Statement[] = [
  [`WITH a AS (SELECT id, ${N} FROM outbox) SELECT id FROM a ORDER BY id`],
  [`WITH a AS (SELECT id, ${N} FROM outbox) SELECT n FROM a WHERE id = 2`],
  [`WITH a AS (SELECT id, ${N} FROM outbox) SELECT n FROM a ORDER BY id`],
  [`WITH a AS MATERIALIZED (SELECT id, ${N} FROM outbox) SELECT id FROM a`],
  [`WITH a AS (SELECT id, ${N} FROM outbox) SELECT id FROM a WHERE id IN (SELECT id FROM a)`],
  [
    `WITH a AS NOT MATERIALIZED (SELECT id, ${N} FROM outbox) SELECT id FROM a
     WHERE id IN (SELECT id FROM a) ORDER BY id`,
  ],
  [`WITH a AS (SELECT id, ${N} FROM outbox FOR UPDATE) SELECT id FROM a`],
  [`WITH a AS (SELECT id, ${N}, pg_try_advisory_lock(3) FROM outbox) SELECT id FROM a`],
  [`WITH a AS (SELECT id, ${N} FROM outbox WHERE pg_try_advisory_lock(3)) SELECT id FROM a`],
  [`WITH a AS (SELECT id, clock_timestamp() AS t, ${N} FROM outbox) SELECT id FROM a`],
  [`WITH a AS (SELECT id, ${N} FROM outbox ORDER BY n) SELECT id FROM a`],
  [`WITH a AS (SELECT id, ${N} FROM outbox LIMIT 1) SELECT id FROM a`],
  [`WITH a AS (SELECT max(${N.slice(0, -5)}) AS n, count(*) AS c FROM outbox) SELECT c FROM a`],
  [`WITH a AS (SELECT max(attempts) AS n, count(*) AS c FROM outbox LIMIT 0) SELECT c FROM a`],
  [`WITH a AS (SELECT count(*) AS n FROM outbox WHERE key::int = 0) SELECT 0 AS x FROM a`],
  [`WITH a AS (SELECT count(*) AS n, max(id) AS m FROM outbox WHERE key::int = 0) SELECT m FROM a`],
  [`WITH a AS MATERIALIZED (SELECT count(*) AS n FROM outbox WHERE key::int = 0) SELECT 0 FROM a`],
  [`WITH a AS (SELECT id FROM outbox WHERE ${OF_ONE}) SELECT count(*) FROM a WHERE false`],
  [`WITH a AS (SELECT id FROM outbox WHERE ${OF_ONE}) SELECT count(*) FROM a WHERE $1`, [false]],
  [`WITH a AS MATERIALIZED (SELECT 1 / 0 * id AS x FROM outbox) SELECT 1 AS one`],
  [
    `WITH a AS (SELECT id, ${N} FROM outbox), b AS (SELECT id, n FROM a) SELECT id FROM b ORDER BY id`,
  ],
  [
    `WITH a AS (SELECT id, ${N} FROM outbox) UPDATE outbox SET key = 'q' FROM a
     WHERE a.id = outbox.id`,
  ],
  [
    `WITH a AS (SELECT id, ${N} FROM outbox) INSERT INTO outbox_dead (id, key, payload)
     SELECT id + 100, 'k', '{}' FROM a RETURNING id`,
  ],
  [
    `WITH a AS (SELECT count(*) AS n FROM outbox_dead), b AS (INSERT INTO outbox_dead
     (id, key, payload) VALUES (77, 'k', '{}') RETURNING id) SELECT n FROM a`,
  ],
  [`WITH a AS (DELETE FROM outbox WHERE id = 2 RETURNING id, ${N}) SELECT id FROM a`],
];

/** Rows that are inserted one after the other, and times and intervals that there are not. */
const ROWS_AND_TIMES: readonly Statement[] = [
  [
    `INSERT INTO outbox (key, payload, attempts) VALUES ('a', '{}', abs(1)),
     (NULL, '{}', 1), ('b', '{}', '[7]'::jsonb ->> 'n')`,
  ],
  [
    `INSERT INTO outbox (key, payload, attempts) VALUES ('a', NULL, $1), ('b', '{}', $1 / $2)`,
    [1, 0],
  ],
  [
    `INSERT INTO outbox (key, payload) VALUES ('a', '{}'), (NULL, '{}')
     RETURNING (key || ' s')::interval`,
  ],
  [
    `INSERT INTO outbox (key, payload) VALUES ('a', '{}'), ('b', jsonb_set('1'::jsonb, '{n}', '1'))
     RETURNING 1 / (id - id)`,
  ],
  [
    "INSERT INTO outbox (key, payload) VALUES ('b', jsonb_set('1'::jsonb, '{n}', '1')) RETURNING 1/0",
  ],
  [
    `INSERT INTO outbox (key, payload) VALUES ('b', jsonb_set('1'::jsonb, '{n}', '1')), ('a', '1')
     RETURNING 1 / 0`,
  ],
  ["INSERT INTO outbox (key, payload) VALUES (NULL, '{}'), ('b', jsonb_build_object('n', 1 / 0))"],
  ["INSERT INTO outbox (key, payload) VALUES (NULL, jsonb_build_object('n', 1 / 0))"],
  ["", [1]],
  [";", [1]],
  ["SELECT now() + interval '9223372036854 s' IS NULL"],
  ["SELECT now() - interval '2147483647 days' IS NULL"],
  ["SELECT interval '1 second' * power(2, 44) IS NULL"],
  ["SELECT interval '-1 second' * power(2, 44) IS NULL"],
  ["SELECT interval '1 second' * power(2, 42) IS NULL"],
  ["SELECT interval '1 day' * power(2, 31) IS NULL"],
  ["SELECT interval '1 day' * power(2, 30) IS NULL"],
  ["UPDATE outbox SET visible_at = now() + interval '1 second' * power(2, attempts + 40)"],
  ["UPDATE outbox SET visible_at = now() + make_interval(secs => 1e13)"],
  ...["1e15", "1234567890123456", "-1e12", "-210866803201", "9224318016000"].map(
    (seconds): Statement => [`SELECT to_timestamp(${seconds})`],
  ),
  ["SELECT to_timestamp(-210866803200) IS NULL, to_timestamp(8640000000000) IS NULL"],
  ["SELECT to_timestamp(NULL) IS NULL"],
  ...["{1}", "{-1}", "{-4}", "{7}", "{ 1}", "{a}", "{2,0}", "{2,9}", "{2,x}", "{0,a}", "{5,a}"].map(
    (path): Statement => [`SELECT jsonb_set('["a", {"b": 1}, [3]]', '${path}', '"new"') AS v`],
  ),
  ...["{1,b}", "{1,c,d}", "{1,b,c}", "{3000000000}", "{NULL}", "{1,NULL}", "{0,NULL}", "{}"].map(
    (path): Statement => [`SELECT jsonb_set('["a", {"b": 1}, [3]]', '${path}', '"new"') AS v`],
  ),
  ...["[]", "{}", "1", "null"].flatMap((into): readonly Statement[] =>
    ["{0}", "{-1}", "{a,NULL}", "{NULL}"].map((path) => [
      `SELECT jsonb_set('${into}', '${path}', '[1]') AS v`,
    ]),
  ),
  ...["-> 0", "-> -1", "-> 1", "->> 0", "#> '{0}'", "-> 'a'"].map((taken): Statement => [
    `SELECT ('null'::jsonb ${taken}) IS NULL AS v`,
  ]),
];

/** Which of the four numbers are locked after a select that locks one for each row it asks. */
const LOCKING: readonly string[] = [
  ...["attempts < 4 AND $lock", "$lock AND attempts < 4", "key = 'a' AND $lock"],
  ...["$lock AND id = 3", "$lock AND 3 = id"],
  ...["$lock AND id IN (1, 2)", "$lock AND id NOT IN (1, 2)", "$lock AND id + 0 = 3"],
  ...["$lock AND id = ANY('{2,3}')", "$lock AND key IN ('a', 'b', 'c')", "id <> 3 AND $lock"],
  ...["$lock AND leased_by IS NULL", "visible_at <= now() AND $lock", "$lock AND now() IS NULL"],
  ...["leased_by = 'w1' AND $lock AND attempts >= 0"],
  ...["visible_at <= '2020-01-01' AND $lock", "$lock AND visible_at <= '2020-01-01'"],
  ...["visible_at <= now() AND $lock ORDER BY id LIMIT 1", "$lock ORDER BY id DESC LIMIT 2"],
  ...["$lock ORDER BY attempts LIMIT 1", "$lock LIMIT 1"],
];

/** Plays each in a transaction that is rolled back. */
function outcomesOf(statements: readonly Statement[]): Script {
  return async ({ pool }) => {
    for (const text of ROWS) await pool.query(text);
    const client = await pool.connect();
    const seen: unknown[] = [];
    for (const [text, values] of statements) {
      await client.query("BEGIN");
      const given = values === undefined ? {} : { values: [...values] };
      const outcome = await outcomeOf(() => client.query({ text, ...given }), text, new Date(0));
      seen.push([text, outcome]);
      await client.query("ROLLBACK");
    }
    client.release(true);
    return seen;
  };
}

/** What a server computes of which row, in which order. */
export const ORDER_SCRIPTS: Readonly<Record<string, Script>> = {
  "the parts of a condition in the order in which they are asked": outcomesOf(CONDITIONS),
  "conditions on one of two tables": outcomesOf(JOINED),
  "parts of a WITH that are not read, or not whole": outcomesOf(PARTS),
  "what is shown of rows that are cut off": outcomesOf(CUT_OFF),
  "rows one after the other, and times beyond all times": outcomesOf(ROWS_AND_TIMES),
  async "locks that a condition takes"({ pool }) {
    for (const text of ROWS) await pool.query(text);
    const client = await pool.connect();
    const seen: unknown[] = [];
    for (const where of LOCKING) {
      const text = `SELECT id FROM outbox WHERE ${where.replace("$lock", "pg_try_advisory_lock(id)")}`;
      const { rows } = await client.query<{ readonly id: string }>(text);
      const held: string[] = [];
      for (const id of [1, 2, 3, 4]) {
        const sql = "SELECT pg_advisory_unlock($1) AS was";
        const [lock] = (await client.query<{ readonly was: boolean }>(sql, [id])).rows;
        held.push(lock?.was === true ? `${id}` : "-");
      }
      const ids = rows.map(({ id }) => id);
      seen.push([where, where.includes("ORDER") ? ids : ids.toSorted(), held.join("")]);
    }
    client.release(true);
    return seen;
  },
  async "a number is taken once by a statement that waits"({ pool, publish, wait }) {
    await publish(1);
    await pool.query("INSERT INTO outbox_dead (id, key, payload) VALUES (9, 'k', '{}')");
    const [one, other] = [await pool.connect(), await pool.connect()];
    await one.query("BEGIN");
    await one.query("UPDATE outbox_dead SET reason = 'a' WHERE id = 9");
    const waiting = other.query(
      `WITH a AS (INSERT INTO outbox (key, payload) VALUES ('k', '{}') RETURNING id)
       UPDATE outbox_dead d SET reason = 'b' FROM a WHERE d.id = 9 RETURNING d.id, a.id AS next`,
    );
    await wait(50);
    await one.query("COMMIT");
    const seen: unknown[] = [(await waiting).rows];
    const insert = "INSERT INTO outbox (key, payload) VALUES ('k', '{}') RETURNING id";
    seen.push((await pool.query(insert)).rows);
    one.release();
    other.release();
    return seen;
  },
  async "a row is changed and shown before the next one is looked at"({ pool }) {
    await pool.query(
      `INSERT INTO outbox (key, payload) VALUES ('a', '{"n": 1}'), ('b', '{"n": 2}'), ('c', '{}')`,
    );
    const where = "WHERE id = 1 OR key::int = 1";
    const seen: unknown[] = [];
    for (const sql of [
      `DELETE FROM outbox ${where} RETURNING (key || ' h')::interval`,
      `UPDATE outbox SET attempts = (key || '.')::int ${where}`,
      `UPDATE outbox SET attempts = 3 ${where} RETURNING (payload ->> 'n')::interval, (key || '!')::int`,
      "UPDATE outbox SET attempts = CASE WHEN id = 2 THEN key::int END RETURNING 1 / (id - 1)",
      "UPDATE outbox SET id = 2 WHERE id < 3 OR key::int = 1",
      `DELETE FROM outbox ${where}`,
    ]) {
      try {
        seen.push((await pool.query(sql)).rowCount);
      } catch (error) {
        seen.push((error as Error).message);
      }
    }
    return seen;
  },
  async "a row alone takes its number before the rest of it is computed"({ pool }) {
    const ids: unknown[] = [];
    for (const values of [
      "(('a'::text || ' h')::interval || '', '{}')",
      "('k', '{}'), (('a'::text || ' h')::interval || '', '{}')",
    ]) {
      await pool.query(`INSERT INTO outbox (key, payload) VALUES ${values}`).catch(() => undefined);
      const next = "INSERT INTO outbox (key, payload) VALUES ('k', '{}') RETURNING id";
      ids.push((await pool.query(next)).rows);
    }
    const [a, b] = ["a", "b"].map((text) => `(('${text}'::text || ' h')::interval || '')`);
    const two = `(payload, key) VALUES (${a}::jsonb, ${b})`;
    await pool.query(`INSERT INTO outbox ${two}`).catch((error: Error) => ids.push(error.message));
    return ids;
  },
  async "an order by what no row differs in, and then by the key, is one by the key"({ pool }) {
    await pool.query("INSERT INTO outbox (key, payload) VALUES ('1', '{}'), ('b', '{}')");
    const found: unknown[] = [];
    for (const order of ["1, id", "2, id", "now(), id", "id, 1", "($1 || ' s')::interval, id"]) {
      const select = `SELECT $1::text, key::int FROM outbox ORDER BY ${order} LIMIT 1`;
      const rows = pool.query(select, ["a"]).then((result) => result.rows as unknown);
      found.push(await rows.catch((error: Error) => error.message));
    }
    return found;
  },
};
