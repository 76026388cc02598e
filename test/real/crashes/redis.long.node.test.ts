import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./redis.ts";

testCrashes("redis", BROKER);
