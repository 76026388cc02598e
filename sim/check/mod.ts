/**
 * Checks of a producer, a resumable job or a state backend of your own. Each runs your code under
 * faults and reports the first broken promise with the smallest run that breaks it.
 *
 * ```ts
 * import { brokers, checkProducer, checkResumableJob } from "faultlane/check";
 * import { NightlyBatch } from "./nightly-batch.ts";
 * import { OrdersProducer } from "./orders-producer.ts";
 *
 * const producer = await checkProducer({
 *   broker: brokers.kafka({ partitions: 3 }),
 *   createProducer: ({ client }) => new OrdersProducer(client),
 *   numRuns: 20,
 * });
 * const job = await checkResumableJob((client, { task }) => new NightlyBatch(client, task), {
 *   system: "livy",
 *   numRuns: 20,
 * });
 * console.log(producer.runs, job.runs); // => 20 20
 * ```
 *
 * - The same seed gives the same counterexample.
 * - Your state backend has to pass the laws that the kit's own backends pass.
 *
 * @module
 */
export {
  checkStateBackend,
  type CreateStateBackend,
  type StateBackendOptions,
  type StateBackendReport,
  type StateBackendSubject,
  StateBackendViolation,
} from "./backend/check-state-backend.ts";
export type {
  Broker,
  BrokerLink,
  BrokerModel,
  ClientPort,
  Disturbance,
  Publication,
} from "../brokers/broker.ts";
export { type Brokers, brokers } from "../brokers/brokers.ts";
export type { LoadBalancingOptions } from "../brokers/event-hubs/balancing.ts";
export type { Checkpoint, PartitionOwnership } from "../brokers/event-hubs/checkpoint-blobs.ts";
export type { CheckpointStore } from "../brokers/event-hubs/checkpoint-store.ts";
export type {
  EventHubConsumerClientOptions,
  EventHubCredential,
} from "../brokers/event-hubs/client-arguments.ts";
export type {
  EventHubConsumerClient,
  Subscription,
} from "../brokers/event-hubs/consumer-client.ts";
export type { EventData, EventPosition, ReceivedEventData } from "../brokers/event-hubs/event.ts";
export type {
  EventHubProperties,
  LastEnqueuedEventProperties,
  PartitionProperties,
} from "../brokers/event-hubs/hub.ts";
export type { EventHubsModule, EventHubsOptions } from "../brokers/event-hubs/model.ts";
export type {
  EventHubProducerClient,
  SendBatchOptions,
} from "../brokers/event-hubs/producer-client.ts";
export type {
  CloseReason,
  PartitionContext,
  SubscribeOptions,
  SubscriptionEventHandlers,
} from "../brokers/event-hubs/pump.ts";
export type { FeedClient, FeedRequest } from "../brokers/http-feed/feed-client.ts";
export type { FeedResponse } from "../brokers/http-feed/feed-response.ts";
export type { HttpFeedOptions } from "../brokers/http-feed/model.ts";
export type { ConfluentKafkaClient } from "../brokers/kafka/confluent-client.ts";
export type { KafkaClient, KafkaOptions } from "../brokers/kafka/kafka-model.ts";
export type {
  Checkpointer,
  IteratorPlace,
  KinesisRecord,
  KinesisRecords,
  KinesisWorker,
  PutRecordInput,
  PutRecordsInput,
  PutRecordsOutput,
  ShardReader,
} from "../brokers/kinesis/client.ts";
export type { KinesisClient } from "../brokers/kinesis/kinesis-client.ts";
export type { KinesisOptions } from "../brokers/kinesis/model.ts";
export type { PutResult } from "../brokers/kinesis/put-result.ts";
export type { MqttModule, MqttServerOptions } from "../brokers/mqtt/model.ts";
export type { NatsClient } from "../brokers/nats/client.ts";
export type { NatsOptions } from "../brokers/nats/model.ts";
export type { OutboxOptions } from "../brokers/outbox/model.ts";
export type { QueryConfig, QueryResult } from "../brokers/outbox/pg-query.ts";
export type { TypeParsers } from "../brokers/outbox/pg-types.ts";
export type { PgPoolClient } from "../brokers/outbox/pg-client.ts";
export type { PgPool } from "../brokers/outbox/pg-pool.ts";
export type { PubSubOptions } from "../brokers/pubsub/pubsub-broker.ts";
export type { PubSubClient } from "../brokers/pubsub/pubsub-client.ts";
export type { AmqpClient, RabbitmqOptions } from "../brokers/rabbitmq/model.ts";
export type { RedisClient } from "../brokers/redis/client.ts";
export type { RedisCommands } from "../brokers/redis/redis-commands.ts";
export type { RedisHashes } from "../brokers/redis/redis-hashes.ts";
export type { RedisKeys } from "../brokers/redis/redis-keys.ts";
export type { RedisLists } from "../brokers/redis/redis-lists.ts";
export type { RedisSets } from "../brokers/redis/redis-sets.ts";
export type { RedisSortedSets } from "../brokers/redis/redis-sorted-sets.ts";
export type { NodeRedisClient } from "../brokers/redis/node-redis-client.ts";
export type { NodeRedisGroups } from "../brokers/redis/node-redis-groups.ts";
export type { NodeRedisHashes } from "../brokers/redis/node-redis-hashes.ts";
export type { NodeRedisKeys } from "../brokers/redis/node-redis-keys.ts";
export type { NodeRedisLists } from "../brokers/redis/node-redis-lists.ts";
export type { NodeRedisSets } from "../brokers/redis/node-redis-sets.ts";
export type { NodeRedisSortedSets } from "../brokers/redis/node-redis-sorted-sets.ts";
export type { NodeRedisStreams } from "../brokers/redis/node-redis-streams.ts";
export type { RedisOptions } from "../brokers/redis/model.ts";
export type { ServiceBusOptions } from "../brokers/service-bus/service-bus-broker.ts";
export type { ServiceBusClient } from "../brokers/service-bus/service-bus-client.ts";
export type { SqsOptions } from "../brokers/sqs/sqs-broker.ts";
export type { SqsClient } from "../brokers/sqs/sqs-client.ts";
export type { DecisionTableName } from "../checkers/producer/decision-tables.ts";
export type { Decision, DecisionTable, Outcome } from "../checkers/producer/record-facts.ts";
export { checkProducer, type ProducerSpec } from "./producer/check-producer.ts";
export { type LikelySource, NotDeterministic } from "../run/not-deterministic.ts";
export { NotVirtual, type RealUse } from "../realm/not-virtual.ts";
export type { CheckReport } from "./producer/check-report.ts";
export type { CounterexampleSize } from "./producer/counterexample-size.ts";
export { PropertyViolation } from "./property-violation.ts";
export type { JobDescription, JobRequest, JobResult } from "../jobs/job.ts";
export type { JobClient, JobOrder } from "../jobs/job-client.ts";
export {
  JobCancelFailed,
  JobConflict,
  JobMismatch,
  JobNotFound,
  JobRejected,
  JobResultGone,
  NoJobResult,
} from "../jobs/job-errors.ts";
export type { JobId, JobIdKind } from "../jobs/job-id.ts";
export type {
  CancelBehaviour,
  DurationRange,
  Idempotency,
  JobRetention,
  JobSystemKnobs,
  StatusVocabulary,
} from "../jobs/job-knobs.ts";
export type { JobQuery } from "../jobs/job-query.ts";
export type { Ratio } from "../faults/rule.ts";
export { JOB_SYSTEM_NAMES, type JobSystemName } from "../jobs/presets.ts";
export {
  checkResumableJob,
  type JobCounterexampleSize,
  type ResumableJobOptions,
  type ResumableJobReport,
} from "./check-resumable-job.ts";
export type {
  CheckedJob,
  CreateJob,
  JobSurroundings,
} from "../worlds/operator/operator-under-test.ts";
export { type Identify, Unrecognisable } from "../worlds/producer/producer-observer.ts";
export {
  type CreateProducer,
  FactoryThrew,
  NoProducer,
} from "../worlds/producer/producer-under-test.ts";
export type { Vacuity, VacuityKind } from "../run/vacuity.ts";
