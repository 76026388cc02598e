import type { QueryResult } from "pg";
import type { Script } from "./script.ts";

/** Statements with more than one part, and what is computed over rows; each is rolled back. */
const STATEMENTS: readonly (readonly [sql: string, params?: readonly unknown[]])[] = [
  [
    `WITH due AS (SELECT id FROM outbox WHERE attempts = 0 ORDER BY id LIMIT $1
       FOR UPDATE SKIP LOCKED)
     UPDATE outbox o SET leased_by = 'me', attempts = o.attempts + 1 FROM due WHERE o.id = due.id
     RETURNING o.id, o.attempts, leased_by`,
    [1],
  ],
  [
    `WITH claimed AS (UPDATE outbox SET leased_by = 'me' WHERE id > 2 RETURNING *)
     SELECT id, leased_by, payload FROM claimed ORDER BY id DESC`,
  ],
  [
    `WITH gone AS (DELETE FROM outbox WHERE id = 2 RETURNING id, key, payload)
     INSERT INTO outbox_dead (id, key, payload, reason) SELECT id, key, payload, 'why' FROM gone
     RETURNING id, reason, payload`,
  ],
  [
    `WITH a AS (SELECT id FROM outbox WHERE id < 4), b AS (SELECT id FROM a WHERE id > 1)
     SELECT count(*) FROM b`,
  ],
  ["WITH a AS NOT MATERIALIZED (SELECT id FROM outbox) SELECT min(id), max(id) FROM a"],
  [
    "WITH a AS (SELECT id, payload @> ('null'::jsonb - 'n') AS x FROM outbox) SELECT count(id) FROM a",
  ],
  ["WITH a AS (SELECT id, payload @> ('null'::jsonb - 'n') AS x FROM outbox) SELECT x FROM a"],
  ["WITH a AS (SELECT id, 'null'::jsonb - 'n' AS x FROM outbox LIMIT 1) SELECT count(*) FROM a"],
  ["WITH a AS MATERIALIZED (SELECT id, 'null'::jsonb - 'n' AS x FROM outbox) SELECT id FROM a"],
  ["SELECT EXISTS (SELECT 'null'::jsonb - 'n' FROM outbox)"],
  ["SELECT EXISTS (SELECT count('null'::jsonb - 'n') FROM outbox)"],
  ["SELECT key::int IN (NULL) FROM outbox"],
  ["SELECT key::int NOT IN (NULL) FROM outbox"],
  ["SELECT key::int IN (NULL, NULL) FROM outbox"],
  ["SELECT NULL IN (key::int, 2) FROM outbox"],
  ["SELECT id - NOT true FROM outbox"],
  ["SELECT key IN (key, (key::interval)::text) AS x FROM outbox"],
  ["SELECT key NOT IN ((key::interval)::text, key) AS x FROM outbox"],
  ["SELECT id IN (3, 4, 1 / attempts) AS x FROM outbox WHERE id = 3"],
  ["SELECT 5 IN (1 / attempts, 5) AS x FROM outbox"],
  ["SELECT key::int IN (SELECT id FROM outbox WHERE false) AS x FROM outbox"],
  ["SELECT key::int NOT IN (SELECT id FROM outbox WHERE id < 0) AS x FROM outbox"],
  ["SELECT count(*) FROM outbox WHERE key::int IN (SELECT id FROM outbox WHERE id < 0)"],
  ["SELECT NOT id IN (1) || key AS x FROM outbox"],
  [
    "SELECT id IN (1) || key AS x, id IS NULL = true AS y, id IS NOT NULL IN (true) AS z FROM outbox",
  ],
  ["SELECT id = ANY('{1,2}'::int[]) || 'x' AS x, NOT id IN (1) = true AS y FROM outbox"],
  ["SELECT id IN (1)::text AS x FROM outbox"],
  ["WITH a AS (SELECT id FROM outbox) SELECT nothing FROM a"],
  ["WITH a AS (SELECT id FROM outbox) DELETE FROM outbox USING a WHERE outbox.id = a.id + 3"],
  [
    `UPDATE outbox SET leased_by = d.key FROM outbox_dead d WHERE d.id = outbox.id
     RETURNING outbox.id`,
  ],
  ["UPDATE outbox o SET attempts = 5 FROM outbox_dead d WHERE id = 1"],
  ["UPDATE outbox o SET attempts = 5 FROM outbox_dead d WHERE o.id = d.nothing"],
  ["SELECT x.id FROM outbox"],
  ["SELECT o.nothing FROM outbox o"],
  ["SELECT outbox.id FROM outbox ORDER BY outbox.id LIMIT 1"],
  ["SELECT id FROM outbox ORDER BY id LIMIT 2 OFFSET 1"],
  ["SELECT id FROM outbox ORDER BY id OFFSET $1", [3]],
  ["SELECT count(*)::int AS n, min(id), max(attempts) AS most FROM outbox"],
  ["SELECT count(leased_by), count(*) AS n FROM outbox WHERE id < 4"],
  ["SELECT min(leased_by), max(id), count(*) FROM outbox WHERE false"],
  ["SELECT coalesce(max(attempts), 0) + 1 AS next FROM outbox"],
  ["SELECT count(*), id FROM outbox"],
  ["SELECT id FROM outbox WHERE count(*) > 1"],
  ["SELECT id, coalesce(leased_by, 'nobody') FROM outbox ORDER BY id"],
  ["SELECT coalesce(null, 5), coalesce(null, null), coalesce(leased_by, 5) FROM outbox"],
  ["SELECT payload->>'ref' AS ref, payload->'key' FROM outbox ORDER BY id LIMIT 1"],
  ["SELECT id FROM outbox WHERE payload->>'ref' = $1", ["ref-000002"]],
  [`SELECT '{"a": [1, {"b": null}], "10": 2}'::jsonb->'a'->1`],
  [`SELECT '{"a": [1, {"b": null}]}'::jsonb->'a'->1->>'b' AS b, '[1, 2]'::jsonb->>-1 AS last`],
  [`SELECT '{"a": [1, {"b": "x"}]}'::jsonb->>'a' AS a, '{"bb": 1, "a": {}}'::jsonb::text AS t`],
  ["SELECT '[1]'::jsonb->>'0' AS none, '{\"a\": 1}'::jsonb->0 AS other"],
  ["SELECT id->>'a' FROM outbox"],
  [`SELECT '{"long": 1, "b": 2, "aa": 3, "b": 4}'::jsonb AS j`],
  [
    `INSERT INTO outbox_dead (id, key, payload, reason) VALUES (1, 'a', '{}', 'b') ON CONFLICT (id)
     DO UPDATE SET reason = EXCLUDED.reason, key = outbox_dead.key RETURNING id, key, reason`,
  ],
  [
    `INSERT INTO outbox_dead AS d (id, key, payload) VALUES (1, 'x', '{}'), (7, 'y', '{}')
     ON CONFLICT (id) DO UPDATE SET key = d.key, payload = excluded.payload
     RETURNING id, key, reason`,
  ],
  [
    `INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'x', '{}')
     ON CONFLICT (id) DO UPDATE SET no = 1`,
  ],
  ["SELECT id FROM outbox WHERE id BETWEEN $1 AND $2 AND attempts = 1 ORDER BY id", [1, 2]],
  ["SELECT id FROM outbox WHERE id NOT BETWEEN 2 AND 1 + 2 ORDER BY id"],
  ["SELECT id, CASE WHEN attempts = 0 THEN 'new' ELSE 'old' END AS state FROM outbox ORDER BY id"],
  [
    `SELECT CASE attempts WHEN 0 THEN 1.5::float8 WHEN 1 THEN 2 END,
     CASE WHEN true THEN 1 ELSE attempts END FROM outbox ORDER BY id LIMIT 2`,
  ],
  ["SELECT CASE WHEN id = 1 THEN 5 ELSE coalesce(leased_by, 'x') END FROM outbox"],
  ["SELECT CASE WHEN id THEN 5 END FROM outbox"],
  ["SELECT CASE WHEN count(*) > 2 THEN 'many' ELSE 'few' END AS n FROM outbox"],
  [
    `SELECT 'a' || 'b' AS ab, key || '-' || id AS name, 1 || 'x' AS x, null || 'x' AS none
     FROM outbox WHERE id = 1`,
  ],
  ["SELECT 1 || 2"],
  [`SELECT payload || '{"tries": 1, "key": "k"}' AS j FROM outbox WHERE id = 1`],
  [
    `SELECT '[1]'::jsonb || '2' AS a, '{"a": 1}'::jsonb || '[2]'::jsonb AS b,
     '1'::jsonb || '[]'::jsonb AS c`,
  ],
  ["UPDATE outbox SET payload = payload || $1 WHERE id = 1 RETURNING payload", [{ tries: 1 }]],
  ["SELECT pg_try_advisory_xact_lock(5), pg_try_advisory_lock(6) AS got, pg_advisory_unlock(6)"],
];

