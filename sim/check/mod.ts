/**
 * Checks of a user's own parts: each reports the broken promise in words, shrunk.
 *
 * ```ts
 * await checkStateBackend(async () => new MyStateBackend());
 * await checkProducer({
 *   broker: brokers.kafka({ partitions: 3 }),
 *   createProducer: ({ client }) => new OrdersProducer(client),
 * });
 * await checkResumableJob((client) => new NightlyBatch(client), { system: "livy" });
 * ```
 *
 * - The same seed gives the same counterexample.
 * - What is checked is what every backend of the kit has to pass itself.
 *
 * @module
 */
export {
  checkStateBackend,
  type StateBackendReport,
  StateBackendViolation,
} from "./check-state-backend.ts";
export type { CreateStateBackend, StateBackendLaw } from "./check-state-backend.ts";
export type { Broker, BrokerLink, BrokerModel, Disturbance, Wire } from "../brokers/broker.ts";
export type { KafkaClient } from "../brokers/kafka/kafka-model.ts";
export type { PubSubClient } from "../brokers/pubsub/pubsub-client.ts";
export type { ServiceBusClient } from "../brokers/service-bus/service-bus-client.ts";
export type { SqsClient } from "../brokers/sqs/sqs-client.ts";
export type { Decision, DecisionTable, Outcome } from "../checkers/producer-facts.ts";
export { brokers } from "./brokers.ts";
export { checkProducer, type ProducerSpec } from "./check-producer.ts";
export { NotVirtual } from "./not-virtual.ts";
export type { CheckReport } from "./producer-tally.ts";
export { type CounterexampleSize, PropertyViolation } from "./producer-violation.ts";
export type { JobDescription, JobResult } from "../jobs/job.ts";
export type { JobClient, JobOrder } from "../jobs/job-client.ts";
export {
  JobCancelFailed,
  JobConflict,
  JobNotFound,
  JobRejected,
  JobResultGone,
  NoJobResult,
} from "../jobs/job-errors.ts";
export type { JobId } from "../jobs/job-id.ts";
export type { JobSystemKnobs } from "../jobs/job-knobs.ts";
export { JOB_SYSTEM_NAMES, type JobSystemName } from "../jobs/presets.ts";
export {
  checkResumableJob,
  type JobCounterexampleSize,
  type ResumableJobOptions,
  type ResumableJobReport,
} from "./check-resumable-job.ts";
export type { CheckedJob, CreateJob, JobSurroundings } from "./resumable-job-world.ts";
export { type Identify, Unrecognisable } from "./producer-witness.ts";
export { type CreateProducer, FactoryThrew, NoProducer } from "./producer-world.ts";
