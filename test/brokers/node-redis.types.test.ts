import type { RedisClientType } from "@redis/client";
import { expectTypeOf, test } from "vitest";
import type { NodeRedisClient } from "../../sim/brokers/redis/node-redis-client.ts";

type Commands =
  | ("xAck" | "xAdd" | "xAddNoMkStream" | "xAutoClaim" | "xAutoClaimJustId" | "xClaim")
  | ("xClaimJustId" | "xDel" | "xGroupCreate" | "xGroupCreateConsumer" | "xGroupDelConsumer")
  | ("xGroupDestroy" | "xGroupSetId" | "xLen" | "xPending" | "xPendingRange" | "xRange")
  | ("xReadGroup" | "xRevRange" | "xTrim" | "close" | "destroy" | "isOpen" | "isReady");

test("a model client goes where a producer takes node-redis", () => {
  expectTypeOf<NodeRedisClient>().toExtend<Pick<RedisClientType, Commands>>();
});

test("a producer that duplicates its client takes both", () => {
  interface RedisPort extends Pick<RedisClientType, "xReadGroup" | "xAck" | "destroy"> {
    connect(): Promise<unknown>;
    duplicate(): RedisPort;
    on(event: "error", listener: (error: Error) => void): unknown;
  }
  expectTypeOf<NodeRedisClient>().toExtend<RedisPort>();
  expectTypeOf<RedisClientType>().toExtend<RedisPort>();
});
