import { testCrashes } from "./crash-test.ts";
import { BROKER } from "./mqtt.ts";

testCrashes("mqtt", BROKER);
