import { assertModelled } from "../not-modelled.ts";
import { assertFits } from "./kafka-bits.ts";
import { KafkaJSCreateTopicError, KafkaJSNonRetriableError } from "./kafka-errors.ts";
import { assertKinds, isWhole, optional } from "./kafka-kinds.ts";
import type { KafkaLog } from "./kafka-log.ts";
import { isTopicName } from "./kafka-topic-name.ts";

/** What a topic is configured with. */
interface ConfigEntry {
  readonly name: string;
  readonly value: string;
}

/** A topic to create; what is left out has the cluster's defaults. */
export interface TopicConfig {
  readonly topic: string;
  readonly numPartitions?: number;
  readonly replicationFactor?: number;
  /** Checked, and without an effect. */
  readonly configEntries?: readonly ConfigEntry[];
}

const CLUSTER_DEFAULT = -1;
const BROKERS = 1;
/** One more is more than the server writes down at once. */
const PARTITIONS_MAX = 9_999;
const INT_MAX = 2_147_483_647n;
const LONG_MAX = 9_223_372_036_854_775_807n;

/** Whether the text of a value is one that a setting takes. */
type Rule = (value: string) => boolean;

const between =
  (min: bigint, max: bigint): Rule =>
  (value) =>
    /^[+-]?\d+$/.test(value) && BigInt(value) >= min && BigInt(value) <= max;
const int = (min: bigint): Rule => between(min, INT_MAX);
const long = (min: bigint): Rule => between(min, LONG_MAX);
const words = (...all: readonly string[]): Rule => all.includes.bind(all);
const form = (pattern: RegExp): Rule => pattern.test.bind(pattern);

const FLAG = form(/^(?:true|false)$/i);
const ANY_LONG = long(-LONG_MAX - 1n);
const LEVEL_PRESET = -1n;
const REPLICAS = form(/^(?:\*|\d+:\d+(?:,\d+:\d+)*)?$/);
const VERSION = form(
  /^(?:0\.(?:8\.[0-2]|9\.0|10\.[0-2]|11\.0)|1\.[01]|2\.[0-8]|3\.\d)(?:[.-].*)?$/,
);

