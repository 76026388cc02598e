import { NotModelled } from "../not-modelled.ts";
import { argumentError, ConfluentError, notImplemented } from "./confluent-errors.ts";
import { assertValues, wholeNumber } from "./confluent-values.ts";

/** How the library retries; both delays grow by doubling. */
export interface ConfluentRetryOptions {
  readonly maxRetryTime?: number;
  readonly initialRetryTime?: number;
  readonly retries?: number;
}

/** A value of a property of librdkafka, whose names have dots or underscores. */
type Properties = Readonly<Record<string, unknown>>;

/** The configuration of a client: a block as of kafkajs, and librdkafka's properties beside it. */
export interface ConfluentConfig {
  readonly kafkaJS?: object;
}

/** What a consumer's configuration comes to. */
export interface ConsumerSettings {
  readonly groupId: string;
  readonly sessionMs: number;
  readonly heartbeatMs: number;
  readonly maxPollMs: number;
  readonly resetTo: "beginning" | "end";
  readonly isAutoCommit: boolean;
  readonly autoCommitMs: number;
  /** How many messages `eachBatch` gets at most. */
  readonly batchMax: number;
  readonly cacheMs: number;
  readonly rebalanceCb: unknown;
}

/** What a producer's configuration comes to. */
export interface ProducerSettings {
  readonly isIdempotent: boolean;
  readonly retries: number;
  readonly firstRetryMs: number;
  readonly retryMaxMs: number;
  readonly timeoutMs: number;
  readonly isMurmur: boolean;
}

const NOT_MODELLED = "brokers.confluentKafka";

/** Keys of the block `kafkaJS` that every client takes. */
const COMMON = [
  ...["brokers", "clientId", "sasl", "ssl", "requestTimeout", "enforceRequestTimeout"],
  ...["connectionTimeout", "authenticationTimeout", "retry", "socketFactory"],
  ...["reauthenticationThreshold", "logLevel", "logger"],
];
const CONSUMER = [
  ...["groupId", "partitionAssigners", "partitionAssignors", "sessionTimeout"],
  ...["rebalanceTimeout", "heartbeatInterval", "metadataMaxAge", "allowAutoTopicCreation"],
  ...["maxBytesPerPartition", "maxWaitTimeInMs", "minBytes", "maxBytes", "readUncommitted"],
  ...["maxInFlightRequests", "rackId", "fromBeginning", "autoCommit", "autoCommitInterval"],
  "autoCommitThreshold",
];
const PRODUCER = [
  ...["createPartitioner", "metadataMaxAge", "allowAutoTopicCreation", "transactionTimeout"],
  ...["idempotent", "maxInFlightRequests", "transactionalId", "compression", "acks", "timeout"],
];

/** Properties of librdkafka that decide nothing in the model: where to, how fast, how much. */
const HARMLESS = [
  ...["bootstrap.servers", "metadata.broker.list", "client.id", "client.rack", "log_level"],
  ...["debug", "event_cb", "stats_cb", "statistics.interval.ms", "socket.timeout.ms"],
  ...["socket.keepalive.enable", "reconnect.backoff.ms", "reconnect.backoff.max.ms"],
  ...["security.protocol", "allow.auto.create.topics", "topic.metadata.refresh.interval.ms"],
  ...["fetch.wait.max.ms", "fetch.min.bytes", "fetch.max.bytes", "max.partition.fetch.bytes"],
  ...["queued.min.messages", "queued.max.messages.kbytes", "compression.codec"],
  ...["compression.type", "linger.ms", "queue.buffering.max.ms", "batch.size", "retry.backoff.ms"],
  ...[
    "message.max.bytes",
    "sticky.partitioning.linger.ms",
    "batch.num.messages",
    "queue.buffering.max.messages",
    "max.in.flight",
  ],
  "max.in.flight.requests.per.connection",
];
const CONSUMER_PROPERTIES = [
  ...["group.id", "session.timeout.ms", "heartbeat.interval.ms", "max.poll.interval.ms"],
  ...["auto.offset.reset", "enable.auto.commit", "auto.commit.interval.ms", "rebalance_cb"],
  ...["js.consumer.max.batch.size", "js.consumer.max.cache.size.per.worker.ms"],
  ...["partition.assignment.strategy", "enable.auto.offset.store", "group.protocol"],
];
const PRODUCER_PROPERTIES = [
  ...["enable.idempotence", "retries", "message.send.max.retries", "message.timeout.ms"],
  ...["retry.backoff.max.ms", "acks", "request.required.acks", "partitioner", "dr_cb"],
];

