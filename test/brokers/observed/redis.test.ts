import { describe } from "vitest";
import { redis } from "../../../sim/brokers/redis/model.ts";
import { testObserved } from "./observation.ts";
import { REDIS } from "./redis.ts";

describe("the Redis model behaves as the server", () => {
  testObserved(REDIS, () => redis({ majorVersion: 7 }));
});
