import { expect, test } from "vitest";
import * as kafka from "../../scenarios/producers/orders.ts";
import * as confluent from "../../scenarios/producers/confluent.ts";
import * as eventHubs from "../../scenarios/producers/event-hubs.ts";
import * as httpFeed from "../../scenarios/producers/http-feed.ts";
import * as kinesis from "../../scenarios/producers/kinesis.ts";
import * as mqtt from "../../scenarios/producers/mqtt.ts";
import * as nats from "../../scenarios/producers/nats.ts";
import * as nodeRedis from "../../scenarios/producers/node-redis.ts";
import * as outbox from "../../scenarios/producers/outbox.ts";
import * as pubsub from "../../scenarios/producers/pubsub.ts";
import * as rabbitmq from "../../scenarios/producers/rabbitmq.ts";
import * as rabbitmqRetry from "../../scenarios/producers/rabbitmq-retry.ts";
import * as redis from "../../scenarios/producers/redis.ts";
import * as serviceBus from "../../scenarios/producers/service-bus.ts";
import * as serviceBusSessions from "../../scenarios/producers/service-bus-sessions.ts";
import * as sqs from "../../scenarios/producers/sqs.ts";
import { brokerNamed } from "../../sim/brokers/broker-named.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import type { SharedStreamProducer } from "../../src/shared-stream/mod.ts";

interface ProducerModule {
  /** The client is the library's own for the producer, and the model's for the check. */
  createProducer(given: { readonly client: unknown }): SharedStreamProducer<unknown, unknown>;
}

const CORRECT: readonly (readonly [broker: string, module: unknown])[] = [
  ["kafka", kafka],
  ["confluent-kafka", confluent],
  ["event-hubs", eventHubs],
  ["http-feed", httpFeed],
  ["kinesis", kinesis],
  ["mqtt", mqtt],
  ["nats", nats],
  ["outbox", outbox],
  ["pubsub", pubsub],
  ["rabbitmq", rabbitmq],
  ["rabbitmq", rabbitmqRetry],
  ["redis", redis],
  ["node-redis", nodeRedis],
  ["service-bus", serviceBus],
  ["service-bus-sessions", serviceBusSessions],
  ["sqs", sqs],
  ["sqs-fifo", sqs],
];

/** The 2,000 runs of which the folder's README speaks are a command that it names. */
const RUNS = 50;

for (const [at, [name, module]] of CORRECT.entries()) {
  const isSecond = CORRECT.findIndex(([other]) => other === name) < at;
  test(`the correct producer of scenarios/producers holds on ${name}${isSecond ? ", with retries" : ""}`, async () => {
    const broker = brokerNamed(name);
    if (broker === undefined) throw new Error(`There is no broker model ${name}`);
    const { createProducer } = module as ProducerModule;
    const report = await checkProducer({
      broker,
      createProducer: ({ client }) => createProducer({ client }),
      numRuns: RUNS,
    });
    expect(report.runs).toBe(RUNS);
  });
}
