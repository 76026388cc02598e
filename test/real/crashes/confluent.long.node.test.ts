import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./confluent.ts";

testCrashes("confluent", BROKER);
