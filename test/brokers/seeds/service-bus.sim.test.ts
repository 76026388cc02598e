import * as naiveServiceBusProducer from "../../../scenarios/producers/naive-service-bus.ts";
import * as serviceBusProducer from "../../../scenarios/producers/service-bus.ts";
import * as serviceBusSessionsProducer from "../../../scenarios/producers/service-bus-sessions.ts";
import {
  serviceBus,
  serviceBusSessions,
} from "../../../sim/brokers/service-bus/service-bus-broker.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "service-bus",
    broker: serviceBus(),
    createProducer: serviceBusProducer.createProducer,
    seeds: [1, 9, 12, 13, 14, 39, 44, 50, 52, 63, 70, 74, 77, 79, 94, 104, 117, 125, 130, 138],
  },
  {
    name: "naive-service-bus",
    broker: serviceBus(),
    createProducer: naiveServiceBusProducer.createProducer,
    seeds: [12, 13, 28, 32, 39, 44, 50, 52, 61, 63, 77, 94, 103, 104, 117, 119, 120, 125, 140, 148],
  },
  {
    name: "service-bus-sessions",
    broker: serviceBusSessions(),
    createProducer: serviceBusSessionsProducer.createProducer,
    seeds: [1, 4, 9, 12, 24, 37, 40, 44, 52, 55, 56, 61, 78, 79, 83, 92, 94, 117, 118, 120],
  },
);
