import { redis } from "../../sim/brokers/redis/model.ts";
import { REDIS_COMMANDS } from "../brokers/drawn/redis.ts";
import { NODE_REDIS } from "../brokers/observed/node-redis.ts";
import { REDIS } from "../brokers/observed/redis.ts";
import { REDIS_BY_NODE_REDIS, REDIS_SERVER } from "./redis-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";

const asServed = () => redis({ majorVersion: 7 });
testReal(
  REDIS,
  REDIS_SERVER,
  testDrawn(REDIS_COMMANDS, REDIS_SERVER, asServed, { numRuns: 500, lanes: 1 }),
);
testReal(NODE_REDIS, REDIS_BY_NODE_REDIS);
