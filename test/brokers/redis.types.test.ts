import type { Redis } from "ioredis";
import { expectTypeOf, test } from "vitest";
import type { RedisClient } from "../../sim/brokers/redis/client.ts";

type Commands =
  | "xadd"
  | "xack"
  | "xautoclaim"
  | "xclaim"
  | "xdel"
  | "xgroup"
  | "xlen"
  | "xpending"
  | "xreadgroup"
  | "xtrim"
  | "quit"
  | "disconnect";

test("a model client goes where a producer takes ioredis", () => {
  expectTypeOf<RedisClient>().toExtend<Pick<Redis, Commands>>();
});

test("a producer that duplicates its client takes both", () => {
  interface RedisPort extends Pick<Redis, Commands> {
    duplicate(): RedisPort;
  }
  expectTypeOf<RedisClient>().toExtend<RedisPort>();
  expectTypeOf<Redis>().toExtend<RedisPort>();
});
