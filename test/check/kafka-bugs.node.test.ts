import { describe, expect, test } from "vitest";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { brokers } from "../../sim/check/brokers.ts";
import { checkProducer } from "../../sim/check/check-producer.ts";
import { type CounterexampleSize, PropertyViolation } from "../../sim/check/producer-violation.ts";
import { KAFKA_BUGS } from "./producers/kafka/bugs.ts";
import { createProducer } from "./producers/kafka/orders-producer.ts";
import { loadWithBug } from "./producers/source-bug.ts";

const source = new URL("./producers/kafka/orders-producer.ts", import.meta.url);
/** Two thousand runs are ten seconds of one core; a busy machine may take its time. */
const MANY_RUNS_MS_MAX = 240_000;
const EVENTS_MAX = 6;
const FAULTS_MAX = 3;

test("a correct Kafka producer holds in 2,000 runs", { timeout: MANY_RUNS_MS_MAX }, async () => {
  const { runs, neverOccurred } = await checkProducer({
    broker: brokers.kafka({ partitions: 3 }),
    createProducer,
    numRuns: 2_000,
  });
  expect({ runs, neverOccurred }).toEqual({ runs: 2_000, neverOccurred: [] });
});

test("a correct Kafka producer holds on one partition, where all is in one lane", async () => {
  const broker = brokers.kafka({ partitions: 1 });
  const { runs } = await checkProducer({ broker, createProducer, numRuns: 500, seed: 10_000 });
  expect(runs).toBe(500);
});

describe("the default settings find in a Kafka producer that", () => {
  for (const bug of KAFKA_BUGS) {
    test(`${bug.what} (${bug.id})`, async () => {
      const broken = await loadWithBug<KafkaClient>(source, bug);
      const check = checkProducer({
        broker: brokers.kafka({ partitions: 3 }),
        createProducer: broken,
      });
      const found = await check.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(found).toBeInstanceOf(PropertyViolation);
      const { guarantee, size, story } = found as PropertyViolation<CounterexampleSize>;
      expect(bug.guarantees).toContain(guarantee);
      expect(size.events).toBeLessThanOrEqual(EVENTS_MAX);
      expect(size.faults).toBeLessThanOrEqual(FAULTS_MAX);
      expect(story.length).toBeLessThanOrEqual(12);
    });
  }
});
