import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import { expectFound } from "./producers/expect-found.ts";
import { KAFKA_BUGS } from "./producers/kafka/bugs.ts";
import { createProducer } from "../../scenarios/producers/orders.ts";
import { KAFKA_PLANTED } from "./producers/kafka/planted.ts";

test("a correct Kafka producer holds in 2,000 runs", async () => {
  const { runs, neverOccurred } = await checkProducer({
    broker: brokers.kafka({ partitions: 3 }),
    createProducer,
    numRuns: 2_000,
  });
  expect({ runs, neverOccurred }).toEqual({ runs: 2_000, neverOccurred: [] });
});

test("a correct Kafka producer holds on one partition, where all is in one lane", async () => {
  const broker = brokers.kafka({ partitions: 1 });
  const { runs } = await checkProducer({ broker, createProducer, numRuns: 200, seed: 10_000 });
  expect(runs).toBe(200);
});

describe("the default settings find in a Kafka producer that", () => {
  for (const bug of KAFKA_PLANTED) {
    const what = KAFKA_BUGS.find(({ id }) => id === bug.id)?.what ?? "";
    test(`${what} (${bug.id})`, () => expectFound(bug));
  }
});