const SESSION_MS = 45_000;
const SESSION_MS_AS_KAFKAJS = 30_000;
const HEARTBEAT_MS = 3_000;
const MAX_POLL_MS = 300_000;
const AUTO_COMMIT_MS = 5_000;
const BATCH_MAX = 32;
const CACHE_MS = 1_500;
const MESSAGE_TIMEOUT_MS = 300_000;
const RETRY_MS = 100;
const RETRY_MAX_MS = 1_000;
const RETRIES = 2_147_483_647;
const AS_KAFKAJS = { retries: 5, firstRetryMs: 300, retryMaxMs: 30_000 };

/** The configuration of a client beside that of `Kafka`, as the library merges them. */
export function mergedConfig(
  common: ConfluentConfig,
  own: ConfluentConfig | null | undefined,
  kind: "consumer" | "producer" | "admin",
): ConfluentConfig {
  const keys: readonly string[] = { consumer: CONSUMER, producer: PRODUCER, admin: [] }[kind];
  const misplaced = Object.keys(own ?? {}).find((key) => keys.includes(key) && key !== "acks");
  if (misplaced !== undefined) {
    throw new ConfluentError(
      `The '${misplaced}' property seems to be a KafkaJS property in the main config block. ` +
        "It must be moved to the kafkaJS block.",
      "ERR_UNKNOWN",
    );
  }
  return { ...common, ...own, kafkaJS: { ...common.kafkaJS, ...own?.kafkaJS } };
}

/** Checks the configuration of `Kafka` itself. */
export function assertCommonConfig(config: ConfluentConfig): void {
  const misplaced = Object.keys(config).find((key) => COMMON.includes(key));
  if (misplaced === undefined) return;
  throw new ConfluentError(
    `The '${misplaced}' property seems to be a KafkaJS property in the main config block.` +
      "It must be moved to the kafkaJS block.",
    "ERR_UNKNOWN",
  );
}

export function consumerSettings(config: ConfluentConfig): ConsumerSettings {
  const block = blockOf(config, CONSUMER);
  const properties = propertiesOf(config, [...HARMLESS, ...CONSUMER_PROPERTIES]);
  if (block !== undefined && "autoCommitThreshold" in block) {
    throw notImplemented("The property 'autoCommitThreshold' is not supported by run.");
  }
  if (properties["enable.auto.offset.store"] !== undefined) {
    throw argumentError("Changing 'enable.auto.offset.store' is unsupported.");
  }
  assertValues(block, properties, "consumer");
  assertRoundRobin(block, properties);
  const asKafkaJS = block !== undefined;
  const take = <T>(property: string, name: string, preset: T): T =>
    (properties[property] ?? block?.[name] ?? preset) as T;
  const takeMs = (property: string, name: string, preset: number): number =>
    wholeNumber(take<unknown>(property, name, preset)) ?? preset;
  const groupId = groupIdOf(block, properties);
  if (!["string", "number", "undefined"].includes(typeof groupId)) {
    throw new NotModelled("a group whose name is no text", NOT_MODELLED);
  }
  const presetSession = asKafkaJS ? SESSION_MS_AS_KAFKAJS : SESSION_MS;
  return {
    groupId: String(groupId),
    sessionMs: takeMs("session.timeout.ms", "sessionTimeout", presetSession),
    heartbeatMs: takeMs("heartbeat.interval.ms", "heartbeatInterval", HEARTBEAT_MS),
    // The library doubles it: half is for what it has in hand.
    maxPollMs: 2 * takeMs("max.poll.interval.ms", "rebalanceTimeout", MAX_POLL_MS),
    resetTo: resetFrom(properties["auto.offset.reset"], block?.["fromBeginning"]),
    isAutoCommit: booleanFrom("enable.auto.commit", take("enable.auto.commit", "autoCommit", true)),
    autoCommitMs: takeMs("auto.commit.interval.ms", "autoCommitInterval", AUTO_COMMIT_MS),
    batchMax: batchMaxFrom(properties["js.consumer.max.batch.size"]),
    cacheMs: cacheMsFrom(properties["js.consumer.max.cache.size.per.worker.ms"]),
    rebalanceCb: properties["rebalance_cb"],
  };
}

