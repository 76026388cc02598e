import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./rabbitmq.ts";

testCrashes("rabbitmq", BROKER);
