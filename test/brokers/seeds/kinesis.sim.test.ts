import * as kinesisProducer from "../../../scenarios/producers/kinesis.ts";
import * as naiveKinesisProducer from "../../../scenarios/producers/naive-kinesis.ts";
import { kinesis } from "../../../sim/brokers/kinesis/model.ts";
import { testPinnedSeeds } from "./pinned-seeds.ts";

testPinnedSeeds(
  {
    name: "kinesis",
    broker: kinesis(),
    createProducer: kinesisProducer.createProducer,
    seeds: [4, 9, 10, 14, 15, 55, 56, 59, 72, 74, 75, 78, 79, 92, 95, 102, 115, 118, 124, 140],
  },
  {
    name: "naive-kinesis",
    broker: kinesis(),
    createProducer: naiveKinesisProducer.createProducer,
    seeds: [1, 9, 12, 15, 26, 45, 46, 50, 55, 59, 64, 74, 76, 79, 94, 106, 107, 119, 143, 146],
  },
);
