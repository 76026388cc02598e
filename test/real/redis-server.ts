import { Redis } from "ioredis";
import type { RedisClient } from "../../sim/brokers/redis/client.ts";
import { startServer } from "./loopback-server.ts";
import type { RealBroker } from "./test-real.ts";

export const REDIS_SERVER: RealBroker<RedisClient> = {
  name: "redis-server",
  commands: ["redis-server"],
  start: () =>
    startServer({
      command: "redis-server",
      arguments: ({ port, folder }) => [
        ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder],
        ...["--save", "", "--appendonly", "no"],
      ],
    }),
  async stage({ port }) {
    const client = new Redis(port, "127.0.0.1");
    await client.flushall();
    await client.xgroup("CREATE", "orders", "triggerer", "0", "MKSTREAM");
    return {
      // The model's client is typed as the part of ioredis that it has.
      client: client as unknown as RedisClient,
      async publish(ref) {
        await client.xadd("orders", "*", "ref", ref, "key", "key-1");
      },
      operations: {},
      async close() {
        await client.quit();
      },
    };
  },
};
