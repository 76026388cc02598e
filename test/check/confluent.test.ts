import { expect, test } from "vitest";
import * as correct from "../../scenarios/producers/confluent.ts";
import * as naive from "../../scenarios/producers/naive-confluent.ts";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";

const RUNS = 50;

test("the producer with Confluent's library that does it right holds", async () => {
  const { createProducer } = correct;
  const report = await checkProducer({ broker: confluentKafka(), createProducer, numRuns: RUNS });
  expect(report).toMatchObject({ runs: RUNS });
});

test("the naive one commits past an order that failed, or could not be dead-lettered", async () => {
  const { createProducer } = naive;
  const checked = checkProducer({ broker: confluentKafka(), createProducer, numRuns: RUNS });
  await expect(checked).rejects.toMatchObject({
    guarantee: expect.stringMatching(/^G[13]$/) as string,
  });
});
