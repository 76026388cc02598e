import * as naiveSqsProducer from "../../../scenarios/producers/naive-sqs.ts";
import * as sqsProducer from "../../../scenarios/producers/sqs.ts";
import { sqs, sqsFifo } from "../../../sim/brokers/sqs/sqs-broker.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "sqs",
    broker: sqs(),
    createProducer: sqsProducer.createProducer,
    seeds: [1, 9, 12, 17, 18, 19, 28, 38, 39, 42, 44, 50, 56, 63, 66, 74, 78, 106, 117, 127],
  },
  {
    name: "naive-sqs",
    broker: sqs(),
    createProducer: naiveSqsProducer.createProducer,
    seeds: [9, 12, 28, 33, 39, 44, 50, 56, 63, 78, 87, 89, 94, 102, 113, 117, 125, 126, 130, 139],
  },
  {
    name: "sqs-fifo",
    broker: sqsFifo(),
    createProducer: sqsProducer.createProducer,
    seeds: [4, 12, 17, 19, 24, 28, 39, 42, 44, 56, 61, 63, 72, 74, 79, 94, 115, 117, 120, 127],
  },
  {
    name: "naive-sqs-fifo",
    broker: sqsFifo(),
    createProducer: naiveSqsProducer.createProducer,
    seeds: [11, 12, 13, 17, 28, 39, 44, 46, 52, 54, 56, 63, 79, 94, 113, 115, 117, 126, 133, 139],
  },
);
