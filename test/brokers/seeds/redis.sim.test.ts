import * as naiveNodeRedisProducer from "../../../scenarios/producers/naive-node-redis.ts";
import * as naiveRedisProducer from "../../../scenarios/producers/naive-redis.ts";
import * as nodeRedisProducer from "../../../scenarios/producers/node-redis.ts";
import * as redisProducer from "../../../scenarios/producers/redis.ts";
import { nodeRedis, redis } from "../../../sim/brokers/redis/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "redis",
    broker: redis(),
    createProducer: redisProducer.createProducer,
    seeds: [2, 4, 5, 9, 12, 23, 39, 44, 45, 50, 56, 72, 82, 92, 112, 126, 127, 130, 144, 146],
  },
  {
    name: "naive-redis",
    broker: redis(),
    createProducer: naiveRedisProducer.createProducer,
    seeds: [5, 9, 12, 14, 15, 25, 31, 39, 44, 45, 50, 52, 56, 79, 94, 95, 102, 126, 127, 144],
  },
  {
    name: "node-redis",
    broker: nodeRedis(),
    createProducer: nodeRedisProducer.createProducer,
    seeds: [2, 9, 12, 23, 39, 44, 45, 59, 72, 91, 92, 94, 99, 102, 112, 123, 126, 127, 130, 146],
  },
  {
    name: "naive-node-redis",
    broker: nodeRedis(),
    createProducer: naiveNodeRedisProducer.createProducer,
    seeds: [2, 4, 12, 14, 39, 50, 53, 56, 59, 72, 77, 79, 92, 95, 102, 113, 114, 120, 127, 144],
  },
);
