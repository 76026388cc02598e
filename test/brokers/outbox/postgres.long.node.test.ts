import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Client, Pool } from "pg";
import { createProducer } from "../../../scenarios/producers/outbox.ts";
import { OutboxServer } from "../../../sim/brokers/outbox/outbox-server.ts";
import { CalmChoices } from "../../../sim/choices/choices.ts";
import { World } from "../../../sim/kernel/world.ts";
import { AdvanceOutcome } from "../../../src/mod.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnServer, startPostgres } from "../../contracts/postgres-server.ts";
import { assertDrawn } from "../drawn/drawn.ts";
import { CALLS, scriptOf } from "./drawn.ts";
import { FACE_STEPS, scriptOfFace } from "./drawn-face.ts";
import { EXPRESSIONS, scriptOfExpressions } from "./drawn-expressions.ts";
import { scriptOfStatements, STATEMENTS } from "./drawn-statements.ts";
import { expressionGroups } from "./expression-groups.ts";
import { playOnModel } from "./play-on-model.ts";
import type { Script } from "./script.ts";
import { SCRIPTS } from "./scripts.ts";

/** In the environment: how many are drawn, which, and how many are played at a time. */
const SEQUENCES = Number(process.env["SEQUENCES"] ?? 40);
const OF_STATEMENTS = Number(process.env["SEQUENCES"] ?? 300);
const SEED = Number(process.env["SEED"] ?? 1);
const LANES = Number(process.env["LANES"] ?? 4);
const RECORDS = 24;
const KILLED_AT = 8;
const REJECTED = "ref-000008";
const FAILED = "ref-000005";

/** The rows, or what is said of the error. */
async function outcomeOf(
  run: () => { rows: unknown } | Promise<{ rows: unknown }>,
): Promise<string> {
  try {
    return JSON.stringify((await run()).rows);
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    return `${code}: ${message}`;
  }
}

/** Each lane has tables of its own; the first has those without a schema. */
function schemaOf(lane: number): string {
  return lane === 0 ? "public" : `lane_${lane}`;
}