/** What a statement sees of its own changes, and keys that there are already. */
const SNAPSHOTS: readonly string[] = [
  "INSERT INTO outbox (key, payload) VALUES ('k', '{}') RETURNING (SELECT count(*) FROM outbox)",
  "DELETE FROM outbox WHERE id < 3 RETURNING id, (SELECT count(*) FROM outbox)",
  "UPDATE outbox SET attempts = 7 WHERE id = 1 RETURNING (SELECT max(attempts) FROM outbox)",
  "WITH gone AS (DELETE FROM outbox WHERE id < 3) SELECT count(*) FROM outbox",
  `WITH new AS (INSERT INTO outbox (key, payload) VALUES ('k', '{}') RETURNING id)
   SELECT (SELECT count(*) FROM new), (SELECT count(*) FROM outbox)`,
  "INSERT INTO outbox_dead (id, key, payload) VALUES (2, 'b', '{}'), (3, 'c', '{}')",
  "UPDATE outbox_dead SET id = 1 WHERE id = 2",
  "UPDATE outbox_dead SET id = id WHERE id = 2",
  "UPDATE outbox_dead SET id = id - 1 WHERE id > 1",
  "UPDATE outbox_dead SET id = 9 WHERE id = 1 RETURNING id, key",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'again', '{}') RETURNING id, key",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (9, 'again', '{}')",
  "DELETE FROM outbox_dead WHERE id = 2",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (2, 'new', '{}') RETURNING id, key",
  `INSERT INTO outbox_dead (id, key, payload) VALUES (9, 'x', '{}')
   ON CONFLICT (id) DO UPDATE SET id = 3`,
  `INSERT INTO outbox_dead (id, key, payload) VALUES (9, 'x', '{}')
   ON CONFLICT (id) DO UPDATE SET id = 5 RETURNING id, key`,
  `INSERT INTO outbox_dead (id, key, payload) SELECT id, key, payload FROM outbox
   ON CONFLICT (id) DO UPDATE SET id = 7`,
  "SELECT id FROM outbox WHERE NULL ORDER BY 1 / 0",
  "SELECT DISTINCT ON (1 / 0) id FROM outbox WHERE NULL",
  "SELECT EXISTS (SELECT 1 FROM outbox_dead WHERE id = 1 / 0) FROM outbox WHERE id < 0",
  "SELECT (SELECT id FROM outbox_dead WHERE id = 1 / 0) FROM outbox WHERE id < 0",
  "SELECT id IN (SELECT id FROM outbox_dead WHERE id = 1 / 0) FROM outbox WHERE id < 0",
  `INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'x', '{}')
   ON CONFLICT (nope, nada) DO NOTHING`,
  "SELECT power(2, -5000)",
  "SELECT power(2, 5000)",
  "SELECT power(0.5::float8, 5000)",
  "SELECT power(0.5::float8, -5000)",
  "SELECT power(0::float8, 5000)",
];

