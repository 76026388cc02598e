import * as naiveOutboxProducer from "../../../scenarios/producers/naive-outbox.ts";
import * as outboxProducer from "../../../scenarios/producers/outbox.ts";
import { outbox } from "../../../sim/brokers/outbox/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "outbox",
    broker: outbox(),
    createProducer: outboxProducer.createProducer,
    seeds: [1, 2, 4, 9, 12, 39, 50, 56, 61, 67, 74, 79, 95, 102, 103, 107, 117, 126, 127, 144],
  },
  {
    name: "naive-outbox",
    broker: outbox(),
    createProducer: naiveOutboxProducer.createProducer,
    seeds: [1, 2, 9, 12, 14, 20, 22, 23, 24, 33, 39, 53, 63, 75, 77, 79, 94, 113, 117, 146],
  },
);
