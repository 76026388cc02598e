import { refusing } from "../not-modelled.ts";
import { type ConfluentTopicDescription, namesOf, topicsDescribed } from "./confluent-described.ts";
import {
  argumentError,
  ConfluentAggregateError,
  ConfluentCreateTopicError,
  ConfluentError,
  confluentErrorFrom,
  notImplemented,
  stateError,
} from "./confluent-errors.ts";
import { assertAdminConfig, type ConfluentConfig } from "./confluent-settings.ts";
import { request, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import {
  isProtocolError,
  type KafkaJSCreateTopicError,
  KafkaJSProtocolError,
} from "./kafka-errors.ts";
import { topicsListed } from "./kafka-topics.ts";
import { isTopicName } from "./kafka-topic-name.ts";
import { createTopic, creationRefusal, type TopicConfig } from "./kafka-topic-config.ts";

/** Members of the library's admin client that the model does not have. */
export type RefusedConfluentAdminCall =
  | ("deleteTopics" | "listGroups" | "describeGroups" | "deleteGroups" | "deleteTopicRecords")
  | "fetchTopicOffsetsByTimestamp";

const REFUSED: Readonly<Record<RefusedConfluentAdminCall, true>> = {
  ...{ deleteTopics: true, listGroups: true, describeGroups: true, deleteGroups: true },
  ...{ deleteTopicRecords: true, fetchTopicOffsetsByTimestamp: true },
};

/** The committed offsets of a group in one topic. */
export interface ConfluentGroupOffsets {
  readonly topic: string;
  readonly partitions: {
    readonly partition: number;
    readonly offset: string;
    readonly metadata: string | null;
    readonly leaderEpoch: number | null;
    readonly error: null;
  }[];
}

type TopicInput = readonly string[] | readonly { topic: string; partitions: readonly number[] }[];
type State = "new" | "connected" | "disconnected";

const OFFSETS_TIMEOUT_MS = 5000;
const TIMEOUT_MAX_MS = 3_600_000;
const INVALID = "Local: Invalid argument or configuration";
/** What the library says where nothing is committed. */
const NONE_COMMITTED = -1001;

/** The part of the library's admin client that a producer asks for topics and offsets. */
export class ConfluentAdmin {
  readonly #parts: ClientParts;
  readonly #config: ConfluentConfig;
  readonly #isUsable: () => boolean;
  #state: State = "new";

  constructor(parts: ClientParts, config: ConfluentConfig, isUsable: () => boolean = () => true) {
    this.#parts = parts;
    this.#config = config;
    this.#isUsable = isUsable;
    for (const name of Object.keys(REFUSED)) {
      const value = refusing(`kafka.admin().${name}()`, "brokers.confluentKafka");
      Object.defineProperty(this, name, { value });
    }
  }

  get isOpen(): boolean {
    return this.#state === "connected";
  }

  async connect(): Promise<void> {
    if (this.#state !== "new") throw stateError("Connect has already been called elsewhere.");
    assertAdminConfig(this.#config);
    if (!this.#isUsable()) throw stateError("Underlying client is not connected.");
    this.#state = "connected";
    await Promise.resolve();
  }

  async disconnect(): Promise<void> {
    await Promise.resolve();
    if (this.#state === "connected") this.#state = "disconnected";
  }

  listTopics(_options?: { readonly timeout?: number }): Promise<string[]> {
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
    readonly timeout?: number;
  }): Promise<boolean> {
    this.#assertConnected();
    for (const name of ["validateOnly", "waitForLeaders"]) {
      if (Object.hasOwn(options, name)) throw notImplemented(`${name} is not yet implemented.`);
    }
    const topics = options.topics.map((config) => ({
      config: asConfigured(config),
      topic: config.topic,
    }));
    const errors = await this.#ask(() =>
      topics.flatMap(({ config, topic }) =>
        this.#create(config).map((refusal) => ({ refusal, topic })),
      ),
    );
    const failed = errors.filter(({ refusal }) => refusal.type !== "TOPIC_ALREADY_EXISTS");
    if (failed.length === 0) return errors.length === 0;
    throw new ConfluentAggregateError(
      "Topic creation errors",
      failed.map(
        ({ refusal, topic }) => new ConfluentCreateTopicError(confluentErrorFrom(refusal), topic),
      ),
    );
  }

  /**
   * Describes topics: these, or all that there are. As the library does, it sets what is left out
   * of the options.
   *
   * @throws {KafkaJSProtocolError} when there is no such topic
   * @throws {KafkaJSTimeout} when `timeout` leaves no time for a reply
   */
  async fetchTopicMetadata(
    options: {
      topics?: string[];
      timeout?: number;
      includeAuthorizedOperations?: boolean;
    } = {},
  ): Promise<ConfluentTopicDescription[]> {
    this.#assertConnected();
    const isAll = !Object.hasOwn(options, "topics");
    const topics = isAll ? await this.listTopics() : options.topics;
    if (!Object.hasOwn(options, "timeout")) options.timeout = OFFSETS_TIMEOUT_MS;
    options.includeAuthorizedOperations ??= false;
    const { timeout, includeAuthorizedOperations: showsOperations } = options;
    const names = namesOf(topics);
    assertTimeout(timeout);
    return await this.#ask(() => topicsDescribed(this.#parts, names, showsOperations));
  }

  /**
   * Returns what offsets a topic's partitions begin and end with.
   *
   * @throws {KafkaJSProtocolError} when there is no such topic
   * @throws {KafkaJSTimeout} when `timeout` leaves no time for a reply
   */
  async fetchTopicOffsets(
    given: string,
    options: { readonly timeout?: number } = {},
  ): Promise<{ partition: number; offset: string; high: string; low: string }[]> {
    // A caller without types may give anything, which is named by its text.
    const anything: unknown = given;
    const name = String(anything);
    this.#assertConnected();
    const { timeout } = Object.hasOwn(options, "timeout")
      ? options
      : { timeout: OFFSETS_TIMEOUT_MS };
    assertTimeout(timeout);
    const offsets = await this.#ask(() => {
      const { log } = this.#parts;
      if (name === "") throw argumentError(INVALID);
      if (!isTopicName(name)) throw new KafkaJSProtocolError("INVALID_TOPIC_EXCEPTION");
      if (!log.has(name)) throw new KafkaJSProtocolError("UNKNOWN_TOPIC_OR_PARTITION");
      return log.partitionsOf(name).map(({ number, low, end }) => ({
        ...{ partition: number, offset: String(end), high: String(end), low: String(low) },
      }));
    });
    // Only the first of its requests has the default for what is no number.
    const left = Number(timeout);
    if (left <= 0) throw timedOut("Timeout exceeded while fetching topic metadata.");
    assertTimeout(left);
    return offsets;
  }

  /** Returns a group's offsets: of these topics, or of all in which it has committed. */
  async fetchOffsets(
    options: {
      readonly groupId?: string;
      readonly topics?: TopicInput;
      readonly timeout?: number;
    } = {},
  ): Promise<ConfluentGroupOffsets[]> {
    this.#assertConnected();
    if (Object.hasOwn(options, "resolveOffsets")) {
      throw notImplemented("resolveOffsets is not yet implemented.");
    }
    const { groupId } = options;
    if (!groupId) throw argumentError("groupId is required.");
    const topics = topicsFrom(options.topics);
    const places = topics.flatMap((one) =>
      typeof one === "string" ? [] : one.partitions.map((number) => `${one.topic}/${number}`),
    );
    if (new Set(places).size < places.length) throw argumentError(INVALID);
    return await this.#ask(() => this.#offsetsOf(groupId, topics));
  }

  #offsetsOf(groupId: string, topics: TopicInput): ConfluentGroupOffsets[] {
    const { log, groups } = this.#parts;
    const named = new Map<string, readonly number[] | undefined>();
    for (const one of topics) {
      if (typeof one === "string") named.set(one, undefined);
      else named.set(one.topic, [...(named.get(one.topic) ?? []), ...one.partitions]);
    }
    return (named.size > 0 ? [...named.keys()] : log.topics()).flatMap((topic) => {
      const asked = named.get(topic);
      const all = log.has(topic) ? log.partitionsOf(topic).map(({ number }) => number) : [];
      const partitions = (asked ?? all).flatMap((partition) => {
        const offset = groups.committed(groupId, topic, partition);
        if (offset === undefined && asked === undefined) return [];
        const metadata = groups.metadataOf(groupId, topic, partition);
        const text = String(offset ?? NONE_COMMITTED);
        // Of the epoch 0 the library makes none.
        const leaderEpoch = groups.leaderEpochOf(groupId, topic, partition) || null;
        return [{ partition, offset: text, metadata, leaderEpoch, error: null }];
      });
      return partitions.length > 0 ? [{ topic, partitions }] : [];
    });
  }

  #create(config: TopicConfig): readonly KafkaJSCreateTopicError[] {
    const { log } = this.#parts;
    const refusal = creationRefusal(log, config);
    if (refusal === undefined) createTopic(log, config);
    return refusal === undefined ? [] : [refusal];
  }

  #assertConnected(): void {
    if (this.#state !== "connected") throw stateError("Admin client is not connected.");
  }

  async #ask<T>(effect: () => T): Promise<T> {
    this.#assertConnected();
    const { port, host } = this.#parts;
    try {
      const attempt = (): Promise<T> => request(port, "broker.fetch", host, effect);
      return await retried(port, {}, attempt, isProtocolError);
    } catch (error) {
      throw confluentErrorFrom((error as Error).cause ?? error);
    }
  }
}

