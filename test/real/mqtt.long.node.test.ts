import { mqtt } from "../../sim/brokers/mqtt/model.ts";
import { MQTT_CALLS } from "../brokers/drawn/mqtt.ts";
import { MQTT } from "../brokers/observed/mqtt.ts";
import { MOSQUITTO_SERVER, mosquittoInLanes } from "./mosquitto-server.ts";
import { lanesFrom, testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";

testReal(MQTT, MOSQUITTO_SERVER);

const preset = { numRuns: 100, lanes: 4 };
const broker = mosquittoInLanes(lanesFrom(preset.lanes));
testReal(
  { server: "", observations: [] },
  broker,
  testDrawn(MQTT_CALLS, broker, () => mqtt(), preset),
);
