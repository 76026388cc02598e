import { ConfluentAdmin } from "./confluent-admin.ts";
import { ConfluentConsumer } from "./confluent-consumer.ts";
import { ConfluentProducer } from "./confluent-producer.ts";
import { assertCommonConfig, type ConfluentConfig, mergedConfig } from "./confluent-settings.ts";
import type { ClusterParts } from "./kafka-cluster-parts.ts";

/**
 * The client of a Kafka cluster, with the interface of `KafkaJS.Kafka` of
 * `@confluentinc/kafka-javascript`.
 *
 * - `consumer()`: `connect`, `subscribe`, `run` (`eachMessage`, `eachBatch`), `commitOffsets`,
 *   `committed`, `seek`, `pause`, `resume`, `paused`, `assignment`, `disconnect`; its configuration
 *   has a block `kafkaJS` and librdkafka's properties, `rebalance_cb` among them.
 * - `producer()`: `connect`, `send`, `sendBatch`, `flush`, `disconnect`. Records in another topic than
 *   the workload's are dead letters.
 * - `admin()`: `connect`, `listTopics`, `createTopics`, `fetchTopicMetadata`, `fetchTopicOffsets`,
 *   `fetchOffsets`, `disconnect`.
 *
 * Defaults and errors are those of version 1.10.
 */
export interface ConfluentKafkaClient {
  /**
   * Creates a consumer of a group.
   *
   * @internal
   */
  consumer(config?: ConfluentConfig): ConfluentConsumer;
  /**
   * Creates a producer.
   *
   * @internal
   */
  producer(config?: ConfluentConfig): ConfluentProducer;
  /**
   * Creates an admin client.
   *
   * @internal
   */
  admin(config?: ConfluentConfig): ConfluentAdmin;
}

/** As most set it up: the options of kafkajs that are left out have kafkajs' defaults then. */
const COMMON: ConfluentConfig = { kafkaJS: { brokers: ["localhost:9092"] } };

// The classes have the names of the library's.
for (const [part, name] of [
  [ConfluentConsumer, "Consumer"],
  [ConfluentProducer, "Producer"],
  [ConfluentAdmin, "Admin"],
] as const) {
  Object.defineProperty(part, "name", { value: name });
}

/** The client of a process, as `new Kafka()` makes it. */
export function confluentClient(
  parts: ClusterParts,
  common: ConfluentConfig = COMMON,
): ConfluentKafkaClient {
  assertCommonConfig(common);
  const { opened, nextName, target } = parts;
  return {
    consumer: (config) => {
      const merged = mergedConfig(common, config, "consumer");
      return opened("a consumer", new ConfluentConsumer(parts, nextName(), merged));
    },
    producer: (config) => {
      const merged = mergedConfig(common, config, "producer");
      return opened("a producer", new ConfluentProducer(parts, target, merged));
    },
    admin: (config) => {
      const merged = mergedConfig(common, config, "admin");
      return opened("an admin client", new ConfluentAdmin(parts, merged));
    },
  };
}