/** Savepoints, one after the other on one connection. */
const SAVEPOINTS: readonly string[] = [
  "SAVEPOINT a",
  "RELEASE a",
  "ROLLBACK TO a",
  "BEGIN",
  "SAVEPOINT a",
  "UPDATE outbox SET attempts = 5 WHERE id = 1",
  "SAVEPOINT b",
  "DELETE FROM outbox WHERE id = 1",
  "INSERT INTO outbox_dead (id, key, payload) VALUES (9, 'k', '{}')",
  "SELECT nothing",
  "SAVEPOINT c",
  "ROLLBACK TO SAVEPOINT b",
  "SELECT id, attempts FROM outbox WHERE id = 1",
  "SELECT count(*) FROM outbox_dead WHERE id = 9",
  "RELEASE SAVEPOINT b",
  "ROLLBACK TO b",
  "ROLLBACK TO a",
  "SELECT attempts FROM outbox WHERE id = 1",
  "DELETE FROM outbox WHERE id = 4",
  "COMMIT",
  "SELECT id FROM outbox ORDER BY id",
];

async function facts(call: Promise<QueryResult>): Promise<unknown> {
  try {
    const { command, rowCount, rows, fields } = await call;
    return [command, rowCount, rows, fields.map(({ name, dataTypeID }) => [name, dataTypeID])];
  } catch (error) {
    const { message, code } = error as Error & Record<string, unknown>;
    return [code, message];
  }
}

