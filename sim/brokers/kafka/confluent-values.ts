import { ConfluentError } from "./confluent-errors.ts";

type Values = Readonly<Record<string, unknown>>;

const INTEGER_MAX = 2_147_483_647;
const INTEGER_BITS = 32;

/** Between which values a property's number lies. Source: librdkafka 2, "Configuration properties" */
const RANGES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  "session.timeout.ms": [1, 3_600_000],
  "heartbeat.interval.ms": [1, 3_600_000],
  "max.poll.interval.ms": [1, 86_400_000],
  "auto.commit.interval.ms": [0, 86_400_000],
  "fetch.wait.max.ms": [0, 300_000],
  "fetch.min.bytes": [0, INTEGER_MAX],
  "fetch.max.bytes": [0, 2_147_483_135],
  "fetch.message.max.bytes": [1, 1_000_000_000],
  "queued.min.messages": [1, 10_000_000],
  "queued.max.messages.kbytes": [1, 2_097_151],
  "message.max.bytes": [1_000, 1_000_000_000],
  "max.in.flight.requests.per.connection": [1, 1_000_000],
  "topic.metadata.refresh.interval.ms": [-1, 3_600_000],
  "socket.timeout.ms": [10, 300_000],
  "statistics.interval.ms": [0, 86_400_000],
  "reconnect.backoff.ms": [0, 3_600_000],
  "reconnect.backoff.max.ms": [0, 3_600_000],
  "retry.backoff.ms": [1, 300_000],
  "retry.backoff.max.ms": [1, 300_000],
  log_level: [0, 7],
  "queue.buffering.max.messages": [0, INTEGER_MAX],
  "queue.buffering.max.ms": [0, 900_000],
  "message.send.max.retries": [0, INTEGER_MAX],
  "message.timeout.ms": [0, INTEGER_MAX],
  "batch.num.messages": [1, 1_000_000],
  "batch.size": [1, INTEGER_MAX],
  "sticky.partitioning.linger.ms": [0, 900_000],
  "request.required.acks": [-1, 1_000],
  "request.timeout.ms": [1, 900_000],
  "transaction.timeout.ms": [1_000, INTEGER_MAX],
  "socket.connection.setup.timeout.ms": [1_000, INTEGER_MAX],
};
/** Looked at for itself, behind the others. */
const MIN_BYTES_RANGE = [1, 100_000_000] as const;

/** What is true or false. */
const FLAGS = ["allow.auto.create.topics", "enable.auto.commit", "enable.idempotence"];
const TRUTHS = ["true", "t", "1", "false", "f", "0"];

/** What a property's word may be, in any case. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  "auto.offset.reset": [
    ...["smallest", "earliest", "beginning", "largest", "latest", "end", "error"],
  ],
  "compression.codec": ["none", "gzip", "snappy", "lz4", "zstd"],
  "security.protocol": ["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"],
};

/** Properties with two names, and the one by which librdkafka calls them. */
const ALIASES: Readonly<Record<string, string>> = {
  "max.partition.fetch.bytes": "fetch.message.max.bytes",
  "max.in.flight": "max.in.flight.requests.per.connection",
  "linger.ms": "queue.buffering.max.ms",
  retries: "message.send.max.retries",
  acks: "request.required.acks",
  "compression.type": "compression.codec",
};

/** The properties that keys of the block as of kafkajs stand for. */
const OF_BLOCK: Readonly<Record<string, string>> = {
  requestTimeout: "socket.timeout.ms",
  metadataMaxAge: "topic.metadata.refresh.interval.ms",
  sessionTimeout: "session.timeout.ms",
  heartbeatInterval: "heartbeat.interval.ms",
  rebalanceTimeout: "max.poll.interval.ms",
  autoCommitInterval: "auto.commit.interval.ms",
  maxWaitTimeInMs: "fetch.wait.max.ms",
  minBytes: "fetch.min.bytes",
  maxBytesPerPartition: "fetch.message.max.bytes",
  maxBytes: "fetch.message.max.bytes",
  maxInFlightRequests: "max.in.flight.requests.per.connection",
  compression: "compression.codec",
  acks: "request.required.acks",
  timeout: "request.timeout.ms",
  transactionTimeout: "transaction.timeout.ms",
  allowAutoTopicCreation: "allow.auto.create.topics",
  autoCommit: "enable.auto.commit",
  idempotent: "enable.idempotence",
};
const OF_RETRY: Readonly<Record<string, string>> = {
  initialRetryTime: "retry.backoff.ms",
  maxRetryTime: "retry.backoff.max.ms",
  retries: "message.send.max.retries",
};

