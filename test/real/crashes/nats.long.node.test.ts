import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./nats.ts";

testCrashes("nats", BROKER);
