import { Redis } from "ioredis";
import { startRedis } from "../redis-server.ts";
import { type CrashBroker, refOf } from "./crash-broker.ts";

const HOST = "127.0.0.1";

export const BROKER: CrashBroker = {
  name: "redis-server",
  commands: ["redis-server"],
  correct: "redis",
  naive: "naive-redis",
  silenceMs: 3_500,
  start: () => startRedis("appendonly"),
  async open({ port }) {
    const client = quiet(new Redis(port, HOST));
    await client.flushall();
    await client.xgroup("CREATE", "orders", "triggerer", "0", "MKSTREAM");
    return {
      async publish(refs) {
        for (const ref of refs) await client.xadd("orders", "*", "ref", ref, "key", "key-1");
      },
      async deadLetters() {
        const entries = await client.xrange("orders:dead", "-", "+");
        return new Set(entries.map(([, fields]) => refOf(fields)));
      },
      async close() {
        await client.quit();
      },
    };
  },
  connect: (port) => Promise.resolve(() => quiet(new Redis(port, HOST))),
};

/** It says that it is reconnecting; nobody needs to know. */
function quiet(client: Redis): Redis {
  return client.on("error", () => undefined);
}
