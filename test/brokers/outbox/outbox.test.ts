import type { Pool } from "pg";
import { expect, test } from "vitest";
import { outbox } from "../../../sim/brokers/outbox/model.ts";
import { BrokerStage, pass } from "../broker-stage.ts";

const CLAIM = `UPDATE outbox SET leased_by = 'me', visible_at = now() + interval '5 seconds'
  WHERE id = 1 RETURNING payload`;

function stageWith(records: number): BrokerStage<Pool> {
  const stage = new BrokerStage(outbox());
  stage.publish(records);
  return stage as unknown as BrokerStage<Pool>;
}

function disturb(stage: BrokerStage<Pool>, name: string): void {
  const found = stage.broker.disturbances.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No disturbance "${name}"`);
  found.strike();
}

function messageOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => "accepted",
    (error: unknown) => String(error),
  );
}

test.each([
  ["WITH RECURSIVE due AS (SELECT 1) SELECT 1", "WITH RECURSIVE"],
  [
    "WITH a AS (DELETE FROM outbox) SELECT id FROM outbox FOR UPDATE",
    "locking rows of a table that",
  ],
  ["WITH a AS (SELECT id FROM outbox) SELECT id FROM a FOR UPDATE", "FOR UPDATE of a part"],
  ["WITH a AS (SELECT id FROM outbox) DELETE FROM a", "a change of a part of WITH"],
  ["SET work_mem = 1", "SET work_mem"],
  ["SELECT outbox.xmin FROM outbox", "the system column xmin"],
  ["SELECT ctid FROM outbox", "the system column ctid"],
  ["INSERT INTO outbox (key, payload) VALUES ('k' || DEFAULT, '{}')", "DEFAULT as a value"],
  ["UPDATE outbox SET id = DEFAULT", "an UPDATE to the next number"],
  ["SELECT id FROM other.outbox", "the statement"],
  ["SELECT NULLIF('5', 5)", "NULLIF of a text"],
  ["SELECT DISTINCT * FROM outbox", "DISTINCT of all columns"],
  ["SELECT DISTINCT key FROM outbox ORDER BY id", "an order of DISTINCT"],
  ["SET search_path TO other", "SET search_path"],
  ["SET timezone TO 'Europe/Berlin'", "SET timezone"],
  ["BEGIN READ ONLY", "the statement"],
  ["COMMIT READ WRITE", "the statement"],
  ["SELECT id FROM outbox WHERE id = '9007199254740993'", "a bigint beyond 2^53"],
  ["SELECT id FROM outbox ORDER BY payload", "an order of jsonb"],
  ["SELECT o.id FROM outbox o JOIN outbox_dead d ON true", "a join"],
  ["SELECT id FROM outbox, outbox_dead", "a join"],
  ["UPDATE outbox SET key = 'k' FROM outbox_dead d JOIN outbox o ON true", "a join"],
  ["SELECT upper(key) FROM outbox", "the function upper()"],
  ["SELECT 1.5 * attempts FROM outbox", "a result of type numeric"],
  ["BEGIN ISOLATION LEVEL SERIALIZABLE", "the statement"],
  ["SELECT id FROM outbox; SELECT 1", "the statement"],
  ["SELECT id ~ 1", "SQL at"],
])("%s is refused by name", async (sql, what) => {
  const stage = stageWith(1);
  const said = await stage.play((pool) => messageOf(pool.query(sql)));
  expect(said).toContain(`NotModelled: Not modelled: ${what}`);
  expect(said).toMatch(/; see brokers\.outbox$/);
});

test("a claim is a delivery, a renewal extends it, and the end of the lease is a lapse", async () => {
  const stage = stageWith(1);
  await stage.play(async (pool, life) => {
    await pool.query(CLAIM);
    await pass(life, 4_000);
    await pool.query("UPDATE outbox SET visible_at = now() + interval '5 seconds'");
    await pass(life, 6_000);
    await pool.query(CLAIM);
    await pool.query("UPDATE outbox SET leased_by = NULL, visible_at = now()");
    await pool.query(CLAIM);
    await pool.query("DELETE FROM outbox");
  });
  expect(stage.told("delivered", ({ ref }) => ref)).toHaveLength(3);
  expect(stage.told("settle", ({ act, handle }) => `${act} ${handle}`)).toEqual([
    "extend ref-000001.1",
    "nack ref-000001.2",
    "ack ref-000001.3",
  ]);
  expect(stage.told("lapsed", ({ at }) => String(Math.round(at / 1_000)))).toEqual(["9"]);
  expect(stage.told("settled", ({ ref }) => ref)).toEqual(["ref-000001"]);
});

test("nothing of a transaction that is rolled back is told, and what it had is free", async () => {
  const stage = stageWith(1);
  const left = await stage.play(async (pool) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query(
      "INSERT INTO outbox_dead (id, key, payload) SELECT id, key, payload FROM outbox",
    );
    await client.query("DELETE FROM outbox");
    await client.query("ROLLBACK");
    client.release();
    const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM outbox_dead");
    return rows;
  });
  expect(left).toEqual([{ count: "0" }]);
  expect(stage.told("settled", ({ ref }) => ref)).toEqual([]);
  expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual([]);
});

test("a dead letter is told before the row that it was is settled", async () => {
  const stage = stageWith(1);
  await stage.play(async (pool) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    const { rows } = await client.query("DELETE FROM outbox RETURNING id, key, payload");
    const values = Object.values(rows[0] as Record<string, unknown>);
    await client.query("INSERT INTO outbox_dead (id, key, payload) VALUES ($1, $2, $3)", values);
    await client.query("COMMIT");
    client.release();
  });
  const kinds = stage.world.trace.events().map(({ kind }) => kind);
  expect(kinds.indexOf("dead-lettered")).toBeGreaterThan(-1);
  expect(kinds.indexOf("dead-lettered")).toBeLessThan(kinds.indexOf("settled"));
});

test("a fail-over ends connections and their transactions", async () => {
  const stage = stageWith(1);
  const said = await stage.play(async (pool) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query("DELETE FROM outbox");
    disturb(stage, "the server fails over");
    const first = await messageOf(client.query("COMMIT"));
    const second = await messageOf(client.query("COMMIT"));
    client.release(true);
    return [first, second, (await pool.query("SELECT count(*) FROM outbox")).rows];
  });
  expect(said).toEqual([
    "error: terminating connection due to administrator command",
    "Error: Client has encountered a connection error and is not queryable",
    [{ count: "1" }],
  ]);
});

test("a lost reply ends the connection, and the server rolls its transaction back", async () => {
  const stage = stageWith(1);
  stage.strike("broker.settle", { kind: "fail", when: "after" });
  const said = await stage.play(async (pool, life) => {
    const client = await pool.connect();
    client.on("error", () => undefined);
    await client.query("BEGIN");
    const lost = await messageOf(client.query("DELETE FROM outbox"));
    await pass(life, 10);
    const { rows } = await pool.query("SELECT id FROM outbox FOR UPDATE SKIP LOCKED");
    client.release(new Error("It is broken"));
    return [lost, rows, stage.links[0]?.open()];
  });
  expect(said).toEqual(["Error: Connection terminated unexpectedly", [{ id: "1" }], []]);
});

test("a full table for dead letters is an error of the server, not of the outbox", async () => {
  const stage = stageWith(1);
  const said = await stage.play(async (pool) => {
    disturb(stage, "the table for dead letters is full");
    const sql = "INSERT INTO outbox_dead (id, key, payload) VALUES (1, 'key-1', '{}')";
    const during = await pool.query(sql).catch(({ code }: { readonly code: string }) => code);
    stage.broker.calmDown();
    return [during, (await pool.query(sql)).rowCount, (await pool.query(CLAIM)).rowCount];
  });
  expect(said).toEqual(["53100", 1, 1]);
});

test("a date is a parameter like any other", async () => {
  const stage = stageWith(1);
  const counts = await stage.play(async (pool) => {
    const due = async (at: Date): Promise<number | null> =>
      (await pool.query("SELECT id FROM outbox WHERE visible_at <= $1", [at])).rowCount;
    const { rows } = await pool.query<{ visible_at: Date }>("SELECT visible_at FROM outbox");
    const at = rows[0]?.visible_at.getTime() ?? 0;
    return [await due(new Date(at - 1)), await due(new Date(at)), await due(new Date(at + 1))];
  });
  expect(counts).toEqual([0, 1, 1]);
});

test.each([
  ["broker.fetch", "WITH due AS (SELECT id FROM outbox) SELECT id FROM due"],
  ["broker.settle", "WITH gone AS (DELETE FROM outbox RETURNING id) SELECT id FROM gone"],
] as const)("a fault at %s strikes %s", async (site, sql) => {
  const stage = stageWith(1);
  stage.strike(site, { kind: "fail", when: "before" });
  const said = await stage.play((pool) => messageOf(pool.query(sql)));
  expect(said).toBe("Error: Connection terminated unexpectedly");
});

test("a subquery is named after what it selects", async () => {
  const stage = stageWith(1);
  const { rows } = await stage.play((pool) => pool.query("SELECT (SELECT key FROM outbox), 1"));
  expect(rows).toEqual([{ key: "key-1", "?column?": 1 }]);
});

test("a rival counts its claims, so that an older one cannot settle what it has", async () => {
  const stage = stageWith(1);
  const [counted, ...rows] = await stage.play(async (pool) => {
    const claimed = await pool.query(`${CLAIM}, attempts`);
    disturb(stage, "an operator frees all rows");
    disturb(stage, "a rival claims rows");
    const later = await pool.query("SELECT attempts FROM outbox WHERE leased_by = 'rival'");
    const deleted = await pool.query("DELETE FROM outbox WHERE attempts = $1", [0]);
    return [claimed.rows, later.rows, deleted.rowCount];
  });
  expect(counted).toMatchObject([{ attempts: 0 }]);
  expect(rows).toEqual([[{ attempts: 1 }], 0]);
});

test("a rival leaves what it has claimed where somebody has locked it", async () => {
  const stage = stageWith(1);
  const owners = await stage.play(async (pool, life) => {
    disturb(stage, "a rival claims rows");
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT id FROM outbox FOR UPDATE");
    await pass(life, 6_000);
    await client.query("COMMIT");
    client.release();
    const read = async (): Promise<unknown> =>
      (await pool.query("SELECT leased_by FROM outbox")).rows[0];
    const before = await read();
    stage.broker.disturbances.find(({ name }) => name === "a rival claims rows")?.end?.();
    return [before, await read()];
  });
  expect(owners).toEqual([{ leased_by: "rival" }, { leased_by: null }]);
});
