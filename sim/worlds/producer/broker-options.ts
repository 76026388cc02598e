import { z } from "zod";
import type { EventHubsOptions } from "../../brokers/event-hubs/model.ts";
import type { HttpFeedOptions } from "../../brokers/http-feed/model.ts";
import type { KafkaOptions } from "../../brokers/kafka/kafka-model.ts";
import type { KinesisOptions } from "../../brokers/kinesis/model.ts";
import type { MqttServerOptions } from "../../brokers/mqtt/model.ts";
import type { NatsOptions } from "../../brokers/nats/model.ts";
import type { OutboxOptions } from "../../brokers/outbox/model.ts";
import type { PubSubOptions } from "../../brokers/pubsub/pubsub-broker.ts";
import type { RabbitmqOptions } from "../../brokers/rabbitmq/model.ts";
import type { RedisOptions } from "../../brokers/redis/model.ts";
import {
  LOCK_SECONDS_MAX,
  type ServiceBusOptions,
} from "../../brokers/service-bus/service-bus-broker.ts";
import type { SqsOptions } from "../../brokers/sqs/sqs-broker.ts";
import { count } from "../../codecs/count.ts";

const stream = z
  .string()
  .exactOptional()
  .describe('The stream with the records; default "orders".');
const tableName = z
  .string()
  .regex(/^[a-z_][a-z0-9_]*$/, { error: 'expected a name such as "outbox"' })
  .exactOptional();
const milliseconds = z.int().min(1).exactOptional();
const seconds = z.int().min(1);

const serviceBusOptions = z.strictObject({
  lockDurationSeconds: seconds
    .max(LOCK_SECONDS_MAX)
    .exactOptional()
    .describe("How long a lock lasts; default 30, at most 300."),
  maxDeliveryCount: count
    .exactOptional()
    .describe("After how many failed deliveries a message is dead-lettered; default 10."),
});

const sqsOptions = z.strictObject({
  visibilityTimeoutSeconds: seconds
    .exactOptional()
    .describe("The visibility timeout of the queue; default 30."),
  maxReceiveCount: count
    .exactOptional()
    .describe("After how many receives the queue dead-letters a message; default: never."),
  inFlightSecondsMax: seconds
    .exactOptional()
    .describe("How long renewals can keep a message in flight; default 43,200."),
  queue: z
    .string()
    .exactOptional()
    .describe("The name of the queue; default: that of the one which is received from first."),
  deadLetterQueues: z
    .array(z.string())
    .exactOptional()
    .describe("The other queues that there are; default: any, and others do not exist."),
});

const kafkaOptions = z.strictObject({
  partitions: count.exactOptional().describe("How many partitions each topic has; default 3."),
});

const redisOptions = z.strictObject({
  stream,
  group: z.string().exactOptional().describe('The consumer group; default "triggerer".'),
  majorVersion: count.exactOptional().describe("The version of the server; default 8."),
});