/** One that is given as undefined has that name. */
function groupIdOf(block: Properties = {}, properties: Properties): unknown {
  if (Object.hasOwn(properties, "group.id")) return properties["group.id"];
  return Object.hasOwn(block, "groupId") ? block["groupId"] : "";
}

export function producerSettings(config: ConfluentConfig): ProducerSettings {
  const block = blockOf(config, PRODUCER);
  const properties = propertiesOf(config, [...HARMLESS, ...PRODUCER_PROPERTIES]);
  if (block !== undefined && "createPartitioner" in block) {
    throw notImplemented("The 'createPartitioner' property is not supported yet.");
  }
  if (block?.["transactionalId"] !== undefined) {
    throw new NotModelled("transactions of a producer", NOT_MODELLED);
  }
  assertValues(block, properties, "producer");
  const acks = properties["acks"] ?? properties["request.required.acks"] ?? block?.["acks"] ?? -1;
  if (acks !== -1 && acks !== "all") {
    throw new NotModelled("a producer with acks other than all", NOT_MODELLED);
  }
  const retry = (block?.["retry"] ?? {}) as ConfluentRetryOptions;
  const preset = block === undefined ? { retries: RETRIES } : AS_KAFKAJS;
  const partitioner = properties["partitioner"];
  const isPlain = partitioner === undefined || partitioner === "consistent_random";
  if (!isPlain && partitioner !== "murmur2_random") {
    throw new NotModelled(`the partitioner ${textOf(partitioner)}`, NOT_MODELLED);
  }
  const given = properties["retries"] ?? properties["message.send.max.retries"];
  const own = { firstRetryMs: RETRY_MS, retryMaxMs: RETRY_MAX_MS, ...preset };
  return {
    isIdempotent: (properties["enable.idempotence"] ?? block?.["idempotent"] ?? false) === true,
    retries: Number(given ?? retry.retries ?? own.retries),
    firstRetryMs: retry.initialRetryTime ?? own.firstRetryMs,
    retryMaxMs: retry.maxRetryTime ?? own.retryMaxMs,
    timeoutMs: Number(properties["message.timeout.ms"] ?? MESSAGE_TIMEOUT_MS),
    isMurmur: partitioner === undefined ? block !== undefined : !isPlain,
  };
}

/** Checks the configuration of an admin client. */
export function assertAdminConfig(config: ConfluentConfig): void {
  const block = blockOf(config, []);
  try {
    assertValues(block, propertiesOf(config, HARMLESS), "admin");
  } catch (error) {
    if (error instanceof NotModelled || ConfluentError.isOne(error)) throw error;
    // An admin client wraps what a consumer and a producer pass on.
    throw new ConfluentError((error as Error).message, "ERR_UNKNOWN");
  }
}

/** The block as of kafkajs; undefined where it is empty, and librdkafka's own defaults hold. */
function blockOf(config: ConfluentConfig, known: readonly string[]): Properties | undefined {
  const block = config.kafkaJS as Properties | undefined;
  if (block === undefined || Object.keys(block).length === 0) return undefined;
  const unknown = Object.keys(block).find((key) => !COMMON.includes(key) && !known.includes(key));
  if (unknown !== undefined) throw argumentError(`The '${unknown}' property is not supported.`);
  assertCommonBlock(block);
  return block;
}

