import { z } from "zod";
import type { BrokerModel } from "../../brokers/broker.ts";
import { kafka, type KafkaOptions } from "../../brokers/kafka/kafka-model.ts";
import { kinesis, type KinesisOptions } from "../../brokers/kinesis/model.ts";
import { nats, type NatsOptions } from "../../brokers/nats/model.ts";
import { pubsub, type PubSubOptions } from "../../brokers/pubsub/pubsub-broker.ts";
import { rabbitmq, type RabbitmqOptions } from "../../brokers/rabbitmq/model.ts";
import { redis, type RedisOptions } from "../../brokers/redis/model.ts";
import {
  serviceBus,
  type ServiceBusOptions,
  serviceBusSessions,
} from "../../brokers/service-bus/service-bus-broker.ts";
import { sqs, sqsFifo, type SqsOptions } from "../../brokers/sqs/sqs-broker.ts";
import { count } from "../../codecs/count.ts";

/** A broker as scenario files name it, with the options that its model takes in code. */
export type BrokerSpec =
  | { readonly kafka: KafkaOptions }
  | { readonly kinesis: KinesisOptions }
  | { readonly nats: NatsOptions }
  | { readonly rabbitmq: RabbitmqOptions }
  | { readonly redis: RedisOptions }
  | { readonly pubsub: PubSubOptions }
  | { readonly "service-bus": ServiceBusOptions }
  | { readonly "service-bus-sessions": ServiceBusOptions }
  | { readonly sqs: SqsOptions }
  | { readonly "sqs-fifo": SqsOptions }
  | { readonly own: { readonly name: string } };

const stream = z
  .string()
  .exactOptional()
  .describe('The stream with the records; default "orders".');
const milliseconds = z.int().min(1).exactOptional();
const seconds = z.int().min(1).exactOptional();

const serviceBusOptions = z.strictObject({
  lockDurationSeconds: seconds.describe("How long a lock lasts; default 30."),
  maxDeliveryCount: count
    .exactOptional()
    .describe("After how many failed deliveries a message is dead-lettered; default 10."),
});

const sqsOptions = z.strictObject({
  visibilityTimeoutSeconds: seconds.describe("The visibility timeout of the queue; default 30."),
  maxReceiveCount: count
    .exactOptional()
    .describe("After how many receives the queue dead-letters a message; default: never."),
  inFlightSecondsMax: seconds.describe(
    "How long renewals can keep a message in flight; default 43,200.",
  ),
});

/** The broker of a scenario: one member, named like the model, with its options. */
export const brokerSpec: z.ZodType<BrokerSpec, unknown> = z.union([
  z.strictObject({
    kafka: z
      .strictObject({
        partitions: count
          .exactOptional()
          .describe("How many partitions each topic has; default 3."),
      })
      .describe("A Kafka cluster, for kafkajs."),
  }),
  z.strictObject({
    kinesis: z
      .strictObject({
        stream,
        shards: count.exactOptional().describe("How many shards it has; default 2."),
        leaseMs: milliseconds.describe("How long a lease lasts without renewal; default 10,000."),
      })
      .describe("A Kinesis stream and a lease table, for workers like those of the KCL."),
  }),
  z.strictObject({
    nats: z
      .strictObject({
        stream: z
          .string()
          .exactOptional()
          .describe('The stream with the records; default "ORDERS".'),
        consumer: z.string().exactOptional().describe('The durable consumer; default "triggerer".'),
        ackPolicy: z
          .enum(["none", "all", "explicit"])
          .exactOptional()
          .describe('The ack policy of the consumer; default "explicit".'),
        ackWaitMs: milliseconds.describe(
          "How long a delivery may stay unacknowledged; default 5,000.",
        ),
        maxDeliver: count
          .exactOptional()
          .describe("How often a message is delivered at most; default: no limit."),
        maxAckPending: count
          .exactOptional()
          .describe("How many messages may be unacknowledged at once; default 1,000."),
      })
      .describe("A NATS server with JetStream, for @nats-io/jetstream."),
  }),
  z.strictObject({
    rabbitmq: z
      .strictObject({
        queue: z.string().exactOptional().describe('The queue with the records; default "orders".'),
        deadLetterQueue: z
          .string()
          .exactOptional()
          .describe('The queue for dead letters; default "orders.dead".'),
        hasDeadLetterPolicy: z
          .boolean()
          .exactOptional()
          .describe("Whether the server dead-letters what is rejected; default false."),
        consumerTimeoutMs: milliseconds.describe(
          "How long a delivery may stay unacknowledged; default 30 minutes.",
        ),
      })
      .describe("A RabbitMQ server, for amqplib."),
  }),
  z.strictObject({
    redis: z
      .strictObject({
        stream,
        group: z.string().exactOptional().describe('The consumer group; default "triggerer".'),
        majorVersion: count.exactOptional().describe("The version of the server; default 8."),
      })
      .describe("A Redis stream with a consumer group, for ioredis."),
  }),
  z.strictObject({
    pubsub: z
      .strictObject({
        orderingKeys: z
          .boolean()
          .exactOptional()
          .describe("Whether the records of one key are ordered; default false."),
        exactlyOnceDelivery: z
          .boolean()
          .exactOptional()
          .describe("Whether an ack is confirmed; default false."),
        maxDeliveryAttempts: count
          .exactOptional()
          .describe("After how many failed deliveries a message is moved; default: never."),
      })
      .describe("A pull subscription of Google Pub/Sub, for @google-cloud/pubsub."),
  }),
  z.strictObject({
    "service-bus": serviceBusOptions.describe("An Azure Service Bus queue."),
  }),
  z.strictObject({
    "service-bus-sessions": serviceBusOptions.describe("The same, requiring sessions."),
  }),
  z.strictObject({ sqs: sqsOptions.describe("A standard SQS queue, for @aws-sdk/client-sqs.") }),
  z.strictObject({ "sqs-fifo": sqsOptions.describe("An SQS FIFO queue.") }),
  z.strictObject({
    own: z
      .strictObject({ name: z.string().describe("The name of the model.") })
      .describe("A broker model of your own, which has to be given in code."),
  }),
]);

