import { nodeRedis, redis } from "../../sim/brokers/redis/model.ts";
import { NODE_REDIS_SLIPS } from "../brokers/drawn/node-redis-slips.ts";
import { REDIS_SLIPS } from "../brokers/drawn/redis-slips.ts";
import { REDIS_COMMANDS } from "../brokers/drawn/redis.ts";
import { NODE_REDIS } from "../brokers/observed/node-redis.ts";
import { REDIS } from "../brokers/observed/redis.ts";
import { REDIS_BY_NODE_REDIS, REDIS_SERVER } from "./redis-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";
import { testSlips } from "./test-slips.ts";

const asServed = () => redis({ majorVersion: 7 });
const byNodeRedis = () => nodeRedis({ majorVersion: 7 });
const drawn = testDrawn(REDIS_COMMANDS, REDIS_SERVER, asServed, { numRuns: 500, lanes: 1 });
const slips = testSlips(REDIS_SLIPS, REDIS_SERVER, asServed, { numRuns: 8, lanes: 1 });
testReal(REDIS, REDIS_SERVER, (running) => {
  drawn(running);
  slips(running);
});
testReal(
  NODE_REDIS,
  REDIS_BY_NODE_REDIS,
  testSlips(NODE_REDIS_SLIPS, REDIS_BY_NODE_REDIS, byNodeRedis, { numRuns: 8, lanes: 1 }),
);
