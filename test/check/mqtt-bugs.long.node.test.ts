import { describe, test } from "vitest";
import { mqtt } from "../../sim/brokers/mqtt/model.ts";
import { MQTT_BUGS } from "./mqtt-bugs.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";

describe("a check finds in a producer of MQTT that", () => {
  test.each(MQTT_BUGS)("$what", (bug) => expectSourceBugFound("mqtt.ts", bug, mqtt()));
});
