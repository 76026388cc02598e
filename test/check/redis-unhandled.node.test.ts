// Deno and Bun do not say of an error that it was a rejection.
import { expect, test } from "vitest";
import type { RedisClient } from "../../sim/brokers/redis/client.ts";
import { redis } from "../../sim/brokers/redis/model.ts";
import { planted } from "./producers/planted-bug.ts";
import { RedisProducer } from "./producers/redis/redis-producer.ts";

// As with the library, where each of them ends the process.
test.each<[string, (client: RedisClient) => void]>([
  ["a command", (client) => void client.xack("orders", "triggerer", "no-id")],
  ["a transaction", (client) => void client.multi().call("XLEN", "orders", "others").exec()],
  [
    "a command on a connection that is closed",
    (client) => {
      const other = client.duplicate();
      other.disconnect();
      void other.xlen("orders");
    },
  ],
])("nobody takes the error of %s of ioredis: it is told as unhandled", async (_of, forget) => {
  const found = await planted("", [], redis(), ({ client }) => {
    forget(client);
    return new RedisProducer(client);
  }).find();
  expect(found?.guarantee).toBe("unhandled");
});
