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
  | "disconnect"
  | ("hset" | "hget" | "hmget" | "hgetall" | "hdel" | "hexists" | "hincrby" | "hincrbyfloat")
  | ("lpush" | "rpush" | "lpop" | "rpop" | "llen" | "lrange" | "ltrim" | "lrem" | "lpos")
  | ("sadd" | "srem" | "sismember" | "smembers" | "scard" | "sinter" | "sunionstore")
  | ("zrem" | "zcard" | "zscore" | "zrank" | "zrange" | "zrangebyscore" | "zpopmin")
  | ("zremrangebyscore" | "zincrby" | "rename" | "expire");

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
