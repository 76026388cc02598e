import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import { NODE_REDIS_SLIPS } from "../drawn/node-redis-slips.ts";
import { REDIS_SLIPS } from "../drawn/redis-slips.ts";
import { linesOf } from "./odd-lines.ts";
import type { Observation } from "./observation.ts";
import { NODE_REDIS_ODD, REDIS_ODD } from "./redis-odd-programs.ts";
import { NODE_REDIS_REAL, REDIS_REAL } from "./redis-odd-real.ts";

/** Programs of the kind that is drawn that once were not the same on server and model. */
export const REDIS_ODDS: readonly Observation<RedisClient>[] = Object.entries(REDIS_ODD).map(
  ([name, steps], at) => ({
    name,
    play: async (stage) => linesOf(steps.length, await REDIS_SLIPS.play(stage, steps)),
    real: REDIS_REAL[at],
  }),
);

/** The same by node-redis. */
export const NODE_REDIS_ODDS: readonly Observation<NodeRedisClient>[] = Object.entries(
  NODE_REDIS_ODD,
).map(([name, steps], at) => ({
  name,
  play: async (stage) => linesOf(steps.length, await NODE_REDIS_SLIPS.play(stage, steps)),
  real: NODE_REDIS_REAL[at],
}));
