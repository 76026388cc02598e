/**
 * Checks of a user's own parts: each reports the broken promise in words, shrunk.
 *
 * ```ts
 * await checkStateBackend(async () => new MyStateBackend());
 * await checkProducer({
 *   broker: brokers.kafka({ partitions: 3 }),
 *   createProducer: ({ client }) => new OrdersProducer(client),
 * });
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
export type { Decision, DecisionTable, Outcome } from "../checkers/producer-facts.ts";
export { brokers } from "./brokers.ts";
export { checkProducer, NotVirtual, type ProducerSpec } from "./check-producer.ts";
export type { CheckReport } from "./producer-tally.ts";
export { type CounterexampleSize, PropertyViolation } from "./producer-violation.ts";
export { type Identify, Unrecognisable } from "./producer-witness.ts";
export { type CreateProducer, FactoryThrew } from "./producer-world.ts";
