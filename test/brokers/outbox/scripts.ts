import type { Pool, PoolClient } from "pg";
import { DIALECT_SCRIPTS } from "./dialect-scripts.ts";
import { ESTIMATE_SCRIPTS } from "./estimate-scripts.ts";
import { LOCK_SCRIPTS } from "./lock-scripts.ts";
import { ORDER_SCRIPTS } from "./order-scripts.ts";
import { POOL_SCRIPTS } from "./pool-scripts.ts";
import { RESULT_SCRIPTS } from "./result-scripts.ts";
import type { Script } from "./script.ts";
import { SQL_SCRIPTS } from "./sql-scripts.ts";
import { STATEMENT_SCRIPTS } from "./statement-scripts.ts";
import { SUBQUERY_SCRIPTS } from "./subquery-scripts.ts";
import { TOLD_SCRIPTS } from "./told-scripts.ts";
import { TYPED_SCRIPTS } from "./typed-scripts.ts";
import { WITH_SCRIPTS } from "./with-scripts.ts";

const CLAIM = `
  UPDATE outbox SET leased_by = $1, visible_at = now() + $2::interval, attempts = attempts + 1
  WHERE id IN (
    SELECT id FROM outbox WHERE visible_at <= now() ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  RETURNING id, attempts, leased_by`;
const LOCK = "SELECT id FROM outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED";

interface Claimed {
  readonly id: string;
  readonly attempts: number;
  readonly leased_by: string | null;
}

/** An update returns its rows in no order. */
async function claim(pool: Pool, by: string, lease: string, limit: number): Promise<Claimed[]> {
  const { rows } = await pool.query<Claimed>(CLAIM, [by, lease, limit]);
  return rows.toSorted((a, b) => Number(a.id) - Number(b.id));
}

async function idsOf(result: Promise<{ readonly rows: readonly { id: string }[] }>) {
  return (await result).rows.map(({ id }) => id);
}

/** What an error says to code that catches it. */
async function refused(attempt: Promise<unknown>): Promise<unknown> {
  try {
    await attempt;
    return "accepted";
  } catch (error) {
    const { name, message, code, severity } = error as Error & Record<string, unknown>;
    return { name, message, code, severity, isError: error instanceof Error };
  }
}

async function withTwo<T>(
  pool: Pool,
  play: (one: PoolClient, other: PoolClient) => Promise<T>,
): Promise<T> {
  const [one, other] = [await pool.connect(), await pool.connect()];
  try {
    return await play(one, other);
  } finally {
    one.release();
    other.release();
  }
}

