import { outbox } from "../../../sim/brokers/outbox/model.ts";
import type { PgPool } from "../../../sim/brokers/outbox/pg-pool.ts";
import type { Dice } from "../../../sim/choices/dice.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = Actor<PgPool>;
type Query = (text: string, values?: unknown[]) => Promise<unknown>;

const PAUSES_MS = [0, 0, 0, 1, 20, 300, 1_100];
const COLUMNS = "id, key, attempts, leased_by, visible_at";
const ENDS = ["COMMIT", "COMMIT", "ROLLBACK", "END", "ABORT"];

/** A statement about rows; most of them wait for whoever has locked a row. */
function statementFrom(dice: Dice): readonly [text: string, values: unknown[]] {
  const id = 1 + dice.below(9);
  const lock = dice.from(["", " FOR UPDATE", " FOR UPDATE SKIP LOCKED", " FOR UPDATE NOWAIT"]);
  const where = dice.from(["id = $1", "id >= $1", "attempts < $1", "key = 'key-' || $1"]);
  const order = dice.from(["id", "id DESC", "attempts, id", "visible_at DESC NULLS LAST, id"]);
  const page = dice.from(["", " LIMIT 2", " OFFSET 1", " LIMIT 1 OFFSET 1"]);
  switch (dice.below(12)) {
    case 0:
    case 1:
      return [`SELECT ${COLUMNS} FROM outbox WHERE ${where} ORDER BY ${order}${page}${lock}`, [id]];
    case 2:
      return [
        `UPDATE outbox SET leased_by = 'w' || $1::text, attempts = attempts + 1,
          visible_at = now() + interval '${dice.below(9)} s'
        WHERE id IN (SELECT id FROM outbox WHERE visible_at <= now() ORDER BY ${order}
          LIMIT ${dice.below(4)} FOR UPDATE${dice.from(["", " SKIP LOCKED"])})
        RETURNING id, attempts`,
        [String(id)],
      ];
    case 3:
      return [
        `UPDATE outbox SET attempts = attempts + 1 WHERE ${where} RETURNING ${COLUMNS}`,
        [id],
      ];
    case 4:
      return [`DELETE FROM outbox WHERE ${where} RETURNING id`, [id]];
    case 5:
      return [
        `INSERT INTO outbox (${dice.from(["attempts", "id"])}, key, payload)
        VALUES ($1, 'own', '{"ref":"ref-000001"}')
        ON CONFLICT ${dice.from(["DO NOTHING", "(id) DO UPDATE SET attempts = outbox.attempts + 1"])}`,
        [id],
      ];
    case 6:
      return [
        `INSERT INTO outbox_dead (id, key, payload)
        SELECT id, key, payload FROM outbox WHERE id = $1`,
        [id],
      ];
    case 7:
      return [
        `WITH gone AS (DELETE FROM outbox WHERE ${where} RETURNING id, key, payload)
        INSERT INTO outbox_dead (id, key, payload) SELECT id, key, payload FROM gone RETURNING id`,
        [id],
      ];
    case 8:
      return [
        "SELECT count(*) AS n, min(attempts) AS low, max(id) AS high FROM outbox WHERE id >= $1",
        [id],
      ];
    case 9:
      return ["UPDATE outbox SET key = NULL WHERE id = $1", [id]];
    case 10:
      return [
        `UPDATE outbox SET attempts = attempts + 1, leased_by = (SELECT max(other.key)
          FROM outbox_dead AS other WHERE other.id <= attempts AND other.id < dead.id)
        FROM outbox_dead AS dead WHERE outbox.id = dead.id AND dead.id >= $1 RETURNING outbox.id`,
        [id],
      ];
    default:
      return [
        `SELECT id, (SELECT attempts FROM outbox WHERE id = dead.id) AS attempts
        FROM outbox_dead AS dead WHERE id >= $1
          ${dice.from(["AND", "AND NOT"])} EXISTS (SELECT 1 FROM outbox WHERE id = dead.id)
        ORDER BY id`,
        [id],
      ];
  }
}