/** A cluster without remote storage. Source: Apache Kafka 3.9, LogConfig */
const RULES: Readonly<Record<string, Rule>> = {
  "cleanup.policy": form(/^(?:(?:compact|delete)(?:,(?:compact|delete))*)?$/),
  "compression.type": words("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
  "compression.gzip.level": (value) =>
    between(1n, 9n)(value) || between(LEVEL_PRESET, LEVEL_PRESET)(value),
  "compression.lz4.level": between(1n, 17n),
  "compression.zstd.level": between(-131_072n, 22n),
  "delete.retention.ms": long(0n),
  "file.delete.delay.ms": long(0n),
  "flush.messages": long(1n),
  "flush.ms": long(0n),
  "follower.replication.throttled.replicas": REPLICAS,
  "index.interval.bytes": int(0n),
  "leader.replication.throttled.replicas": REPLICAS,
  "local.retention.bytes": long(-2n),
  "local.retention.ms": long(-2n),
  "max.compaction.lag.ms": long(1n),
  "max.message.bytes": int(0n),
  "message.downconversion.enable": FLAG,
  "message.format.version": VERSION,
  "message.timestamp.after.max.ms": long(0n),
  "message.timestamp.before.max.ms": long(0n),
  "message.timestamp.difference.max.ms": long(0n),
  "message.timestamp.type": words("CreateTime", "LogAppendTime"),
  "min.cleanable.dirty.ratio": form(/^(?:0?\.\d+|0|1|1\.0*)$/),
  "min.compaction.lag.ms": long(0n),
  "min.insync.replicas": int(1n),
  preallocate: FLAG,
  "remote.log.copy.disable": FLAG,
  "remote.log.delete.on.disable": FLAG,
  "remote.storage.enable": form(/^false$/i),
  "retention.bytes": ANY_LONG,
  "retention.ms": long(-1n),
  "segment.bytes": int(14n),
  "segment.index.bytes": int(4n),
  "segment.jitter.ms": long(0n),
  "segment.ms": long(1n),
  "unclean.leader.election.enable": FLAG,
};

/** Returns why the broker does not create a topic, if it does not. */
export function creationRefusal(
  log: KafkaLog,
  config: TopicConfig,
): KafkaJSCreateTopicError | undefined {
  const { topic, numPartitions = CLUSTER_DEFAULT, replicationFactor = CLUSTER_DEFAULT } = config;
  if (numPartitions > PARTITIONS_MAX) return new KafkaJSCreateTopicError("POLICY_VIOLATION", topic);
  if (!isTopicName(topic)) return new KafkaJSCreateTopicError("INVALID_TOPIC_EXCEPTION", topic);
  if (log.has(topic)) return new KafkaJSCreateTopicError("TOPIC_ALREADY_EXISTS", topic);
  if (numPartitions !== CLUSTER_DEFAULT && numPartitions < 1) {
    return new KafkaJSCreateTopicError("INVALID_PARTITIONS", topic);
  }
  if (replicationFactor !== CLUSTER_DEFAULT && replicationFactor !== BROKERS) {
    return new KafkaJSCreateTopicError("INVALID_REPLICATION_FACTOR", topic);
  }
  if (areTaken(config.configEntries ?? [])) return undefined;
  return new KafkaJSCreateTopicError("INVALID_CONFIG", topic);
}

function areTaken(entries: readonly ConfigEntry[]): boolean {
  if (!entries.every(({ name, value }) => RULES[name]?.(value) === true)) return false;
  const numberOf = (wanted: string, preset: bigint): bigint =>
    BigInt(entries.findLast(({ name }) => name === wanted)?.value ?? preset);
  return numberOf("min.compaction.lag.ms", 0n) <= numberOf("max.compaction.lag.ms", LONG_MAX);
}

export function createTopic(
  log: KafkaLog,
  { topic, numPartitions = CLUSTER_DEFAULT }: TopicConfig,
): void {
  if (numPartitions === CLUSTER_DEFAULT) log.partitionsOf(topic);
  else log.partitionsOf(topic, numPartitions);
}

const CONFIGURED = ["topic", "numPartitions", "replicationFactor", "configEntries"];

/** @throws {KafkaJSNonRetriableError} for entries that are none */
export function assertEntries(config: TopicConfig): void {
  assertModelled("kafka.admin().createTopics()", config, CONFIGURED, "brokers.kafka");
  const entries: unknown = config.configEntries ?? [];
  const invalid = `Invalid configEntries for topic "${config.topic}"`;
  if (!Array.isArray(entries)) throw new KafkaJSNonRetriableError(`${invalid}, must be an array`);
  for (const [at, entry] of (entries as readonly unknown[]).entries()) {
    if (typeof entry !== "object" || entry === null) {
      throw new KafkaJSNonRetriableError(`${invalid}. Entry ${at} must be an object`);
    }
    const { name, value } = entry as Partial<ConfigEntry>;
    const missing = typeof name !== "string" ? "name" : typeof value !== "string" ? "value" : "";
    if (missing === "") continue;
    const words = `Entry ${at} must have a valid "${missing}" property`;
    throw new KafkaJSNonRetriableError(`${invalid}. ${words}`);
  }
}

const TOPIC_KINDS = {
  numPartitions: optional(isWhole),
  replicationFactor: optional(isWhole),
};

/**
 * @throws {NotModelled} for what only a caller without types can give
 * @throws {RangeError} for a number that cannot be written
 */
export function assertTopicKinds(config: TopicConfig): void {
  assertKinds("kafka.admin().createTopics()", config, TOPIC_KINDS);
  assertFits(config.numPartitions ?? CLUSTER_DEFAULT, 32);
  assertFits(config.replicationFactor ?? CLUSTER_DEFAULT, 16);
}
