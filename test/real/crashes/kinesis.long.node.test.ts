import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./kinesis.ts";

testCrashes("kinesis", BROKER);