const SESSION_MS = 45_000;
const SESSION_MS_AS_KAFKAJS = 30_000;
const MAX_POLL_MS = 300_000;
const IN_FLIGHT_MAX = 5;
const CONNECTION_MS = 1_000;
const AUTHENTICATION_MS = 10_000;
const TRANSACTION_MS = 60_000;
const ALL_REPLICAS = [-1, "-1", "all"];

/**
 * Refuses values that librdkafka does not take, as it does when a client connects.
 *
 * @throws {Error} for a value that is out of its range, or no word of those that there are
 * @throws {ConfluentError} for values that do not go together
 */
export function assertValues(
  block: Values | undefined,
  properties: Values,
  kind: "consumer" | "producer" | "admin",
): void {
  const values = valuesOf(block, properties, kind);
  for (const [name, value] of values) assertValue(name, value);
  if (kind === "producer") assertIdempotent(block, properties, values);
  if (kind !== "consumer") return;
  const minBytes = wholeNumber(values.get("fetch.min.bytes") ?? 1) as number;
  if (minBytes < MIN_BYTES_RANGE[0] || minBytes > MIN_BYTES_RANGE[1]) {
    const range = MIN_BYTES_RANGE.join("..");
    const words = `configuration property "fetch.min.bytes" value is outside allowed range ${range}`;
    throw new ConfluentError(words, "ERR_UNKNOWN");
  }
  const presetMs = block === undefined ? SESSION_MS : SESSION_MS_AS_KAFKAJS;
  const sessionMs = wholeNumber(values.get("session.timeout.ms") ?? presetMs) as number;
  const maxPollMs = wholeNumber(values.get("max.poll.interval.ms") ?? 2 * MAX_POLL_MS) as number;
  if (maxPollMs >= sessionMs) return;
  const message = "`max.poll.interval.ms`must be >= `session.timeout.ms`";
  throw new ConfluentError(message, "ERR_UNKNOWN");
}

/**
 * The values by librdkafka's own names; a property takes precedence over the block. What is given
 * as undefined is given: librdkafka takes it for a word.
 */
function valuesOf(
  block: Values = {},
  properties: Values,
  kind: "consumer" | "producer" | "admin",
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [key, name] of Object.entries(OF_BLOCK)) {
    if (Object.hasOwn(block, key)) values.set(name, block[key]);
  }
  takeTimes(values, block, kind);
  const retry = { ...((block["retry"] ?? {}) as Values) };
  if (kind !== "producer") delete (retry as Record<string, unknown>)["retries"];
  for (const [key, name] of Object.entries(OF_RETRY)) {
    // Here the library itself has a value for nothing.
    if (retry[key] !== undefined) values.set(name, retry[key]);
  }
  for (const [key, value] of Object.entries(properties)) values.set(ALIASES[key] ?? key, value);
  // The library doubles it: half is for what it has in hand.
  const maxPollMs = values.get("max.poll.interval.ms");
  if (typeof maxPollMs === "number") values.set("max.poll.interval.ms", 2 * maxPollMs);
  return values;
}

