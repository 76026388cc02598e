import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./kafka.ts";

testCrashes("kafka", BROKER);
