import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./node-redis.ts";

testCrashes("node-redis", BROKER);
