import * as naiveNatsProducer from "../../../scenarios/producers/naive-nats.ts";
import * as natsProducer from "../../../scenarios/producers/nats.ts";
import { nats } from "../../../sim/brokers/nats/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "nats",
    broker: nats(),
    createProducer: natsProducer.createProducer,
    seeds: [4, 10, 14, 17, 23, 39, 44, 46, 56, 69, 75, 94, 103, 112, 117, 118, 120, 122, 127, 140],
  },
  {
    name: "naive-nats",
    broker: nats(),
    createProducer: naiveNatsProducer.createProducer,
    seeds: [2, 4, 9, 12, 14, 15, 17, 22, 23, 32, 39, 44, 56, 62, 75, 77, 78, 79, 94, 117],
  },
);
