import { expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import { NATS_CORRECT } from "./producers/nats/bugs.ts";
import { PUBSUB_CORRECT } from "./producers/pubsub/bugs.ts";
import { SERVICE_BUS_CORRECT } from "./producers/service-bus/bugs.ts";
import { SHORT_RENEWERS } from "./producers/short-renewers.ts";
import { SQS_CORRECT } from "./producers/sqs/bugs.ts";
import { SqsProducer } from "./producers/sqs/sqs-producer.ts";
import { createProducer } from "../../scenarios/producers/orders.ts";

const RENEWED = "a lease was renewed three times";
const OUTLIVED = "a copy of an older reading was resolved after its record had come again";
const HELD_EXPIRED = "retention took a record that was held for redelivery";

const RENEWING = [...SQS_CORRECT, ...SERVICE_BUS_CORRECT, ...PUBSUB_CORRECT, NATS_CORRECT];

for (const { name, check } of RENEWING) {
  test(`leases are renewed three times: ${name}`, async () => {
    const { situations } = await check(60);
    expect(new Map(situations).get(RENEWED)).toBeGreaterThanOrEqual(1);
  });
}

test("a producer that renews nothing is told so", async () => {
  const urls = { queueUrl: "https://sqs/0/orders", deadLetterUrl: "https://sqs/0/orders-dead" };
  const idle = {
    hold: () => undefined,
    release: () => Promise.resolve(),
    stop: () => Promise.resolve([]),
  };
  const check = checkProducer({
    broker: brokers.sqs({ visibilityTimeoutSeconds: 3_600 }),
    createProducer: ({ client }) => new SqsProducer(client, urls, idle),
    // In the sixth a record is held for minutes, and its lease ends.
    numRuns: 5,
  });
  expect((await check).neverOccurred).toContain(RENEWED);
});

test("a producer whose broker has no leases is not", async () => {
  const broker = brokers.kafka({ partitions: 3 });
  const { neverOccurred } = await checkProducer({ broker, createProducer, numRuns: 5 });
  expect(neverOccurred).not.toContain(RENEWED);
});

for (const { id, guarantees, find } of SHORT_RENEWERS) {
  test(`is found: a producer that ${id}`, async () => {
    const found = await find();
    expect(guarantees).toContain(found?.guarantee);
    expect(found?.runs).toBeLessThanOrEqual(120);
  });
}

// It rests for a second, and a fetch of kafkajs that finds nothing takes five.
test("copies outlive the reading again of their records, which takes some seconds", async () => {
  const broker = brokers.kafka({ partitions: 3 });
  const { situations } = await checkProducer({ broker, createProducer, numRuns: 60 });
  expect(new Map(situations).get(OUTLIVED)).toBeGreaterThanOrEqual(4);
  expect(new Map(situations).get(HELD_EXPIRED)).toBeGreaterThanOrEqual(1);
});
