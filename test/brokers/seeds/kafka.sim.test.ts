import * as confluentProducer from "../../../scenarios/producers/confluent.ts";
import * as naiveConfluentProducer from "../../../scenarios/producers/naive-confluent.ts";
import * as naiveOrdersProducer from "../../../scenarios/producers/naive-orders.ts";
import * as ordersProducer from "../../../scenarios/producers/orders.ts";
import { confluentKafka, kafka } from "../../../sim/brokers/kafka/kafka-model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "orders",
    broker: kafka(),
    createProducer: ordersProducer.createProducer,
    seeds: [1, 4, 5, 11, 12, 14, 25, 37, 55, 57, 68, 72, 74, 82, 94, 112, 127, 144, 146, 147],
  },
  {
    name: "naive-orders",
    broker: kafka(),
    createProducer: naiveOrdersProducer.createProducer,
    seeds: [1, 9, 14, 44, 48, 51, 55, 72, 77, 86, 102, 106, 114, 118, 121, 127, 136, 144, 146, 147],
  },
  {
    name: "confluent",
    broker: confluentKafka(),
    createProducer: confluentProducer.createProducer,
    seeds: [1, 4, 12, 14, 15, 40, 42, 54, 55, 56, 68, 72, 74, 79, 102, 114, 115, 127, 144, 147],
  },
  {
    name: "naive-confluent",
    broker: confluentKafka(),
    createProducer: naiveConfluentProducer.createProducer,
    seeds: [2, 10, 14, 15, 17, 25, 40, 54, 55, 74, 79, 94, 106, 114, 115, 127, 143, 144, 146, 147],
  },
);
