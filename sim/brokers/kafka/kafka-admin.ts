import { NotModelled, refusing } from "../not-modelled.ts";
import { request, type RetryOptions, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import {
  KafkaJSAggregateError,
  KafkaJSCreateTopicError,
  KafkaJSNonRetriableError,
  KafkaJSProtocolError,
} from "./kafka-errors.ts";
import { type KafkaLogger, SILENT_LOGGER } from "./kafka-events.ts";
import type { Partition } from "./kafka-log.ts";

export interface AdminConfig {
  readonly retry?: RetryOptions;
}

/** A topic to create; what is left out has the cluster's defaults. */
export interface TopicConfig {
  readonly topic: string;
  readonly numPartitions?: number;
  readonly replicationFactor?: number;
}

/** The offsets that a group has committed in a topic. */
export interface GroupOffsets {
  readonly topic: string;
  readonly partitions: {
    readonly partition: number;
    readonly offset: string;
    readonly metadata: string | null;
  }[];
}

const NOT_MODELLED = [
  "fetchTopicMetadata",
  "fetchTopicOffsetsByTimestamp",
  "setOffsets",
  "resetOffsets",
  "describeGroups",
  "listGroups",
  "deleteGroups",
  "deleteTopics",
  "deleteTopicRecords",
  "createPartitions",
  "describeCluster",
  "describeConfigs",
  "alterConfigs",
  "describeAcls",
  "createAcls",
  "deleteAcls",
  "alterPartitionReassignments",
  "listPartitionReassignments",
  "on",
] as const;

/** Members of the library's admin client that the model does not have. */
export type RefusedAdminCall = (typeof NOT_MODELLED)[number];

const NONE_COMMITTED = -1;
const CLUSTER_DEFAULT = -1;

/**
 * The part of kafkajs' admin client that a producer asks for offsets and topics. As in the library,
 * a call on a client that is not connected connects it.
 */
export class KafkaAdmin {
  readonly events: Readonly<Record<string, string>> = {
    CONNECT: "admin.connect",
    DISCONNECT: "admin.disconnect",
    REQUEST: "admin.network.request",
    REQUEST_TIMEOUT: "admin.network.request_timeout",
    REQUEST_QUEUE_SIZE: "admin.network.request_queue_size",
  };
  readonly #parts: ClientParts;
  readonly #config: AdminConfig;
  #isConnected = false;

  constructor(parts: ClientParts, config: AdminConfig) {
    this.#parts = parts;
    this.#config = config;
    for (const name of NOT_MODELLED) {
      const value = refusing(`kafka.admin().${name}()`, "brokers.kafka");
      Object.defineProperty(this, name, { value });
    }
  }

  get isOpen(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    await this.#ask(() => undefined);
  }

  async disconnect(): Promise<void> {
    await Promise.resolve();
    this.#isConnected = false;
  }

  listTopics(): Promise<string[]> {
    return this.#ask(() => [...this.#parts.log.topics()]);
  }

  /**
   * Creates the topics that do not exist yet.
   *
   * @returns false if one of them existed
   * @throws {KafkaJSAggregateError} when one has no valid number of partitions
   */
  async createTopics(options: {
    readonly topics: TopicConfig[];
    readonly validateOnly?: boolean;
    readonly waitForLeaders?: boolean;
    readonly timeout?: number;
  }): Promise<boolean> {
    const { topics, validateOnly = false } = options;
    if (!Array.isArray(topics)) {
      throw new KafkaJSNonRetriableError(`Invalid topics array ${String(topics)}`);
    }
    const names = topics.map(({ topic }) => topic);
    if (names.some((name) => typeof name !== "string")) {
      throw new KafkaJSNonRetriableError(
        "Invalid topics array, the topic names have to be a valid string",
      );
    }
    if (new Set(names).size < names.length) {
      throw new KafkaJSNonRetriableError(
        "Invalid topics array, it cannot have multiple entries for the same topic",
      );
    }
    const errors = await this.#ask(() =>
      topics.flatMap((config) => this.#create(config, validateOnly)),
    );
    if (errors.length === 0) return true;
    if (errors.every(({ type }) => type === "TOPIC_ALREADY_EXISTS")) return false;
    throw new KafkaJSAggregateError("Topic creation errors", errors);
  }

  /** @throws {KafkaJSNumberOfRetriesExceeded} when there is no such topic */
  fetchTopicOffsets(
    topic: string,
  ): Promise<{ partition: number; offset: string; high: string; low: string }[]> {
    return this.#ask(() =>
      this.#partitionsOf(topic).map(({ number, low, end }) => ({
        partition: number,
        offset: String(end),
        high: String(end),
        low: String(low),
      })),
    );
  }

  /** Returns a group's offsets: of these topics, or of all in which it has committed. */
  async fetchOffsets(options: {
    readonly groupId: string;
    readonly topics?: string[];
    readonly resolveOffsets?: boolean;
  }): Promise<GroupOffsets[]> {
    const { groupId, topics = [], resolveOffsets = false } = options;
    if (!groupId) throw new KafkaJSNonRetriableError(`Invalid groupId ${groupId}`);
    if (resolveOffsets) {
      throw new NotModelled("fetchOffsets({ resolveOffsets })", "brokers.kafka");
    }
    const { log, groups } = this.#parts;
    return await this.#ask(() =>
      (topics.length > 0 ? topics : log.topics()).flatMap((topic) => {
        const partitions = this.#partitionsOf(topic).flatMap(({ number: partition }) => {
          const offset = groups.committed(groupId, topic, partition);
          if (offset === undefined && topics.length === 0) return [];
          const metadata = groups.metadataOf(groupId, topic, partition);
          return [{ partition, offset: String(offset ?? NONE_COMMITTED), metadata }];
        });
        return partitions.length > 0 ? [{ topic, partitions }] : [];
      }),
    );
  }

  logger(): KafkaLogger {
    return SILENT_LOGGER;
  }

  #create(config: TopicConfig, validateOnly: boolean): readonly KafkaJSCreateTopicError[] {
    const { topic, numPartitions = CLUSTER_DEFAULT } = config;
    const { log } = this.#parts;
    if (log.has(topic)) return [new KafkaJSCreateTopicError("TOPIC_ALREADY_EXISTS", topic)];
    if (numPartitions !== CLUSTER_DEFAULT && numPartitions < 1) {
      return [new KafkaJSCreateTopicError("INVALID_PARTITIONS", topic)];
    }
    if (validateOnly) return [];
    if (numPartitions === CLUSTER_DEFAULT) log.partitionsOf(topic);
    else log.partitionsOf(topic, numPartitions);
    return [];
  }

  #partitionsOf(topic: string): readonly Partition[] {
    const { log } = this.#parts;
    if (!log.has(topic)) throw new KafkaJSProtocolError("UNKNOWN_TOPIC_OR_PARTITION");
    return log.partitionsOf(topic);
  }

  async #ask<T>(effect: () => T): Promise<T> {
    const { port, host } = this.#parts;
    return await retried(port, this.#config.retry ?? {}, () => {
      this.#isConnected = true;
      return request(port, "broker.fetch", host, effect);
    });
  }
}
