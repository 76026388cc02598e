import type { BrokerModel } from "./broker.ts";
import { eventHubs, type EventHubsModule, type EventHubsOptions } from "./event-hubs/model.ts";
import type { FeedClient } from "./http-feed/feed-client.ts";
import { httpFeed, type HttpFeedOptions } from "./http-feed/model.ts";
import type { ConfluentKafkaClient } from "./kafka/confluent-client.ts";
import { confluentKafka, kafka, type KafkaClient, type KafkaOptions } from "./kafka/kafka-model.ts";
import type { KinesisWorker } from "./kinesis/client.ts";
import { kinesis, type KinesisOptions } from "./kinesis/model.ts";
import { mqtt, type MqttModule, type MqttServerOptions } from "./mqtt/model.ts";
import type { NatsClient } from "./nats/client.ts";
import { nats, type NatsOptions } from "./nats/model.ts";
import { outbox, type OutboxOptions } from "./outbox/model.ts";
import type { PgPool } from "./outbox/pg-pool.ts";
import { pubsub, type PubSubOptions } from "./pubsub/pubsub-broker.ts";
import type { PubSubClient } from "./pubsub/pubsub-client.ts";
import { type AmqpClient, rabbitmq, type RabbitmqOptions } from "./rabbitmq/model.ts";
import type { RedisClient } from "./redis/client.ts";
import { nodeRedis, redis, type RedisOptions } from "./redis/model.ts";
import type { NodeRedisClient } from "./redis/node-redis-client.ts";
import {
  serviceBus,
  type ServiceBusOptions,
  serviceBusSessions,
} from "./service-bus/service-bus-broker.ts";
import type { ServiceBusClient } from "./service-bus/service-bus-client.ts";
import { sqs, sqsFifo, type SqsOptions } from "./sqs/sqs-broker.ts";
import type { SqsClient } from "./sqs/sqs-client.ts";

/**
 * Creates broker models. A model's client has the interface of the library that is named here, as
 * far as the model has it. Its errors are instances of the library's own classes where the process
 * has loaded the library, and so are the clients of Pub/Sub, SQS and Kinesis; otherwise they have
 * the same names and fields.
 */
export interface Brokers {
  /** Creates a hub of Azure Event Hubs with a store of checkpoints, for `@azure/event-hubs`. */
  readonly eventHubs: (options?: EventHubsOptions) => BrokerModel<EventHubsModule>;
  /** Creates a feed over HTTP that is read by long polls, for `fetch`. */
  readonly httpFeed: (options?: HttpFeedOptions) => BrokerModel<FeedClient>;
  /** Creates a Kafka cluster, for kafkajs. */
  readonly kafka: (options?: KafkaOptions) => BrokerModel<KafkaClient>;
  /** Creates the same cluster, for `KafkaJS` of `@confluentinc/kafka-javascript`. */
  readonly confluentKafka: (options?: KafkaOptions) => BrokerModel<ConfluentKafkaClient>;
  /** Creates a Kinesis stream, for workers like those of the Kinesis Client Library. */
  readonly kinesis: (options?: KinesisOptions) => BrokerModel<KinesisWorker>;
  /** Creates an MQTT server, for `mqtt` (MQTT.js). */
  readonly mqtt: (options?: MqttServerOptions) => BrokerModel<MqttModule>;
  /** Creates a NATS server with a JetStream stream, for `@nats-io/jetstream`. */
  readonly nats: (options?: NatsOptions) => BrokerModel<NatsClient>;
  /** Creates a table in PostgreSQL that workers poll, for pg. */
  readonly outbox: (options?: OutboxOptions) => BrokerModel<PgPool>;
  /** Creates a RabbitMQ node with one queue, for amqplib. */
  readonly rabbitmq: (options?: RabbitmqOptions) => BrokerModel<AmqpClient>;
  /** Creates a pull subscription of Google Pub/Sub, for `@google-cloud/pubsub`. */
  readonly pubsub: (options?: PubSubOptions) => BrokerModel<PubSubClient>;
  /** Creates a Redis server with one stream and one consumer group, for ioredis. */
  readonly redis: (options?: RedisOptions) => BrokerModel<RedisClient>;
  /** Creates the same Redis server, for node-redis (`redis`, `@redis/client`). */
  readonly nodeRedis: (options?: RedisOptions) => BrokerModel<NodeRedisClient>;
  /** Creates a queue of Azure Service Bus, for `@azure/service-bus`. */
  readonly serviceBus: (options?: ServiceBusOptions) => BrokerModel<ServiceBusClient>;
  /** Creates a queue of Azure Service Bus that requires sessions, for `@azure/service-bus`. */
  readonly serviceBusSessions: (options?: ServiceBusOptions) => BrokerModel<ServiceBusClient>;
  /** Creates a standard SQS queue, for `@aws-sdk/client-sqs`. */
  readonly sqs: (options?: SqsOptions) => BrokerModel<SqsClient>;
  /** Creates an SQS FIFO queue, for `@aws-sdk/client-sqs`. */
  readonly sqsFifo: (options?: SqsOptions) => BrokerModel<SqsClient>;
}

/**
 * The broker models that come with the kit.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const model = brokers.kafka({ partitions: 6 });
 * console.log(model.name, Object.keys(brokers).length); // => kafka 16
 * ```
 */
export const brokers: Brokers = Object.freeze({
  kafka,
  confluentKafka,
  kinesis,
  eventHubs,
  mqtt,
  nats,
  outbox,
  rabbitmq,
  redis,
  nodeRedis,
  pubsub,
  serviceBus,
  serviceBusSessions,
  sqs,
  sqsFifo,
  httpFeed,
});
