import type { Pool, PoolClient } from "pg";
import { expect, test } from "vitest";
import { outbox } from "../../../sim/brokers/outbox/model.ts";
import { Host } from "../../../sim/hosts/host.ts";
import { BrokerStage, pass } from "../broker-stage.ts";
import { outcomeOf } from "../observed/observation.ts";

const CLAIM = `UPDATE outbox SET leased_by = 'me', visible_at = now() + interval '5 seconds'
  WHERE id = 1 RETURNING payload`;
const READ = "SELECT payload FROM outbox ORDER BY id";

function stageWith(records: number): BrokerStage<Pool> {
  const stage = new BrokerStage(outbox());
  stage.publish(records);
  return stage as unknown as BrokerStage<Pool>;
}

function disturbance(stage: BrokerStage<Pool>, name: string) {
  const found = stage.broker.disturbances.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No disturbance "${name}"`);
  return found;
}

function countsOf({ totalCount, idleCount, waitingCount }: Pool): readonly number[] {
  return [totalCount, idleCount, waitingCount];
}

function deliveries(stage: BrokerStage<Pool>): readonly string[] {
  return stage.told("delivered", ({ ref, consumer }) => `${ref} to ${consumer}`);
}

test("a pool has ten connections, and lends them in the order in which they are asked for", async () => {
  const seen = await stageWith(1).play(async (pool) => {
    const lent: PoolClient[] = [];
    for (let n = 0; n < 10; n += 1) lent.push(await pool.connect());
    const order: string[] = [];
    const waiting = ["first", "second"].map(async (who) => {
      const client = await pool.connect();
      order.push(who);
      return client;
    });
    const query = pool.query("SELECT 1").then(() => order.push("query"));
    await Promise.resolve();
    const full = countsOf(pool);
    for (const client of lent.slice(0, 3)) client.release();
    await Promise.all([...waiting, query]);
    const after = countsOf(pool);
    return { full, order, after };
  });
  expect(seen).toEqual({
    full: [10, 0, 3],
    order: ["first", "second", "query"],
    after: [10, 1, 0],
  });
});

test("the end of a pool waits for what is lent, and closes it", async () => {
  const stage = stageWith(1);
  const seen = await stage.play(async (pool, life) => {
    const [one, other] = [await pool.connect(), await pool.connect()];
    let isEnded = false;
    const end = pool.end().then(() => (isEnded = true));
    const states: unknown[] = [await outcomeOf(() => pool.connect())];
    for (const client of [one, other]) {
      await pass(life, 5);
      states.push([isEnded, ...countsOf(pool)]);
      await client.query("SELECT 1");
      client.release();
    }
    await end;
    return [...states, [isEnded, ...countsOf(pool)]];
  });
  const message = "Cannot use a pool after calling end on the pool";
  expect(seen).toEqual([
    { name: "Error", message },
    [false, 2, 0, 0],
    [false, 1, 0, 0],
    [true, 0, 0, 0],
  ]);
});

test("what a producer has not given back is open", async () => {
  const stage = stageWith(1);
  const seen = await stage.play(async (pool) => {
    const open = (): readonly string[] => stage.links[0]?.open() ?? [];
    const states = [open()];
    const client = await pool.connect();
    states.push(open());
    await client.query("BEGIN");
    states.push(open());
    await client.query("COMMIT");
    client.release();
    await pool.query("SELECT 1");
    return [...states, open()];
  });
  expect(seen).toEqual([[], ["a connection that was not released"], ["a transaction"], []]);
});

test("a connection that was lost is not lent again", async () => {
  const stage = stageWith(1);
  const seen = await stage.play(async (pool, life) => {
    const [one, other] = [await pool.connect(), await pool.connect()];
    one.release();
    other.release();
    const before = countsOf(pool);
    disturbance(stage, "the server fails over").strike();
    await pass(life, 10);
    const { rowCount } = await pool.query("SELECT 1");
    return [before, rowCount, countsOf(pool)];
  });
  expect(seen).toEqual([[2, 2, 0], 1, [1, 1, 0]]);
});

test("of two errors, the server's first is told, and that of the connection before any other", async () => {
  const seen = await stageWith(1).play(async (pool) => {
    const sql = "SELECT DISTINCT ON (key) $1 AS key FROM outbox WHERE payload || $1 IS NULL";
    const client = await pool.connect();
    const noList = () => client.query("SELECT 1", {} as unknown as unknown[]);
    const first = [
      () => client.query(`${sql} ORDER BY id`, ["{}"]),
      () => client.query(sql, ["{}"]),
    ];
    const before = await Promise.all([...first, noList].map(outcomeOf));
    client.release(true);
    return [...before, await outcomeOf(noList)];
  });
  expect(seen).toMatchObject([
    { code: "42P10" },
    { code: "42P08" },
    { message: "Query values must be an array" },
    { message: "Client was closed and is not queryable" },
  ]);
});

test("queries take a text or an object, and listeners what there is to listen to", async () => {
  const seen = await stageWith(1).play(async (pool) => {
    const loose = pool as unknown as Record<
      "query" | "connect" | "on",
      (...args: unknown[]) => unknown
    >;
    const client = await pool.connect();
    const calls: (() => unknown)[] = [
      async () => (await pool.query<object>({ text: "SELECT $1::int AS n", values: [1] })).rows,
      async () => (await pool.query<object>({ text: "SELECT $1::int AS n" }, [2])).rows,
      async () => (await client.query<object>({ text: "SELECT $1::int AS n", values: [3] })).rows,
      async () => (await pool.query<object>("SELECT $1::int AS n")).rows,
      async () => pool.query({ name: "m", text: "SELECT $1::int AS n" }),
      () => loose.query(undefined),
      () => loose.query(null),
      () => loose.query({ values: [] }),
      () => loose.query({ text: "SELECT 1", query_timeout: 5 }),
      () => loose.on("error", () => undefined) === pool,
      () => loose.on("drain", () => undefined),
      () => client.on("error", () => undefined) === client,
      () => client.on("end", () => undefined) === client,
      () => client.on("parameterStatus" as "notice", () => undefined),
    ];
    return Promise.all(calls.map(outcomeOf));
  });
  const nothing = "Client was passed a null or undefined query";
  const unbound = 'bind message supplies 0 parameters, but prepared statement "m" requires 1';
  const noText = "A query must have either text or a name. Supplying neither is unsupported.";
  const refused = (what: string) => ({
    name: "NotModelled",
    message: `Not modelled: ${what}; see brokers.outbox`,
  });
  expect(seen).toEqual([
    [{ n: 1 }],
    [{ n: 2 }],
    [{ n: 3 }],
    { name: "error", message: "there is no parameter $1", code: "42P02" },
    { name: "error", message: unbound, code: "08P01" },
    ...[nothing, nothing].map((message) => ({ name: "TypeError", message })),
    { name: "Error", message: noText },
    refused("query() with query_timeout"),
    true,
    refused('Pool.on("drain")'),
    true,
    true,
    refused('PoolClient.on("parameterStatus")'),
  ]);
});

test("what breaks a lent connection is thrown where nobody listens, that of an idle one is not", async () => {
  const stage = stageWith(1);
  const seen = await stage.play(async (pool, life) => {
    const [idle, heard] = [await pool.connect(), await pool.connect()];
    const errors: string[] = [];
    heard.on("error", ({ message }) => void errors.push(message));
    idle.release();
    disturbance(stage, "the server fails over").strike();
    await pass(life, 10);
    return [errors, life.alive, countsOf(pool)];
  });
  const terminated = "terminating connection due to administrator command";
  expect(seen).toEqual([[terminated, "Connection terminated unexpectedly"], true, [1, 0, 0]]);
  const other = stageWith(1);
  void other
    .play(async (pool, life) => {
      await pool.connect();
      disturbance(other, "the server fails over").strike();
      await pass(life, 10);
      return [];
    })
    .catch(() => undefined);
  await other.world.run(1_000);
  expect(other.told("uncaught", ({ error }) => error)).toEqual([`error: ${terminated}`]);
});

test("a connection that cannot be made is refused, and nobody is told that it was lost", async () => {
  const stage = stageWith(1);
  const seen = await stage.play(async (pool, life) => {
    stage.network.host("broker")?.crash(1_000);
    const client = await pool.connect();
    const facts = async (call: () => Promise<unknown>): Promise<unknown> => {
      const error = await call().then(
        () => ({}),
        (reason: object) => reason,
      );
      const { message, code, syscall } = error as Record<string, unknown>;
      return [message, code, syscall, error.constructor.name];
    };
    const told = [
      await facts(() => pool.query("SELECT 1")),
      await facts(() => client.query("BEGIN")),
    ];
    client.release(true);
    await pass(life, 2_000);
    const { rows } = await pool.query("SELECT 1 AS one");
    return [...told, life.alive, rows];
  });
  const refusal = ["connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED", "connect", "Error"];
  expect(seen).toEqual([refusal, refusal, true, [{ one: 1 }]]);
});

test("what a connection is given back with is told as it was given", async () => {
  const seen = await stageWith(1).play(async (pool) => {
    const told: unknown[] = [];
    pool.on("release", (given: unknown) => void told.push(given));
    await pool.query("SELECT 1");
    for (const given of [undefined, false, true]) (await pool.connect()).release(given);
    return told;
  });
  expect(seen).toEqual([null, undefined, false, true]);
});

test("a statement that waits while its connection ends is refused, and then the client hears of it", async () => {
  const stage = stageWith(1);
  const seen = await stage.play(async (pool, life) => {
    const [holder, client] = [await pool.connect(), await pool.connect()];
    holder.on("error", () => undefined);
    await holder.query("BEGIN");
    await holder.query("SELECT id FROM outbox FOR UPDATE");
    const heard: string[] = [];
    client.on("error", ({ message }) => void heard.push(message));
    client.on("end", () => void heard.push("end"));
    const waiting = outcomeOf(() => client.query("SELECT id FROM outbox FOR UPDATE"));
    await pass(life, 50);
    disturbance(stage, "the server fails over").strike();
    const said = await waiting;
    const before = heard.length;
    await pass(life, 50);
    return [said, before, heard];
  });
  const message = "terminating connection due to administrator command";
  expect(seen).toEqual([
    { name: "error", message, code: "57P01" },
    0,
    ["Connection terminated unexpectedly", "end"],
  ]);
});

test("a row that is read again before it is claimed is delivered once", async () => {
  const stage = stageWith(2);
  await stage.play(async (pool) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query(READ);
    await client.query(READ);
    await client.query(CLAIM);
    await client.query(READ);
    await client.query("COMMIT");
    await client.query(READ);
    client.release();
  });
  expect(deliveries(stage)).toEqual([
    "ref-000001 to client-1/1",
    "ref-000002 to client-1/1",
    "ref-000002 to client-1/1",
  ]);
  expect(stage.told("settle", ({ act }) => act)).toEqual([]);
});

test("a row of nobody's records is not told of", async () => {
  const stage = stageWith(0);
  await stage.play(async (pool) => {
    await pool.query("INSERT INTO outbox (key, payload) VALUES ('k', '{}') RETURNING payload");
    await pool.query(CLAIM);
    await pool.query("DELETE FROM outbox");
  });
  const kinds = stage.world.trace.events().map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind !== "host")).toEqual([]);
});

test("a row that is claimed at the instant at which its lease ends has lapsed before", async () => {
  const stage = stageWith(1);
  await stage.play(async (pool, life) => {
    await pool.query(CLAIM);
    const { rows } = await pool.query<{ at: Date }>("SELECT visible_at AS at FROM outbox");
    const until = (rows[0]?.at.getTime() ?? 0) - stage.world.epochMs;
    const due = "UPDATE outbox SET visible_at = now() + interval '9 s' WHERE visible_at <= now()";
    await pass(life, until - stage.world.now - 2);
    for (let ms = 0; ms < 4; ms += 1) {
      const { rowCount } = await pool.query(due);
      if (rowCount === 1) break;
    }
  });
  const kinds = stage.world.trace.events().map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "lapsed" || kind === "settle")).toEqual(["lapsed"]);
});

test("a rival holds three rows until it has settled one of them, or is calmed down", async () => {
  const stage = stageWith(4);
  const free = "SELECT id FROM outbox WHERE visible_at <= now() AND leased_by IS NULL";
  const counts = await stage.play(async (pool, life) => {
    const count = async () => (await pool.query(free)).rowCount;
    const rival = disturbance(stage, "a rival claims rows");
    rival.strike();
    const seen = [await count()];
    await pass(life, 3_900);
    seen.push(await count());
    await pass(life, 200);
    seen.push(await count());
    rival.strike();
    seen.push(await count());
    stage.broker.calmDown();
    return [...seen, await count()];
  });
  expect(counts).toEqual([1, 1, 3, 0, 3]);
  expect(deliveries(stage).slice(0, 3)).toEqual([1, 2, 3].map((n) => `ref-00000${n} to rival`));
});

test("an operator frees all rows but those that somebody has locked", async () => {
  const stage = stageWith(2);
  const seen = await stage.play(async (pool) => {
    await pool.query("UPDATE outbox SET leased_by = 'me', visible_at = now() + interval '1 hour'");
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT id FROM outbox WHERE id = 1 FOR UPDATE");
    disturbance(stage, "an operator frees all rows").strike();
    await client.query("COMMIT");
    client.release();
    const sql = "SELECT id, leased_by, visible_at <= now() AS free FROM outbox ORDER BY id";
    return (await pool.query<object>(sql)).rows;
  });
  expect(seen).toEqual([
    { id: "1", leased_by: "me", free: false },
    { id: "2", leased_by: null, free: true },
  ]);
});

test("what was not committed is lost with the server, and with the client's process", async () => {
  const stage = stageWith(1);
  const server = new Host(stage.world, stage.network, "other", () => undefined);
  server.start();
  const counts: unknown[] = [];
  const lock = "SELECT id FROM outbox FOR UPDATE SKIP LOCKED";
  await stage.play(async (pool, life) => {
    const client = await pool.connect();
    client.on("error", () => undefined);
    await client.query("BEGIN");
    await client.query("DELETE FROM outbox");
    server.crash(1);
    await pass(life, 10);
    counts.push((await pool.query(lock)).rowCount);
    stage.network.host("broker")?.crash(1);
    await pass(life, 10);
    counts.push((await pool.query(lock)).rowCount);
    const again = await pool.connect();
    await again.query("BEGIN");
    await again.query(lock);
    counts.push((await pool.query(lock)).rowCount);
  });
  stage.network.host("client-1")?.crash();
  await stage.play(async (pool) => counts.push((await pool.query(lock)).rowCount));
  expect(counts).toEqual([0, 1, 0, 1]);
});