/** Each begins with empty tables. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  "a row and its types": async ({ pool, publish }) => {
    await publish(1);
    const { rows, rowCount, command, fields } = await pool.query("SELECT * FROM outbox");
    const [row] = rows as [Record<string, unknown>];
    const { created_at: createdAt, visible_at: visibleAt, ...rest } = row;
    return [
      rest,
      [createdAt, visibleAt].map((one) => one instanceof Date),
      [rowCount, command],
      fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
    ];
  },
  "rows are claimed in order, and by one only": async ({ pool, publish }) => {
    await publish(5);
    return [
      await claim(pool, "a", "30 seconds", 2),
      await claim(pool, "b", "30 seconds", 2),
      await claim(pool, "a", "30 seconds", 2),
      await claim(pool, "b", "30 seconds", 2),
    ];
  },
  "concurrent claims share the rows": async ({ pool, publish }) => {
    await publish(6);
    const all = await Promise.all(["a", "b", "c"].map((by) => claim(pool, by, "30 seconds", 2)));
    const ids = all.flat().map(({ id }) => Number(id));
    return [all.map((one) => one.length), ids.toSorted((a, b) => a - b)];
  },
  "locked rows are skipped, and are free after a rollback": async ({ pool, publish }) => {
    await publish(5);
    return withTwo(pool, async (one, other) => {
      const seen: unknown[] = [];
      await one.query("BEGIN");
      seen.push(await idsOf(one.query(LOCK, [2])));
      await other.query("BEGIN");
      seen.push(await idsOf(other.query(LOCK, [2])));
      seen.push(await idsOf(one.query(LOCK, [5])));
      seen.push((await one.query("ROLLBACK")).command);
      seen.push(await idsOf(other.query(LOCK, [5])));
      seen.push((await other.query("COMMIT")).command);
      return seen;
    });
  },
  "the lock of a statement without a transaction ends with it": async ({ pool, publish }) => {
    await publish(2);
    return [await idsOf(pool.query(LOCK, [2])), await idsOf(pool.query(LOCK, [2]))];
  },
  "NOWAIT is refused, and the transaction has failed": async ({ pool, publish }) => {
    await publish(1);
    return withTwo(pool, async (one, other) => {
      await one.query("BEGIN");
      await one.query(LOCK, [1]);
      await other.query("BEGIN");
      const nowait = "SELECT id FROM outbox FOR UPDATE NOWAIT";
      return [
        await refused(other.query(nowait)),
        await refused(other.query("SELECT 1")),
        (await other.query("COMMIT")).command,
        (await one.query("ROLLBACK")).command,
      ];
    });
  },
  "an update waits for the row, and sees what was committed": async ({ pool, publish, wait }) => {
    await publish(1);
    return withTwo(pool, async (one, other) => {
      const seen: unknown[] = [];
      const raise = "UPDATE outbox SET attempts = attempts + 1 WHERE id = 1 RETURNING attempts";
      await one.query("BEGIN");
      seen.push((await one.query(raise)).rows);
      const waiting = other.query(raise).then(({ rows }) => seen.push("other", rows));
      await wait(50);
      seen.push((await pool.query("SELECT attempts FROM outbox")).rows);
      await one.query("COMMIT");
      await waiting;
      return seen;
    });
  },
  "an update waits for a delete, and finds nothing": async ({ pool, publish, wait }) => {
    await publish(2);
    return withTwo(pool, async (one, other) => {
      await one.query("BEGIN");
      const gone = await one.query("DELETE FROM outbox WHERE id = 1 RETURNING id, key");
      const waiting = other.query("UPDATE outbox SET leased_by = 'b' WHERE id <= 2");
      await wait(50);
      await one.query("COMMIT");
      return [gone.rows, gone.rowCount, (await waiting).rowCount];
    });
  },
  "of two that wait for each other one is refused": async ({ pool, publish, wait }) => {
    await publish(2);
    return withTwo(pool, async (one, other) => {
      const touch = "UPDATE outbox SET leased_by = 'me' WHERE id = $1";
      await one.query("BEGIN");
      await other.query("BEGIN");
      await one.query(touch, [1]);
      await other.query(touch, [2]);
      const ends = [refused(one.query(touch, [2]))];
      await wait(100);
      ends.push(refused(other.query(touch, [1])));
      // Whoever was refused has to end its transaction before the other one gets on.
      const first = await Promise.race(ends);
      await Promise.all([one, other].map((each) => refused(each.query("ROLLBACK"))));
      await Promise.all(ends);
      const { name, message, code } = first as Record<string, unknown>;
      return [name, message, code];
    });
  },
  "a lease ends, and an old claim settles nothing": async ({ pool, publish, wait }) => {
    await publish(1);
    const [first] = await claim(pool, "a", "300 milliseconds", 1);
    const meanwhile = await claim(pool, "b", "30 seconds", 1);
    await wait(400);
    const [second] = await claim(pool, "a", "30 seconds", 1);
    const settle = "DELETE FROM outbox WHERE id = $1 AND attempts = $2 AND leased_by = $3";
    const counts: unknown[] = [];
    for (const one of [first, second, second]) {
      const { rowCount } = await pool.query(settle, [one?.id, one?.attempts, one?.leased_by]);
      counts.push(rowCount);
    }
    return [first, meanwhile, second, counts];
  },
  "a row that is given back comes again after its time": async ({ pool, publish, wait }) => {
    await publish(2);
    await claim(pool, "a", "30 seconds", 1);
    const free = `UPDATE outbox SET leased_by = NULL,
      visible_at = now() + make_interval(secs => $2) WHERE id = $1`;
    await pool.query(free, [1, 0.3]);
    const early = await claim(pool, "b", "30 seconds", 5);
    await wait(400);
    return [early, await claim(pool, "b", "30 seconds", 5)];
  },
  "a dead letter and its row in one transaction": async ({ pool, publish }) => {
    await publish(2);
    const bury = `INSERT INTO outbox_dead (id, key, payload, reason)
      SELECT id, key, payload, $2 FROM outbox WHERE id = $1 ON CONFLICT (id) DO NOTHING`;
    const counts = "SELECT count(*) FROM outbox_dead";
    const client = await pool.connect();
    const seen: unknown[] = [];
    for (const end of ["ROLLBACK", "COMMIT"]) {
      await client.query("BEGIN");
      seen.push((await client.query(bury, ["1", "rejected"])).rowCount);
      seen.push((await client.query("DELETE FROM outbox WHERE id = $1", [1])).rowCount);
      seen.push((await pool.query(counts)).rows, (await client.query(counts)).rows);
      await client.query(end);
      seen.push((await pool.query(counts)).rows);
      seen.push(await idsOf(pool.query("SELECT id FROM outbox ORDER BY id")));
    }
    client.release();
    const again = "INSERT INTO outbox_dead (id, key, payload) VALUES ($1, $2, $3)";
    const payload = { ref: "ref-000001" };
    seen.push(await refused(pool.query(again, [1, "key-1", payload])));
    seen.push(
      (await pool.query(`${again} ON CONFLICT DO NOTHING`, [1, "key-1", payload])).rowCount,
    );
    seen.push((await pool.query("SELECT id, payload, reason FROM outbox_dead")).rows);
    return seen;
  },
  "conditions, lists and nothing": async ({ pool, publish }) => {
    await publish(4);
    await pool.query("UPDATE outbox SET leased_by = $1 WHERE id = ANY($2::bigint[])", [
      "a",
      [1, 3],
    ]);
    const found: unknown[] = [];
    for (const where of [
      "leased_by = 'a'",
      "leased_by <> 'a'",
      "leased_by IS NULL AND NOT id = 2",
      "leased_by IS NOT NULL OR id > 3",
      "id IN (1, 2, 9)",
      "id NOT IN (1, NULL)",
      "leased_by IN ('a', NULL)",
      "visible_at > now() - interval '1 hour' AND visible_at <= clock_timestamp()",
      "attempts * 2 + 1 >= id - 2",
    ]) {
      found.push(await idsOf(pool.query(`SELECT id FROM outbox WHERE ${where} ORDER BY id DESC`)));
    }
    return found;
  },
  "what a server refuses": async ({ pool, publish }) => {
    await publish(1);
    const said: unknown[] = [];
    for (const [sql, params] of [
      ["SELECT id FROM nothing", []],
      ["SELECT nothing FROM outbox", []],
      ["UPDATE outbox SET nothing = 1", []],
      ["UPDATE outbox SET key = NULL", []],
      ["SELECT id FROM outbox WHERE id = $1", ["one"]],
      ["SELECT id FROM outbox WHERE key = 1", []],
      ["INSERT INTO outbox (key, payload) VALUES ($1, $2)", ["key-1", "{no json"]],
      ["INSERT INTO outbox (key) VALUES ($1)", ["key-1"]],
      ["UPDATE outbox SET visible_at = now() + $1::interval", ["soon"]],
    ] as const) {
      said.push(await refused(pool.query(sql, [...params])));
    }
    return said;
  },
  "now() is when the transaction began": async ({ pool, wait }) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    const times: (readonly Date[])[] = [];
    for (let nth = 0; nth < 2; nth += 1) {
      const sql = "SELECT now() AS begun, clock_timestamp() AS present";
      const { rows } = await client.query<{ begun: Date; present: Date }>(sql);
      times.push(rows.flatMap(({ begun, present }) => [begun, present]));
      await wait(50);
    }
    await client.query("COMMIT");
    client.release();
    const [first = [], second = []] = times;
    return [Number(first[0]) === Number(second[0]), Number(first[1]) < Number(second[1])];
  },
  "a pool counts, and ends": async ({ pool }) => {
    const seen: unknown[] = [];
    const count = (): void => {
      seen.push([pool.totalCount, pool.idleCount, pool.waitingCount]);
    };
    count();
    const client = await pool.connect();
    count();
    await pool.query("SELECT 1 AS one");
    count();
    client.release();
    count();
    try {
      client.release();
    } catch (error) {
      seen.push(String(error));
    }
    const other = await pool.connect();
    other.release(true);
    count();
    await pool.end();
    seen.push(await refused(pool.query("SELECT 1")), await refused(pool.end()));
    return seen;
  },
  "statements that return no rows, and how many they were about": async ({ pool, publish }) => {
    await publish(3);
    const seen: unknown[] = [];
    for (const sql of [
      "DELETE FROM outbox WHERE id = 1",
      "UPDATE outbox SET attempts = 1 WHERE id = 99",
      "INSERT INTO outbox_dead (id, key, payload) SELECT id, key, payload FROM outbox",
    ]) {
      const { command, rowCount, rows, fields } = await pool.query(sql);
      seen.push([command, rowCount, rows, fields]);
    }
    return seen;
  },
  "parameters of which there are too many, too few, or of a wrong type": async ({ pool }) => [
    await refused(pool.query("SELECT id FROM outbox", [1])),
    await refused(pool.query("SELECT id FROM outbox WHERE id = $1", [])),
    await refused(pool.query("SELECT id FROM outbox WHERE id = $1 AND key = $2", [1])),
    await refused(pool.query("SELECT id FROM outbox WHERE id = $1", ["abc"])),
    await refused(pool.query("DELETE FROM outbox WHERE attempts = $1", ["x"])),
    await refused(pool.query("SELECT id FROM outbox WHERE id = $1", [1n])),
  ],
  "a list is sent as an array, and jsonb takes none": async ({ pool }) => {
    const sql = "INSERT INTO outbox_dead (id, key, payload) VALUES ($1, 'key-1', $2)";
    const seen = [
      await refused(pool.query(sql, [1, [1, { a: 'say "hi"' }, null]])),
      await refused(pool.query(sql, [2, JSON.stringify([1, 2])])),
      await refused(pool.query(sql, [3, []])),
      await refused(pool.query(sql, [4, { list: [1, [2]] }])),
    ];
    const { rows } = await pool.query("SELECT id, payload FROM outbox_dead ORDER BY id");
    return [seen, rows];
  },
  "what an error is about": async ({ pool }) => {
    const sql = "INSERT INTO outbox_dead (id, key, payload) VALUES ($1, 'key-1', $2)";
    const about = async (params: readonly unknown[]): Promise<unknown> => {
      try {
        return (await pool.query(sql, [...params])).rowCount;
      } catch (error) {
        const { code, table, column, constraint } = error as Record<string, unknown>;
        return [code, table, column, constraint];
      }
    };
    return [await about([1, "{}"]), await about([1, "{}"]), await about([2, null])];
  },
  ...SQL_SCRIPTS,
  ...DIALECT_SCRIPTS,
  ...ESTIMATE_SCRIPTS,
  ...WITH_SCRIPTS,
  ...LOCK_SCRIPTS,
  ...ORDER_SCRIPTS,
  ...RESULT_SCRIPTS,
  ...STATEMENT_SCRIPTS,
  ...TYPED_SCRIPTS,
  ...SUBQUERY_SCRIPTS,
  ...POOL_SCRIPTS,
  ...TOLD_SCRIPTS,
};