/** The tables, as the model's own page describes them. */
const page = readFileSync(new URL("../../../sim/brokers/outbox/model.ts", import.meta.url), "utf8");
const TABLES = (/```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? "").replaceAll(/^ \* ?/gm, "");

describeOnServer("PostgreSQL and the model of an outbox", await startPostgres(), (server) => {
  beforeAll(async () => {
    const pool = new Pool({ connectionString: server.url });
    await pool.query(TABLES);
    for (let lane = 1; lane < LANES; lane += 1) {
      const schema = schemaOf(lane);
      await pool.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}; ${TABLES}`);
      await pool.query("RESET search_path");
    }
    await pool.end();
  });
  afterAll(() => server.stop());

  async function playOnServer(script: Script, lane = 0): Promise<readonly unknown[]> {
    const settings = { connectionString: server.url, options: `-c search_path=${schemaOf(lane)}` };
    const application = `script of lane ${lane}`;
    const pool = new Pool({ ...settings, application_name: application });
    const tables = new Pool(settings);
    // A connection that is just being closed may see the server stop.
    for (const one of [pool, tables]) one.on("error", () => undefined);
    try {
      await tables.query("TRUNCATE outbox, outbox_dead RESTART IDENTITY");
      const publish = async (count: number): Promise<void> => {
        for (let n = 1; n <= count; n += 1) {
          const payload = { ref: `ref-${String(n).padStart(6, "0")}`, key: "key-1" };
          const sql = "INSERT INTO outbox (key, payload) VALUES ($1, $2)";
          await tables.query(sql, [payload.key, payload]);
        }
      };
      const failOver = async (): Promise<void> => {
        const ending = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = $1`;
        // Who waits for a lock would get it from the one that holds it, were that to end first.
        await tables.query(`${ending} AND wait_event_type = 'Lock'`, [application]);
        await wait(50);
        await tables.query(ending, [application]);
      };
      return await script({ pool, publish, failOver, wait: (ms) => wait(ms) });
    } finally {
      await tables.end();
      if (!pool.ending) await pool.end();
    }
  }

  test("the producer of scenarios/producers loses nothing when the server is killed", async () => {
    const pool = new Pool({ connectionString: server.url });
    pool.on("error", () => undefined);
    await pool.query("TRUNCATE outbox, outbox_dead RESTART IDENTITY");
    for (let n = 1; n <= RECORDS; n += 1) {
      const payload = { ref: `ref-${String(n).padStart(6, "0")}` };
      await pool.query("INSERT INTO outbox (key, payload) VALUES ($1, $2)", ["key-1", payload]);
    }
    const producer = createProducer({ client: pool });
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const [raw, claim] of producer.openStream(ending.signal)) {
      const { ref } = raw as { readonly ref: string };
      const isFirst = !seen.includes(ref);
      seen.push(ref);
      if (seen.length === KILLED_AT) await server.crashAndRestart();
      const acked = new AdvanceOutcome(1, 0);
      const failed = new AdvanceOutcome(0, 1);
      const rejected = new AdvanceOutcome(0, 0, 1);
      const outcome = ref === REJECTED ? rejected : ref === FAILED && isFirst ? failed : acked;
      await producer.advance([{ brokerPayload: claim, outcome }]);
      const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM outbox");
      if (rows[0]?.count === "0") ending.abort();
    }
    await producer.aclose();
    const { rows } = await pool.query("SELECT payload, reason FROM outbox_dead");
    await pool.end();
    expect(rows).toEqual([{ payload: { ref: REJECTED }, reason: "rejected" }]);
    expect(new Set(seen).size).toBe(RECORDS);
    expect(seen.filter((ref) => ref === FAILED)).toHaveLength(2);
  });

  test(`agree: ${SEQUENCES} sequences that are drawn`, { timeout: 0 }, async () => {
    const runs = { numRuns: SEQUENCES, seed: SEED, lanes: LANES };
    await assertDrawn(CALLS, runs, async (calls, lane) => {
      const script = scriptOf(calls);
      expect(await playOnModel(script)).toEqual(await playOnServer(script, lane));
    });
  });

  test(`agree: ${SEQUENCES} lists of expressions that are drawn`, { timeout: 0 }, async () => {
    const runs = { numRuns: SEQUENCES, seed: SEED, lanes: LANES };
    await assertDrawn(EXPRESSIONS, runs, async (queries, lane) => {
      const script = scriptOfExpressions(queries);
      expect(await playOnModel(script)).toEqual(await playOnServer(script, lane));
    });
  });

  test(
    `agree: ${OF_STATEMENTS} sequences of statements that are drawn`,
    { timeout: 0 },
    async () => {
      const runs = { numRuns: OF_STATEMENTS, seed: SEED, lanes: LANES };
      await assertDrawn(STATEMENTS, runs, async (statements, lane) => {
        const script = scriptOfStatements(statements, new Set());
        expect(await playOnModel(script)).toEqual(await playOnServer(script, lane));
      });
    },
  );

  test(`agree: ${SEQUENCES} programs of pg's own face that are drawn`, { timeout: 0 }, async () => {
    const runs = { numRuns: SEQUENCES, seed: SEED, lanes: LANES };
    await assertDrawn(FACE_STEPS, runs, async (steps, lane) => {
      const script = scriptOfFace(steps);
      const model = await playOnModel(script);
      const end = model.findIndex((one) => JSON.stringify(one).includes("Not modelled"));
      const known = end < 0 ? model : model.slice(0, end);
      expect((await playOnServer(script, lane)).slice(0, known.length)).toEqual(known);
    });
  });

  test("agree: expressions with operands of every type, unless they are refused by name", async () => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query("TRUNCATE outbox RESTART IDENTITY");
    await client.query("INSERT INTO outbox (key, payload) VALUES ('key-1', '{}')");
    const model = new OutboxServer(new World(new CalmChoices(), { keepTrace: false }), "broker", {
      ...{ table: "outbox", deadLetterTable: "outbox_dead" },
    });
    model.publish({ ref: "ref-000001", key: "key-1" });
    const session = model.connect("one");
    const others: string[] = [];
    for (const expression of [...expressionGroups()].flatMap(([, list]) => list)) {
      // There are two clocks.
      if (expression === "now()") continue;
      const sql = `SELECT ${expression} AS it FROM outbox`;
      const shown = await outcomeOf(() => session.run(sql, []) as { rows: unknown });
      if (shown.includes("Not modelled")) continue;
      const real = await outcomeOf(() => client.query(sql));
      if (shown !== real) others.push(`${expression}: ${shown}, and on the server ${real}`);
    }
    await client.end();
    expect(others).toEqual([]);
  });

  test.each(Object.entries(SCRIPTS))("agree: %s", async (_name, script) => {
    expect(await playOnModel(script)).toEqual(await playOnServer(script));
  });
});