/**
 * A timeout that is a number is cut to whole milliseconds; no reply comes within one.
 *
 * @throws {KafkaJSError} when it is none that librdkafka takes
 * @throws {KafkaJSTimeout} when there is no time
 */
function assertTimeout(given: unknown): void {
  if (typeof given !== "number") return;
  const ms = Math.trunc(given);
  if (ms < 0 || ms > TIMEOUT_MAX_MS) {
    throw argumentError(
      `Invalid value type for "request_timeout": expecting integer in range 0..${TIMEOUT_MAX_MS}`,
    );
  }
  if (!(ms > 1)) throw timedOut("Local: Timed out");
}

function timedOut(message: string): ConfluentError {
  return new ConfluentError(message, "ERR__TIMED_OUT");
}

/** The topics that are asked for; all, where there is no list. */
function topicsFrom(topics: unknown): TopicInput {
  if (!Array.isArray(topics)) return [];
  const given: readonly unknown[] = topics;
  const [first] = given as readonly { readonly partitions?: unknown }[];
  // A caller without types may give a list of nothing.
  const isPlaces = typeof first === "object" && Array.isArray(first.partitions);
  if (isPlaces) {
    // Of a text among them the library takes the partitions, too.
    const isOther = (one: unknown): boolean => !Array.isArray((one as typeof first)?.partitions);
    if (given.some(isOther)) throw new TypeError("topic.partitions is not a list");
  }
  // What is not a text is no topic then.
  if (typeof first === "string") return given.filter((one) => typeof one === "string");
  if (isPlaces) return given as TopicInput;
  throw argumentError("Invalid topics format.");
}

/** A topic as the library asks for it: a setting without a value keeps the cluster's. */
function asConfigured(config: TopicConfig): TopicConfig {
  if ("replicaAssignment" in config) {
    throw notImplemented("replicaAssignment is not yet implemented.");
  }
  const { topic, configEntries } = config;
  if (configEntries && typeof configEntries[Symbol.iterator] !== "function") {
    throw new TypeError("topic.configEntries is not iterable");
  }
  const given: readonly Readonly<Record<"name" | "value", unknown>>[] = [...(configEntries ?? [])];
  const entries = given
    .filter(({ value }) => (value ?? undefined) !== undefined)
    .map(({ name, value }) => ({ name: String(name), value: String(value) }));
  return { ...config, topic: topic ?? "", configEntries: entries };
}
