import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { nodeRedis, redis } from "../../../sim/brokers/redis/model.ts";
import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

const STREAM = "orders";
const GROUP = "triggerer";
const ROUNDS = 10;

interface Watched {
  on(event: string, listener: (about: unknown) => void): unknown;
}

function watch(
  { note }: { note(what: string, value?: unknown): void },
  who: string,
  client: Watched,
  events: readonly string[],
): void {
  for (const event of events) {
    client.on(event, (about) =>
      note(`${who} ${event}`, about instanceof Error ? String(about) : about),
    );
  }
}

const IOREDIS = ["connect", "ready", "error", "close", "reconnecting", "end"];
type Entry = readonly [id: string, fields: readonly string[] | null];

async function workOfIoredis(stage: TroubledStage<RedisClient>): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(4);
  watch(stage, "one", client, IOREDIS);
  const reader = client.duplicate();
  watch(stage, "reader", reader, IOREDIS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const args = ["GROUP", GROUP, "one", "COUNT", 2, "BLOCK", 2_000] as const;
    const reply = await call("reads", () =>
      reader.xreadgroup(...args, "STREAMS", STREAM, round % 4 === 3 ? "0" : ">"),
    );
    const entries = (reply ?? []).flatMap(([, some]) => some as readonly Entry[]);
    for (const [index, [id, fields]] of entries.entries()) {
      note("is given", [id, fields]);
      if (index % 2 === 0) await call("acks", () => client.xack(STREAM, GROUP, id));
    }
    await call("pending", () => client.xpending(STREAM, GROUP));
    await call("pending in full", () => client.xpending(STREAM, GROUP, "-", "+", 10));
    if (round === 4) publish(3, "key-2");
    if (round === 5) {
      await call("claims", () => client.xautoclaim(STREAM, GROUP, "two", 3_000, "0", "COUNT", 2));
      const [id = "0-1"] = entries.map(([first]) => first);
      await call("claims one", () => client.xclaim(STREAM, GROUP, "two", 0, id, "JUSTID"));
      await call("adds", () => client.xadd("orders:dead", "*", "ref", "ref-000001"));
      await call("counts", () => client.xlen("orders:dead"));
      await call("trims", () => client.xtrim(STREAM, "MAXLEN", 6));
      await call("lists", () => client.xrange(STREAM, "-", "+", "COUNT", 3));
    }
    await pass(1_000);
  }
  await call("disconnects", () => reader.disconnect());
  await call("quits", () => client.quit());
  await call("counts late", () => client.xlen(STREAM));
}

async function workOfNodeRedis(stage: TroubledStage<NodeRedisClient>): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(4);
  const events = ["connect", "ready", "error", "reconnecting", "end"];
  watch(stage, "one", client, events);
  const reader = client.duplicate();
  watch(stage, "reader", reader, events);
  await call("connects", async () => void (await client.connect()));
  await call("the reader connects", async () => void (await reader.connect()));
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = { key: STREAM, id: round % 4 === 3 ? "0" : ">" };
    const options = { COUNT: 2, BLOCK: 2_000 };
    const reply = await call("reads", () => reader.xReadGroup(GROUP, "one", from, options));
    const entries = (reply ?? []).flatMap(({ messages }) => messages);
    for (const [index, { id, message }] of entries.entries()) {
      note("is given", [id, message]);
      if (index % 2 === 0) await call("acks", () => client.xAck(STREAM, GROUP, id));
    }
    await call("pending", () => client.xPending(STREAM, GROUP));
    await call("pending in full", () => client.xPendingRange(STREAM, GROUP, "-", "+", 10));
    if (round === 4) publish(3, "key-2");
    if (round === 5) {
      await call("claims", () => client.xAutoClaim(STREAM, GROUP, "two", 3_000, "0", { COUNT: 2 }));
      await call("adds", () => client.xAdd("orders:dead", "*", { ref: "ref-000001" }));
      await call("counts", () => client.xLen("orders:dead"));
      await call("lists", () => client.xRange(STREAM, "-", "+", { COUNT: 3 }));
    }
    await pass(1_000);
  }
  note("is open", [client.isOpen, reader.isOpen]);
  await call("the reader is destroyed", () => reader.destroy());
  await call("closes", () => client.close());
  await call("counts late", () => client.xLen(STREAM));
}

const sites = ["broker.session", "broker.fetch", "broker.settle", "broker.produce"] as const;
testTroubles({ name: "redis", createModel: () => redis(), sites, work: workOfIoredis });
testTroubles({ name: "node-redis", createModel: () => nodeRedis(), sites, work: workOfNodeRedis });
