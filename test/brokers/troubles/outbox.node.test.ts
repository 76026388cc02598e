import { outbox } from "../../../sim/brokers/outbox/model.ts";
import type { PgPool } from "../../../sim/brokers/outbox/pg-pool.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<PgPool>;
type Row = Readonly<Record<string, unknown>>;

const CLAIM =
  "SELECT id, key, payload FROM outbox WHERE visible_at <= now() " +
  "ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED";

/** Works on rows in one transaction, which every third time is rolled back. */
async function transact({ client, call, note, pass }: Stage, round: number): Promise<void> {
  const connection = await call("connects", async () => {
    const made = await client.connect();
    made.on("error", (error: Error) => note("the connection fails", String(error)));
    return { query: made.query.bind(made), release: made.release.bind(made) };
  });
  if (connection === undefined) return;
  const { query, release } = connection;
  const rowsOf = async (text: string, values: unknown[] = []): Promise<readonly Row[]> => {
    const { rows } = await query(text, values);
    return rows;
  };
  await call("begins", () => rowsOf("BEGIN"));
  const rows = await call("claims", () => rowsOf(CLAIM));
  await pass(700);
  for (const { id, key, payload } of rows ?? []) {
    if (round % 4 === 1) {
      const bury = "INSERT INTO outbox_dead (id, key, payload) VALUES ($1, $2, $3)";
      await call("buries", () => rowsOf(bury, [id, key, payload]));
    }
    await call("deletes", () => rowsOf("DELETE FROM outbox WHERE id = $1", [id]));
  }
  await call("ends", () => rowsOf(round % 3 === 2 ? "ROLLBACK" : "COMMIT"));
  await call("releases", () => release());
}

async function work(stage: Stage): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(5);
  publish(3, "key-2");
  client.on("error", (error: Error) => note("the pool fails", String(error)));
  for (let round = 0; round < 12; round += 1) {
    await Promise.all([transact(stage, round), transact(stage, round + 1)]);
    if (round === 5) publish(4, "key-3");
    await call("counts", async () => (await client.query("SELECT id FROM outbox")).rows.length);
    note("the pool", [client.totalCount, client.idleCount, client.waitingCount]);
    await pass(3_000);
  }
  await call("ends", () => client.end());
  await call("asks late", async () => (await client.query("SELECT id FROM outbox")).rows);
}

testTroubles({
  name: "outbox",
  createModel: () => outbox(),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