/** How a scenario names this model; one without a name of its own there is given in code. */
export function brokerSpecOf({ name, spec }: BrokerModel<unknown>): BrokerSpec {
  if (spec === undefined) return { own: { name } };
  return brokerSpec.parse(
    Object.fromEntries(Object.entries(spec).map(([model, options]) => [model, given(options)])),
  );
}

/** How long a lease of the broker lasts where its options say so, in milliseconds; otherwise 0. */
export function leaseMsOf(spec: BrokerSpec): number {
  if ("kinesis" in spec) return spec.kinesis.leaseMs ?? 0;
  if ("nats" in spec) return spec.nats.ackWaitMs ?? 0;
  if ("rabbitmq" in spec) return spec.rabbitmq.consumerTimeoutMs ?? 0;
  if ("service-bus" in spec) return 1_000 * (spec["service-bus"].lockDurationSeconds ?? 0);
  if ("service-bus-sessions" in spec) {
    return 1_000 * (spec["service-bus-sessions"].lockDurationSeconds ?? 0);
  }
  if ("sqs" in spec) return 1_000 * (spec.sqs.visibilityTimeoutSeconds ?? 0);
  if ("sqs-fifo" in spec) return 1_000 * (spec["sqs-fifo"].visibilityTimeoutSeconds ?? 0);
  return 0;
}

/** Defaults of the models, in milliseconds. */
const ACK_WAIT_MS = 5_000;
const LOCK_MS = 30_000;
const PUBSUB_LEASE_MS = 10_000;
const PUBSUB_EXACTLY_ONCE_LEASE_MS = 60_000;

/**
 * How long a delivery or a session is leased that its client has to renew, in milliseconds; 0 for a
 * broker that has no such leases.
 */
export function renewableMsOf(spec: BrokerSpec): number {
  if ("nats" in spec) return spec.nats.ackPolicy === "none" ? 0 : leaseMsOf(spec) || ACK_WAIT_MS;
  if ("pubsub" in spec) {
    return spec.pubsub.exactlyOnceDelivery === true
      ? PUBSUB_EXACTLY_ONCE_LEASE_MS
      : PUBSUB_LEASE_MS;
  }
  const isLocked =
    "sqs" in spec || "sqs-fifo" in spec || "service-bus" in spec || "service-bus-sessions" in spec;
  return isLocked ? leaseMsOf(spec) || LOCK_MS : 0;
}

/** The options without those that are undefined. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/**
 * Makes the model that a scenario names.
 *
 * @throws {TypeError} for a model that has to be given in code
 */
export function brokerFrom(spec: BrokerSpec): BrokerModel<unknown> {
  if ("kafka" in spec) return kafka(spec.kafka);
  if ("kinesis" in spec) return kinesis(spec.kinesis);
  if ("nats" in spec) return nats(spec.nats);
  if ("rabbitmq" in spec) return rabbitmq(spec.rabbitmq);
  if ("redis" in spec) return redis(spec.redis);
  if ("pubsub" in spec) return pubsub(spec.pubsub);
  if ("service-bus" in spec) return serviceBus(spec["service-bus"]);
  if ("service-bus-sessions" in spec) return serviceBusSessions(spec["service-bus-sessions"]);
  if ("sqs" in spec) return sqs(spec.sqs);
  if ("sqs-fifo" in spec) return sqsFifo(spec["sqs-fifo"]);
  throw new TypeError(`Cannot run on the broker "${spec.own.name}": give its model in code`);
}
