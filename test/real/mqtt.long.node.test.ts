import { mqtt } from "../../sim/brokers/mqtt/model.ts";
import { MQTT_CALLS } from "../brokers/drawn/mqtt.ts";
import { MQTT } from "../brokers/observed/mqtt.ts";
import { MOSQUITTO_SERVER } from "./mosquitto-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { testReal } from "./test-real.ts";

const preset = { numRuns: 50, lanes: 1 };
testReal(
  MQTT,
  MOSQUITTO_SERVER,
  testDrawn(MQTT_CALLS, MOSQUITTO_SERVER, () => mqtt(), preset),
);
