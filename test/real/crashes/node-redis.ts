import { createClient } from "@redis/client";
import type { CrashBroker } from "./crash-broker.ts";
import { BROKER as IOREDIS } from "./redis.ts";

export const BROKER: CrashBroker = {
  ...IOREDIS,
  name: "redis-server, by node-redis",
  correct: "node-redis",
  naive: "naive-node-redis",
  // The producer listens to its errors and connects it.
  connect: (port) => Promise.resolve(() => createClient({ socket: { host: "127.0.0.1", port } })),
};