/** Checks what a block for any client has beside names that are known. */
function assertCommonBlock(block: Properties): void {
  const { factor, multiplier, restartOnFailure } = (block["retry"] ?? {}) as Properties;
  if (typeof factor === "number" || typeof multiplier === "number") {
    throw argumentError("The 'retry.factor' and 'retry.multiplier' are not supported.");
  }
  if (restartOnFailure) throw argumentError("The restartOnFailure property is ignored.");
  if ("brokers" in block && !Array.isArray(block["brokers"])) {
    throw argumentError("The 'brokers' property must be an array of strings.");
  }
  if ("ssl" in block && typeof block["ssl"] !== "boolean") {
    throw argumentError("The 'ssl' property must be a boolean.");
  }
  if ("logLevel" in block && !LOG_LEVELS.includes(block["logLevel"])) {
    const words = "The log level must be one of: NOTHING, ERROR, WARN, INFO, DEBUG, was";
    throw argumentError(`${words} ${String(block["logLevel"])}`);
  }
  assertGiven(block, "sasl", "mechanism");
  assertGiven(block, "logger", "setLogLevel");
  if ("socketFactory" in block) throw argumentError("The socketFactory property is not supported.");
  if ("reauthenticationThreshold" in block) {
    throw argumentError("Reauthentication threshold cannot be set.");
  }
}

/** The library looks into what is given, also where that is nothing. */
function assertGiven(block: Properties, name: string, member: string): void {
  if (!(name in block) || (block[name] ?? undefined) !== undefined) return;
  throw new TypeError(`Cannot read properties of ${String(block[name])} (reading '${member}')`);
}

const LOG_LEVELS: readonly unknown[] = [0, 1, 2, 4, 5];

const TRUE = new Set(["true", "t", "1"]);
const FALSE = new Set(["false", "f", "0"]);

/** Reads a flag as librdkafka does. */
function booleanFrom(property: string, value: unknown): boolean {
  const text = textOf(value).toLowerCase();
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw new Error(`Expected bool value for "${property}": true or false`);
}

/** The properties of librdkafka. What the model would have to ignore is refused. */
function propertiesOf(config: ConfluentConfig, known: readonly string[]): Properties {
  const { kafkaJS: _, ...properties } = config;
  const unknown = Object.keys(properties).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new NotModelled(`the property ${unknown}`, NOT_MODELLED);
  return properties;
}

function assertRoundRobin(block: Properties | undefined, properties: Properties): void {
  const protocol = properties["group.protocol"] ?? "classic";
  if (textOf(protocol).toLowerCase() !== "classic") {
    throw new NotModelled(`the group protocol ${textOf(protocol)}`, NOT_MODELLED);
  }
  const named = block?.["partitionAssigners"] ?? block?.["partitionAssignors"];
  const isNamed = ["partitionAssigners", "partitionAssignors"].some((key) => key in (block ?? {}));
  if (isNamed && !Array.isArray(named)) {
    throw argumentError("partitionAssignors must be a list of strings.");
  }
  const strategy =
    properties["partition.assignment.strategy"] ?? (named as string[] | undefined)?.join(",");
  const preset = block === undefined ? "range,roundrobin" : "roundrobin";
  const way = textOf(strategy ?? preset);
  if (way === "roundrobin") return;
  throw new NotModelled(`partitions assigned by ${way} and not by roundrobin`, NOT_MODELLED);
}

const BEGINNING = new Set(["earliest", "beginning", "smallest"]);
const END = new Set(["latest", "end", "largest"]);

function resetFrom(property: unknown, fromBeginning: unknown): "beginning" | "end" {
  if (property === undefined) return fromBeginning === true ? "beginning" : "end";
  const word = textOf(property).toLowerCase();
  if (BEGINNING.has(word)) return "beginning";
  if (END.has(word)) return "end";
  throw new NotModelled(`auto.offset.reset ${textOf(property)}`, NOT_MODELLED);
}

function batchMaxFrom(given: unknown): number {
  if (given === undefined) return BATCH_MAX;
  const max = Number(given);
  if (Number.isInteger(max) && (max > 0 || max === -1)) return max;
  throw argumentError(
    "'js.consumer.max.batch.size' must be a positive integer or -1 for unlimited batch size.",
  );
}

function cacheMsFrom(given: unknown): number {
  if (given === undefined) return CACHE_MS;
  const ms = Number(given);
  if (Number.isInteger(ms) && ms > 0) return ms;
  throw argumentError("'js.consumer.max.cache.size.per.worker.ms' must be a positive integer.");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