/** The times that the library makes of several. Source: lib/kafkajs/_common.js and _producer.js */
function takeTimes(
  values: Map<string, unknown>,
  block: Values,
  kind: "consumer" | "producer" | "admin",
): void {
  if (Object.keys(block).length === 0) return;
  const { connectionTimeout, authenticationTimeout, rebalanceTimeout } = block;
  const setUpMs =
    Number(connectionTimeout ?? CONNECTION_MS) + Number(authenticationTimeout ?? AUTHENTICATION_MS);
  values.set("socket.connection.setup.timeout.ms", Math.max(setUpMs, CONNECTION_MS));
  if (Object.hasOwn(block, "rebalanceTimeout"))
    values.set("max.poll.interval.ms", Number(rebalanceTimeout));
  if (kind !== "producer") return;
  // A request ends with its transaction, and a little later.
  const given = values.has("transaction.timeout.ms");
  const transactionMs = given ? Number(values.get("transaction.timeout.ms")) : TRANSACTION_MS;
  const longestMs = transactionMs + 100;
  const requestMs = values.get("socket.timeout.ms");
  if (typeof requestMs === "number" && requestMs > longestMs) {
    values.set("socket.timeout.ms", longestMs);
  }
}

function assertValue(name: string, value: unknown): void {
  if (typeof value === "function" && !CALLED_BACK.test(name)) {
    throw new Error("Invalid callback type");
  }
  const words = WORDS[name];
  if (words !== undefined && !words.includes(String(value).toLowerCase())) {
    throw new Error(`Invalid value "${String(value)}" for configuration property "${name}"`);
  }
  if (FLAGS.includes(name) && !TRUTHS.includes(String(value).toLowerCase())) {
    throw new Error(`Expected bool value for "${name}": true or false`);
  }
  const range = RANGES[name];
  const isWord = name === "request.required.acks" && value === "all";
  if (range === undefined || isWord) return;
  if (String(value) === "") {
    throw new Error(`Integer configuration property "${name}" cannot be set to empty value`);
  }
  const number = wholeNumber(value);
  if (number === undefined) throw new Error(`Invalid value for configuration property "${name}"`);
  const [min, max] = range;
  if (number >= min && number <= max) return;
  throw new Error(
    `Configuration property "${name}" value ${number} is outside allowed range ${min}..${max}\n`,
  );
}

/** Properties that are functions. */
const CALLED_BACK = /_cb$/;
/** As C reads a number: what is behind it is not looked at. */
const NUMBER = /^\s*([+-]?)(0x[\da-f]+|0[0-7]*|[1-9]\d*)/i;
const OCTAL = /^0[0-7]+$/;
const LONG_MAX = 9_223_372_036_854_775_807n;

/**
 * The number that librdkafka reads; undefined for none. One of JavaScript is cut to 32 bits, as its
 * operators do.
 */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value | 0 : undefined;
  const [, sign, digits = ""] = NUMBER.exec(String(value)) ?? [];
  if (sign === undefined) return undefined;
  const given = BigInt(OCTAL.test(digits) ? `0o${digits.slice(1)}` : digits);
  const long = given > LONG_MAX ? LONG_MAX : given;
  return Number(BigInt.asIntN(INTEGER_BITS, sign === "-" ? -long : long));
}

/** Source: librdkafka 2, rd_kafka_conf_finalize and rd_kafka_topic_conf_finalize */
function assertIdempotent(
  block: Values | undefined,
  properties: Values,
  values: ReadonlyMap<string, unknown>,
): void {
  if ((properties["enable.idempotence"] ?? block?.["idempotent"]) !== true) return;
  const isSet = (name: string, isRight: (value: number) => boolean): boolean =>
    !values.has(name) || isRight(Number(values.get(name)));
  const isWhen = "when `enable.idempotence` is true";
  if (!isSet("max.in.flight.requests.per.connection", (most) => most <= IN_FLIGHT_MAX)) {
    throw new ConfluentError(`\`max.in.flight\` must be set <= 5 ${isWhen}`, "ERR__STATE");
  }
  if (!isSet("message.send.max.retries", (retries) => retries >= 1)) {
    throw new ConfluentError(`\`retries\` must be set >= 1 ${isWhen}`, "ERR__STATE");
  }
  const acks = values.get("request.required.acks") ?? "all";
  if (ALL_REPLICAS.includes(acks as string | number)) return;
  throw new ConfluentError(`\`acks\` must be set to \`all\` ${isWhen}`, "ERR__STATE");
}
