import { describe } from "vitest";
import { mqtt } from "../../../sim/brokers/mqtt/model.ts";
import { MQTT } from "./mqtt.ts";
import { testObserved } from "./observation.ts";

describe("the MQTT model behaves as the server", () => {
  testObserved(MQTT, () => mqtt());
});
