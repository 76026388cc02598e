import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./sqs.ts";

testCrashes("sqs", BROKER);