/** A statement about the connection or its transaction. */
function commandFrom(dice: Dice): string {
  const timeout = dice.from(["lock_timeout", "statement_timeout"]);
  const key = 1 + dice.below(3);
  const [channel, name] = [dice.from(["news", "other"]), dice.from(["a", "b"])];
  return dice.from([
    `SET ${timeout} = ${dice.from(["'900ms'", "'3s'", "0", "DEFAULT", "'soon'"])}`,
    `SET LOCAL ${timeout} = '1500'`,
    `RESET ${timeout}`,
    `SELECT pg_try_advisory_lock(${key}) AS locked`,
    `SELECT pg_try_advisory_xact_lock(${key}) AS locked`,
    `SELECT pg_advisory_unlock(${key}) AS unlocked`,
    `SAVEPOINT ${name}`,
    `ROLLBACK TO ${name}`,
    `RELEASE ${name}`,
    `LISTEN ${channel}`,
    `UNLISTEN ${dice.from([channel, "*"])}`,
    `NOTIFY ${channel}, '${key}'`,
    `SELECT pg_notify('${channel}', '${name}')`,
    "BEGIN",
    "SELECT nothing FROM outbox",
    "",
  ]);
}

async function act(actor: Client, query: Query): Promise<void> {
  const { dice, call } = actor;
  const [text, values] = dice.oneIn(3) ? [commandFrom(dice), undefined] : statementFrom(dice);
  const asked = call(text.replaceAll(/\s+/g, " "), () => query(text, values).then(told));
  // Whoever does not wait asks on, and the connection does it in turn.
  if (dice.oneIn(8)) void asked;
  else await asked;
}

function told(result: unknown): unknown {
  const { command, rowCount, rows } = result as Record<string, unknown>;
  return [command, rowCount, rows];
}

async function transact(actor: Client): Promise<void> {
  const { client, dice, call, note, pass } = actor;
  const connection = await call("connects", async () => {
    const made = await client.connect();
    made.on("error", (error: Error) => note("the connection fails", String(error)));
    made.on("notification", ({ channel, payload }: Record<string, unknown>) =>
      note("is told", [channel, payload]),
    );
    const query: Query = (text, values) => made.query(text, values);
    return { query, release: made.release.bind(made), toJSON: () => "a connection" };
  });
  if (connection === undefined) return;
  const { query, release } = connection;
  for (let rounds = dice.below(3); rounds >= 0; rounds -= 1) {
    if (!dice.oneIn(5)) await call("begins", () => query("BEGIN").then(told));
    for (let left = 1 + dice.below(6); left > 0; left -= 1) {
      await act(actor, query);
      await pass(dice.from(PAUSES_MS));
    }
    if (!dice.oneIn(8)) {
      const end = dice.from(ENDS);
      await call(end, () => query(end).then(told));
    }
  }
  await call("releases", () =>
    release(dice.from([undefined, undefined, true, new Error("thrown away")]) as never),
  );
}

async function work(actor: Client): Promise<void> {
  const { client, dice, call, note, publish, pass } = actor;
  client.on("error", (error: Error) => note("the pool fails", String(error)));
  for (const event of ["connect", "acquire", "release", "remove"]) {
    client.on(event, () => note(event));
  }
  publish(4);
  for (let left = 10 + dice.below(30); left > 0; left -= 1) {
    const before = [client.totalCount, client.idleCount, client.waitingCount];
    note("the pool", before);
    if (dice.oneIn(3)) publish(dice.below(4), dice.from(["key-1", "key-2"]));
    const kind = dice.below(4);
    if (kind === 0) await act(actor, (text, values) => client.query(text, values));
    else if (kind === 1) await Promise.all([transact(actor), transact(actor)]);
    else await transact(actor);
    await pass(dice.from(PAUSES_MS));
  }
  await call("ends", () => client.end());
  await call("asks late", () => client.query("SELECT id FROM outbox"));
}

testTurns({
  name: "outbox",
  createWorld: () => ({ model: outbox(), actors: { one: work, two: work } }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 16,
  untilMs: 60_000,
});
