import { createClient } from "@redis/client";
import { Redis } from "ioredis";
import type { NodeRedisClient } from "../../sim/brokers/redis/node-redis-client.ts";
import type { RedisClient } from "../../sim/brokers/redis/client.ts";
import { BROKER_CRASHES } from "../brokers/observed/observation.ts";
import { type RunningServer, startServer } from "./loopback-server.ts";
import type { RealBroker } from "./test-real.ts";

/** Starts it with an append-only file, or without anything on disk. */
export function startRedis(disk: "appendonly" | "none"): Promise<RunningServer> {
  const appends = ["--appendonly", disk === "none" ? "no" : "yes", "--appendfsync", "always"];
  return startServer({
    command: "redis-server",
    arguments: ({ port, folder }) => [
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...appends],
    ],
  });
}

export const REDIS_SERVER: RealBroker<RedisClient> = {
  name: "redis-server",
  commands: ["redis-server"],
  start: () => startRedis("none"),
  async stage(server) {
    const client = new Redis(server.port, "127.0.0.1");
    client.on("error", () => undefined);
    await client.flushall();
    await client.call("ACL", "SETUSER", "default", "+@all");
    await client.xgroup("CREATE", "orders", "triggerer", "0", "MKSTREAM");
    return {
      // The model's client is typed as the part of ioredis that it has.
      client: client as unknown as RedisClient,
      async publish(ref) {
        await client.xadd("orders", "*", "ref", ref, "key", "key-1");
      },
      operations: {
        [BROKER_CRASHES]: () => server.crash(),
        async "the user may not read groups for a while"() {
          const taken = ["-xreadgroup", "-xack", "-xclaim", "-xautoclaim"];
          await client.call("ACL", "SETUSER", "default", ...taken);
        },
      },
      async close() {
        if (client.status !== "end") await client.quit();
      },
    };
  },
};

/** The same, by node-redis: the client is not connected, as the model's. */
export const REDIS_BY_NODE_REDIS: RealBroker<NodeRedisClient> = {
  ...REDIS_SERVER,
  name: "redis-server, by node-redis",
  async stage(server) {
    const { publish, operations, close } = await REDIS_SERVER.stage(server);
    const client = createClient({ socket: { host: "127.0.0.1", port: server.port } });
    return {
      // The model's client is typed as the part of node-redis that it has.
      client: client as unknown as NodeRedisClient,
      ...{ publish, operations },
      async close() {
        if (client.isOpen) client.destroy();
        await close();
      },
    };
  },
};
