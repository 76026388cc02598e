import * as naivePubsubProducer from "../../../scenarios/producers/naive-pubsub.ts";
import * as pubsubProducer from "../../../scenarios/producers/pubsub.ts";
import { pubsub } from "../../../sim/brokers/pubsub/pubsub-broker.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "pubsub",
    broker: pubsub(),
    createProducer: pubsubProducer.createProducer,
    seeds: [9, 12, 18, 28, 39, 44, 56, 67, 74, 78, 79, 91, 92, 94, 105, 106, 115, 117, 130, 147],
  },
  {
    name: "naive-pubsub",
    broker: pubsub(),
    createProducer: naivePubsubProducer.createProducer,
    seeds: [2, 9, 12, 28, 32, 39, 72, 75, 78, 79, 106, 107, 111, 112, 113, 117, 126, 140, 144, 146],
  },
);