async function fill({ pool, publish }: Parameters<Script>[0]): Promise<void> {
  await publish(4);
  await pool.query("UPDATE outbox SET attempts = 1 WHERE id = 2 OR id = 3");
  await pool.query("UPDATE outbox SET leased_by = 'a' WHERE id >= 3");
  const sql = "INSERT INTO outbox_dead (id, key, payload, reason) VALUES (1, 'dead', '{}', 'a')";
  await pool.query(sql);
}

/** A row has its times only where one asks for them. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value, (name, one: unknown) =>
    name === "created_at" || name === "visible_at" ? "a time" : one,
  );
  return JSON.parse(text) as unknown;
}

export const WITH_SCRIPTS: Readonly<Record<string, Script>> = {
  "what statements of several parts return": async (place) => {
    await fill(place);
    const client = await place.pool.connect();
    const seen: unknown[] = [];
    for (const [sql, params = []] of STATEMENTS) {
      await client.query("BEGIN");
      seen.push([sql, withoutTimes(await facts(client.query(sql, [...params])))]);
      await client.query("ROLLBACK");
    }
    client.release();
    return seen;
  },
  "what savepoints do": async (place) => {
    await fill(place);
    const client = await place.pool.connect();
    const seen: unknown[] = [];
    for (const sql of SAVEPOINTS) seen.push([sql, await facts(client.query(sql))]);
    client.release();
    return seen;
  },
  "what a statement sees of its own changes, and what keys are taken": async (place) => {
    await fill(place);
    const client = await place.pool.connect();
    const seen: unknown[] = [];
    await client.query("BEGIN");
    for (const sql of SNAPSHOTS) {
      await client.query("SAVEPOINT s");
      const found = await facts(client.query(sql));
      seen.push([sql, found]);
      const isRefused = typeof (found as readonly unknown[])[1] === "string";
      if (isRefused) await client.query("ROLLBACK TO s");
    }
    client.release(true);
    return seen;
  },
  "a key that another transaction has just taken, or given up": async (place) => {
    await fill(place);
    const [one, other] = [await place.pool.connect(), await place.pool.connect()];
    const seen: unknown[] = [];
    const sql = "INSERT INTO outbox_dead (id, key, payload) VALUES ($1, 'other', '{}')";
    for (const [id, end] of [
      ...([7, 1].map((id) => [id, "COMMIT"]) as [number, string][]),
      ...([8, 7].map((id) => [id, "ROLLBACK"]) as [number, string][]),
    ]) {
      await one.query("BEGIN");
      const first = await facts(one.query("UPDATE outbox_dead SET id = id + 6 WHERE id < 8"));
      const waiting = facts(other.query(sql, [id]));
      await place.wait(50);
      await one.query(end);
      seen.push([id, end, first, await waiting]);
    }
    const { rows } = await one.query("SELECT id, key FROM outbox_dead ORDER BY id");
    one.release();
    other.release();
    return [seen, rows];
  },
  "a row that was locked since a savepoint is free behind it": async (place) => {
    await fill(place);
    const [one, other] = [await place.pool.connect(), await place.pool.connect()];
    const free = async (): Promise<unknown> => {
      const sql = "SELECT id FROM outbox ORDER BY id FOR UPDATE SKIP LOCKED";
      return (await other.query<{ id: string }>(sql)).rows.map(({ id }) => id);
    };
    await one.query("BEGIN");
    await one.query("UPDATE outbox SET attempts = 9 WHERE id = 1");
    await one.query("SAVEPOINT s");
    await one.query("DELETE FROM outbox WHERE id = 2");
    const before = await free();
    const waiting = other.query("UPDATE outbox SET attempts = 7 WHERE id = 2 RETURNING attempts");
    await place.wait(50);
    await one.query("ROLLBACK TO s");
    const got = (await waiting).rows;
    const after = await free();
    await one.query("COMMIT");
    one.release();
    other.release();
    return [before, got, after];
  },
};
