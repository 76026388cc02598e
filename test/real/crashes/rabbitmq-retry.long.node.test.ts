import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./rabbitmq-retry.ts";

testCrashes("rabbitmq-retry", BROKER);
