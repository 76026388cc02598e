import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./pubsub.ts";

testCrashes("pubsub", BROKER);
