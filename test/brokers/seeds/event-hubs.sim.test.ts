import * as eventHubsProducer from "../../../scenarios/producers/event-hubs.ts";
import * as naiveEventHubsProducer from "../../../scenarios/producers/naive-event-hubs.ts";
import { eventHubs } from "../../../sim/brokers/event-hubs/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "event-hubs",
    broker: eventHubs(),
    createProducer: eventHubsProducer.createProducer,
    seeds: [5, 6, 9, 12, 26, 28, 44, 50, 51, 55, 56, 79, 92, 94, 102, 123, 125, 127, 130, 147],
  },
  {
    name: "naive-event-hubs",
    broker: eventHubs(),
    createProducer: naiveEventHubsProducer.createProducer,
    seeds: [1, 9, 12, 14, 19, 44, 55, 56, 59, 72, 74, 78, 79, 92, 102, 106, 126, 142, 144, 147],
  },
);
