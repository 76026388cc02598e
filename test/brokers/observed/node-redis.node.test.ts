// The errors are the library's own where it is loaded.
import "@redis/client";
import { describe } from "vitest";
import { nodeRedis } from "../../../sim/brokers/redis/model.ts";
import { NODE_REDIS } from "./node-redis.ts";
import { testObserved } from "./observation.ts";

describe("the model of Redis behaves as the server, by node-redis", () => {
  testObserved(NODE_REDIS, () => nodeRedis({ majorVersion: 7 }));
});
