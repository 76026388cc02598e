import { refusing } from "../not-modelled.ts";
import { assertFits } from "./kafka-bits.ts";
import { type RetryOptions, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import {
  hasType,
  isNamed,
  isOfNetwork,
  KafkaJSAggregateError,
  KafkaJSCreateTopicError,
  KafkaJSNonRetriableError,
  KafkaJSProtocolError,
} from "./kafka-errors.ts";
import {
  assertEventOf,
  Instrumentation,
  type InstrumentationEvent,
  type KafkaLogger,
  SILENT_LOGGER,
} from "./kafka-events.ts";
import { askedFrom, assertPlaces, assertTopic, type GivenPlace, seekFrom } from "./kafka-given.ts";
import { descriptionOf, type GroupDescription } from "./kafka-group-facts.ts";
import { KafkaLink } from "./kafka-link.ts";
import {
  assertAdminKinds,
  assertKinds,
  either,
  isNull,
  isNumber,
  isText,
  isWhole,
  listOf,
  optional,
} from "./kafka-kinds.ts";
import type { Partition } from "./kafka-log.ts";
import {
  assertEntries,
  assertTopicKinds,
  createTopic,
  creationRefusal,
  type TopicConfig,
} from "./kafka-topic-config.ts";
import {
  missingTopicError,
  type TopicDescription,
  topicsDescribed,
  topicsListed,
} from "./kafka-topics.ts";

export interface AdminConfig {
  readonly retry?: RetryOptions;
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
] as const;

/** Members of the library's admin client that the model does not have. */
export type RefusedAdminCall = (typeof NOT_MODELLED)[number];

const SET_KINDS = { groupId: isText, topic: isText };
const NONE_COMMITTED = -1;
/** As an instant is written. */
const INSTANT_BITS = 64;
/** What a commit says instead of an offset. */
const EARLIEST = -2;
const LATEST = -1;

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
  readonly #link: KafkaLink;
  readonly #config: AdminConfig;
  readonly #instrumentation: Instrumentation;
  #isConnected = false;

  constructor(parts: ClientParts, config: AdminConfig) {
    this.#parts = parts;
    this.#link = new KafkaLink(parts.port, parts.host, parts.crashes);
    this.#instrumentation = new Instrumentation(() => parts.port.clock.wallNow());
    assertAdminKinds(config);
    this.#config = config;
    for (const name of NOT_MODELLED) {
      const value = refusing(`kafka.admin().${name}()`, "brokers.kafka");
      Object.defineProperty(this, name, { value, configurable: true });
    }
  }

  get isOpen(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    await this.#ask(() => undefined);
    this.#instrumentation.emit("admin.connect", undefined);
  }

  async disconnect(): Promise<void> {
    await Promise.resolve();
    this.#link.disconnect();
    this.#isConnected = false;
    this.#instrumentation.emit("admin.disconnect", undefined);
  }

  listTopics(): Promise<string[]> {
    return this.#ask(() => topicsListed(this.#parts));
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
    const { topics, validateOnly = false, waitForLeaders = true, timeout } = options;
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
    for (const config of topics) assertEntries(config);
    assertKinds("kafka.admin().createTopics()", { timeout }, { timeout: optional(isWhole) });
    for (const config of topics) assertTopicKinds(config);
    assertFits(timeout ?? 0, 32);
    const errors = await this.#ask(() =>
      topics.flatMap((config) =>
        // The server has no time to create it, also where it would not.
        timeout !== undefined && timeout <= 0
          ? [new KafkaJSCreateTopicError("REQUEST_TIMED_OUT", config.topic)]
          : this.#create(config, validateOnly),
      ),
    );
    if (errors.length === 0 && validateOnly && waitForLeaders && topics.length > 0) {
      // The library waits for what it has not asked to be created.
      throw new KafkaJSProtocolError("UNKNOWN_TOPIC_OR_PARTITION");
    }
    if (errors.length === 0) return true;
    if (errors.every(({ type }) => type === "TOPIC_ALREADY_EXISTS")) return false;
    throw new KafkaJSAggregateError("Topic creation errors", errors);
  }

  /** @throws {KafkaJSNumberOfRetriesExceeded} when there is no such topic */
  async fetchTopicOffsets(
    topic: string,
  ): Promise<{ partition: number; offset: string; high: string; low: string }[]> {
    assertTopic(topic);
    return await this.#ask(() =>
      this.#partitionsOf(topic).map(({ number, low, end }) => ({
        partition: number,
        offset: String(end),
        high: String(end),
        low: String(low),
      })),
    );
  }

  /** Returns the first offsets at an instant or after it; where there are none, the end. */
  async fetchTopicOffsetsByTimestamp(
    topic: string,
    timestamp?: number,
  ): Promise<{ partition: number; offset: string }[]> {
    assertTopic(topic);
    const kinds = { timestamp: optional(either(isNull, isNumber, isText)) };
    assertKinds("kafka.admin().fetchTopicOffsetsByTimestamp()", { timestamp }, kinds);
    // A caller without types may give null, or what is no whole number.
    const instant = Number(BigInt.asIntN(INSTANT_BITS, BigInt(timestamp ?? LATEST)));
    const read = (): { partition: number; offset: string }[] =>
      this.#partitionsOf(topic).map(({ number: partition, records, low, end }) => {
        if (instant < EARLIEST) throw new KafkaJSProtocolError("UNSUPPORTED_VERSION");
        if (instant === EARLIEST) return { partition, offset: String(low) };
        const found = records.find((record) => record.timestamp >= instant);
        return { partition, offset: String(instant === LATEST ? end : (found?.offset ?? end)) };
      });
    const isOther = (error: unknown): boolean => !hasType(error, "UNKNOWN_TOPIC_OR_PARTITION");
    return await this.#ask(read, isOther);
  }

  /** Describes topics: these, or all that there are. */
  async fetchTopicMetadata(options: { readonly topics?: string[] } = {}): Promise<{
    topics: TopicDescription[];
  }> {
    const { topics } = options;
    // A caller without types may give none as null.
    const asked = [...new Set(topics ?? [])];
    topics?.forEach((topic) => assertTopic(topic));
    return await this.#link.ask("broker.fetch", () => ({
      topics: topicsDescribed(this.#parts, asked.length > 0 ? asked : topicsListed(this.#parts)),
    }));
  }

  /** Returns a group's offsets: of these topics, or of all in which it has committed. */
  async fetchOffsets(options: {
    readonly groupId: string;
    readonly topics?: string[];
    readonly resolveOffsets?: boolean;
  }): Promise<GroupOffsets[]> {
    const { groupId, resolveOffsets = false } = options;
    if (!groupId) throw new KafkaJSNonRetriableError(`Invalid groupId ${groupId}`);
    const given: unknown = options.topics || [];
    if (!Array.isArray(given)) {
      throw new KafkaJSNonRetriableError("Expected topics array to be set");
    }
    const kinds = { groupId: isText, topics: listOf(isText) };
    assertKinds("kafka.admin().fetchOffsets()", { groupId, topics: given }, kinds);
    const topics = [...new Set(given as readonly string[])];
    const { log, groups } = this.#parts;
    const read = (): GroupOffsets[] =>
      (topics.length > 0 ? topics : log.topics()).flatMap((topic) => {
        const partitions = this.#partitionsOf(topic).flatMap(({ number: partition, low, end }) => {
          const offset = groups.committed(groupId, topic, partition);
          if (offset === undefined && topics.length === 0) return [];
          const metadata = groups.metadataOf(groupId, topic, partition);
          const known = offset ?? NONE_COMMITTED;
          const resolved = known === EARLIEST ? low : known === LATEST ? end : known;
          return [{ partition, offset: String(resolveOffsets ? resolved : known), metadata }];
        });
        return partitions.length > 0 ? [{ topic, partitions }] : [];
      });
    const found = await this.#link.ask("broker.fetch", read);
    if (resolveOffsets) {
      // The library commits what it has resolved.
      for (const { topic, partitions } of found) {
        await this.setOffsets({ groupId, topic, partitions });
      }
    }
    return found;
  }

  /**
   * Commits for a group that has no members.
   *
   * @throws {KafkaJSNonRetriableError} when it has some
   */
  async setOffsets(options: {
    readonly groupId: string;
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
  }): Promise<void> {
    const { groupId, topic, partitions } = options;
    if (!groupId) throw new KafkaJSNonRetriableError(`Invalid groupId ${groupId}`);
    if (!topic) throw new KafkaJSNonRetriableError(`Invalid topic ${topic}`);
    if ((partitions as unknown) && typeof partitions === "object" && !Array.isArray(partitions)) {
      // The library reads whatever one may go through.
      assertKinds("kafka.admin().setOffsets()", { partitions }, { partitions: listOf(isText) });
    }
    if (!(partitions as unknown) || partitions.length === 0) {
      throw new KafkaJSNonRetriableError("Invalid partitions");
    }
    askedFrom(topic, undefined);
    assertKinds("kafka.admin().setOffsets()", { groupId, topic }, SET_KINDS);
    const { groups, log, port } = this.#parts;
    if (!log.has(topic)) throw missingTopicError(topic);
    await this.#ask(() => {
      const state = groups.stateOf(groupId);
      if (state !== "Dead" && state !== "Empty") {
        throw new KafkaJSNonRetriableError(
          `The consumer group must have no running instances, current state: ${state}`,
        );
      }
      const places = [...partitions].map((place) =>
        seekFrom({ topic, ...(place as Partial<GivenPlace>) } as GivenPlace),
      );
      assertPlaces("kafka.admin().setOffsets()", places);
      const isThere = (place: { readonly topic: string; readonly partition: number }): boolean =>
        place.topic === topic && log.partition(topic, place.partition) !== undefined;
      const offsets = places
        .filter(isThere)
        .map(({ partition, offset }) => ({ topic, partition, offset: Number(offset.value) }));
      groups.set(groupId, `${port.name}/admin`, offsets);
    });
  }

  /** Has a group begin anew: at the beginning, or at the end. */
  async resetOffsets(options: {
    readonly groupId: string;
    readonly topic: string;
    readonly earliest?: boolean;
  }): Promise<void> {
    const { groupId, topic, earliest = false } = options;
    if (!groupId) throw new KafkaJSNonRetriableError(`Invalid groupId ${groupId}`);
    if (!topic) throw new KafkaJSNonRetriableError(`Invalid topic ${topic}`);
    assertKinds("kafka.admin().resetOffsets()", { groupId, topic }, SET_KINDS);
    if (!this.#parts.log.has(topic)) throw missingTopicError(topic);
    const offset = String(earliest ? EARLIEST : LATEST);
    const numbers = await this.#ask(() => this.#partitionsOf(topic).map(({ number }) => number));
    const partitions = numbers.map((partition) => ({ partition, offset }));
    await this.setOffsets({ groupId, topic, partitions });
  }

  listGroups(): Promise<{ groups: { groupId: string; protocolType: string }[] }> {
    return this.#ask(() => ({
      groups: this.#parts.groups.names().map((groupId) => ({ groupId, protocolType: "consumer" })),
    }));
  }

  async describeGroups(groupIds: readonly string[]): Promise<{ groups: GroupDescription[] }> {
    const { groups } = this.#parts;
    const asked = groupIds.map((id) => id);
    assertKinds("kafka.admin().describeGroups()", { groupIds }, { groupIds: listOf(isText) });
    return await this.#ask(() => ({ groups: asked.map((id) => descriptionOf(groups, id)) }));
  }

  // The library's listeners take an event of their own shape each.
  // oxlint-disable-next-line typescript/no-explicit-any
  on(eventName: string, listener: (event: InstrumentationEvent<any>) => unknown): () => void {
    assertEventOf("admin", this.events, eventName);
    return this.#instrumentation.on(eventName, listener);
  }

  logger(): KafkaLogger {
    return SILENT_LOGGER;
  }

  #create(config: TopicConfig, validateOnly: boolean): readonly KafkaJSCreateTopicError[] {
    const { log } = this.#parts;
    const refusal = creationRefusal(log, config);
    if (refusal === undefined && !validateOnly) createTopic(log, config);
    return refusal === undefined ? [] : [refusal];
  }

  #partitionsOf(topic: string): readonly Partition[] {
    const { log } = this.#parts;
    if (!log.has(topic)) throw missingTopicError(topic);
    return log.partitionsOf(topic);
  }

  /** The library tries again after some errors of the server alone, not after one of the network. */
  async #ask<T>(effect: () => T, isFinal?: (error: unknown) => boolean): Promise<T> {
    const attempt = (): Promise<T> => {
      this.#isConnected = true;
      return this.#link.ask("broker.fetch", effect);
    };
    const isOver = (error: unknown): boolean =>
      isOfNetwork(error) ||
      isNamed(error, "KafkaJSNumberOfRetriesExceeded") ||
      hasType(error, "INVALID_TOPIC_EXCEPTION") ||
      isFinal?.(error) === true;
    return await retried(this.#parts.port, this.#config.retry ?? {}, attempt, isOver);
  }
}
