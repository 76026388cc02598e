import * as mqttProducer from "../../../scenarios/producers/mqtt.ts";
import * as naiveMqttProducer from "../../../scenarios/producers/naive-mqtt.ts";
import { mqtt } from "../../../sim/brokers/mqtt/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "mqtt",
    broker: mqtt(),
    createProducer: mqttProducer.createProducer,
    seeds: [2, 4, 5, 9, 12, 14, 15, 20, 29, 44, 48, 50, 51, 56, 79, 94, 118, 120, 124, 143],
  },
  {
    name: "naive-mqtt",
    broker: mqtt(),
    createProducer: naiveMqttProducer.createProducer,
    seeds: [5, 6, 12, 14, 39, 44, 49, 56, 74, 75, 79, 94, 103, 112, 113, 115, 125, 126, 136, 142],
  },
);
