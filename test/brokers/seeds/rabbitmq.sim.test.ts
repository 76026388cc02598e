import * as naiveRabbitmqProducer from "../../../scenarios/producers/naive-rabbitmq.ts";
import * as rabbitmqProducer from "../../../scenarios/producers/rabbitmq.ts";
import * as rabbitmqRetryProducer from "../../../scenarios/producers/rabbitmq-retry.ts";
import { rabbitmq } from "../../../sim/brokers/rabbitmq/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "rabbitmq",
    broker: rabbitmq(),
    createProducer: rabbitmqProducer.createProducer,
    seeds: [2, 4, 10, 11, 14, 32, 39, 54, 56, 59, 63, 74, 79, 94, 102, 112, 127, 134, 140, 147],
  },
  {
    name: "rabbitmq-retry",
    broker: rabbitmq(),
    createProducer: rabbitmqRetryProducer.createProducer,
    seeds: [2, 10, 14, 39, 54, 63, 79, 102, 127, 139, 147],
  },
  {
    name: "naive-rabbitmq",
    broker: rabbitmq(),
    createProducer: naiveRabbitmqProducer.createProducer,
    seeds: [6, 10, 11, 14, 17, 52, 54, 55, 59, 66, 72, 79, 94, 102, 114, 119, 124, 125],
  },
);