/** The options of each model, as scenario files and the command line take them. */
export const BROKER_OPTIONS: {
  readonly "event-hubs": z.ZodType<EventHubsOptions, unknown>;
  readonly "http-feed": z.ZodType<HttpFeedOptions, unknown>;
  readonly kafka: z.ZodType<KafkaOptions, unknown>;
  readonly "confluent-kafka": z.ZodType<KafkaOptions, unknown>;
  readonly kinesis: z.ZodType<KinesisOptions, unknown>;
  readonly mqtt: z.ZodType<MqttServerOptions, unknown>;
  readonly nats: z.ZodType<NatsOptions, unknown>;
  readonly outbox: z.ZodType<OutboxOptions, unknown>;
  readonly rabbitmq: z.ZodType<RabbitmqOptions, unknown>;
  readonly redis: z.ZodType<RedisOptions, unknown>;
  readonly "node-redis": z.ZodType<RedisOptions, unknown>;
  readonly pubsub: z.ZodType<PubSubOptions, unknown>;
  readonly "service-bus": z.ZodType<ServiceBusOptions, unknown>;
  readonly "service-bus-sessions": z.ZodType<ServiceBusOptions, unknown>;
  readonly sqs: z.ZodType<SqsOptions, unknown>;
  readonly "sqs-fifo": z.ZodType<SqsOptions, unknown>;
} = {
  "event-hubs": z
    .strictObject({
      eventHub: z.string().exactOptional().describe('The hub with the records; default "orders".'),
      consumerGroup: z
        .string()
        .exactOptional()
        .describe('The consumer group that must get the records; default "$Default".'),
      partitions: count.exactOptional().describe("How many partitions the hub has; default 2."),
    })
    .describe("A hub of Azure Event Hubs and its checkpoints, for @azure/event-hubs."),
  "http-feed": z
    .strictObject({
      waitSecondsMax: seconds
        .exactOptional()
        .describe("How long a request may wait for events; default 30."),
      gatewayTimeoutSeconds: seconds
        .exactOptional()
        .describe("After how long a gateway replies with 504; default 60."),
      pageMax: count.exactOptional().describe("How many events a reply has at most; default 100."),
    })
    .describe("A feed over HTTP that is read by long polls, for fetch."),
  kafka: kafkaOptions.describe("A Kafka cluster, for kafkajs."),
  "confluent-kafka": kafkaOptions.describe("A Kafka cluster, for @confluentinc/kafka-javascript."),
  kinesis: z
    .strictObject({
      stream,
      shards: count.exactOptional().describe("How many shards it has; default 2."),
      deadLetterStreams: z
        .array(z.string())
        .exactOptional()
        .describe("The other streams that there are; default: any, and others do not exist."),
      leaseMs: milliseconds.describe("How long a lease lasts without renewal; default 10,000."),
    })
    .describe("A Kinesis stream and a lease table, for workers like those of the KCL."),
  mqtt: z
    .strictObject({
      topic: z
        .string()
        .regex(/^[^/+#$][^+#]*$/, { error: 'expected a topic such as "orders"' })
        .exactOptional()
        .describe('The first level of the records\' topics; default "orders".'),
      deadLetterTopic: z
        .string()
        .exactOptional()
        .describe('The topic for dead letters; default "dead/orders".'),
      qos: z
        .union([z.literal(0), z.literal(1), z.literal(2)])
        .exactOptional()
        .describe("The quality of service with which records are published; default 2."),
      maxInflightMessages: count
        .exactOptional()
        .describe("How many messages may be unacknowledged at once; default 20."),
    })
    .describe("An MQTT server, for mqtt."),
  nats: z
    .strictObject({
      stream: z.string().exactOptional().describe('The stream with the records; default "ORDERS".'),
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
  outbox: z
    .strictObject({
      table: tableName.describe('The table with the records; default "outbox".'),
      deadLetterTable: tableName.describe('The table for dead letters; default "outbox_dead".'),
      leaseMs: milliseconds.describe("How long the leases of the producer are; default 30,000."),
    })
    .describe("A table in PostgreSQL that workers poll, for pg."),
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
  redis: redisOptions.describe("A Redis stream with a consumer group, for ioredis."),
  "node-redis": redisOptions.describe("A Redis stream with a consumer group, for node-redis."),
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
      topic: z
        .string()
        .exactOptional()
        .describe('The topic of the subscription; default "orders".'),
      subscription: z
        .string()
        .exactOptional()
        .describe("The name of the subscription; default: any, and another one is unknown."),
      deadLetterTopics: z
        .array(z.string())
        .exactOptional()
        .describe("The other topics that there are; default: any, and others are unknown."),
    })
    .describe("A pull subscription of Google Pub/Sub, for @google-cloud/pubsub."),
  "service-bus": serviceBusOptions.describe("An Azure Service Bus queue."),
  "service-bus-sessions": serviceBusOptions.describe("The same, requiring sessions."),
  sqs: sqsOptions.describe("A standard SQS queue, for @aws-sdk/client-sqs."),
  "sqs-fifo": sqsOptions.describe("An SQS FIFO queue."),
};
