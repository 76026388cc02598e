import { adoptLibraryClass } from "../library-errors.ts";

/** What the library reads of whatever was thrown, which need not be an error. */
export interface Thrown {
  readonly name?: string;
  readonly message?: string;
  readonly retriable?: unknown;
  readonly cause?: unknown;
}

/** The message of whatever was thrown: that itself, where it has none. */
export function messageOf(error: Thrown): string {
  // The library's messages are not always texts either.
  return error.message || (error as string);
}

/**
 * The errors of kafkajs that code catches by name, type and `retriable`.
 *
 * Source: kafkajs 2.2.4, src/errors.js and src/protocol/error.js
 */
export class KafkaJSError extends Error {
  override readonly name: string = "KafkaJSError";
  readonly retriable: boolean;
  /** Where the library's documentation says more of it. */
  readonly helpUrl: string | undefined;
  /** Tells the model's own errors, which may be instances of the library's class instead of this one. */
  readonly #isOfModel = true;

  constructor(
    message: string,
    options: {
      readonly retriable?: boolean;
      readonly cause?: unknown;
      readonly helpUrl?: string | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    // The language makes a text of what is given, the library does not.
    this.message = message;
    this.retriable = options.retriable ?? true;
    this.helpUrl = options.helpUrl ?? helpUrlOf(options.cause);
    adoptLibraryClass(this, "kafkajs", new.target.name);
  }

  static isOne(error: unknown): error is KafkaJSError {
    return error instanceof Error && #isOfModel in error && error.#isOfModel;
  }
}

/** An error that was made of another one has its address, too. */
function helpUrlOf(cause: unknown): string | undefined {
  return KafkaJSError.isOne(cause) ? cause.helpUrl : undefined;
}

export class KafkaJSNonRetriableError extends KafkaJSError {
  override readonly name: string = "KafkaJSNonRetriableError";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, retriable: false });
  }
}

export class KafkaJSNumberOfRetriesExceeded extends KafkaJSNonRetriableError {
  override readonly name = "KafkaJSNumberOfRetriesExceeded";
  readonly retryCount: number;
  readonly retryTime: number;

  constructor(cause: Thrown, options: { readonly retryCount: number; readonly retryTime: number }) {
    super(messageOf(cause), { cause });
    this.retryCount = options.retryCount;
    this.retryTime = options.retryTime;
  }
}

/** A compression for which the application has no codec. */
export class KafkaJSNotImplemented extends KafkaJSNonRetriableError {
  override readonly name = "KafkaJSNotImplemented";
}

interface ConnectionFailure {
  readonly cause?: unknown;
  readonly helpUrl?: string;
  readonly broker?: string | undefined;
  readonly code?: string | undefined;
}

export class KafkaJSConnectionError extends KafkaJSError {
  override readonly name: string = "KafkaJSConnectionError";
  readonly broker: string | undefined;
  readonly code: string | undefined;

  constructor(message: string, { broker, code, ...options }: ConnectionFailure = {}) {
    super(message, options);
    this.broker = broker;
    this.code = code;
  }
}

/** The other end has closed the connection while a request was under way. */
export class KafkaJSConnectionClosedError extends KafkaJSConnectionError {
  override readonly name = "KafkaJSConnectionClosedError";
  readonly host: string;
  readonly port: number;

  constructor(
    message: string,
    options: { readonly host: string; readonly port: number; readonly cause?: unknown },
  ) {
    const { host, port, cause } = options;
    super(message, { cause, broker: `${host}:${port}` });
    this.host = host;
    this.port = port;
  }
}

/** The client knows no broker of this id any more. */
export class KafkaJSBrokerNotFound extends KafkaJSError {
  override readonly name = "KafkaJSBrokerNotFound";
}

/** A consumer begins to fetch, and its client knows no broker. */
export class KafkaJSNoBrokerAvailableError extends KafkaJSError {
  override readonly name = "KafkaJSNoBrokerAvailableError";

  constructor() {
    super("No broker available");
  }
}

export class KafkaJSRequestTimeoutError extends KafkaJSError {
  override readonly name = "KafkaJSRequestTimeoutError";
}

const PROTOCOL_ERRORS = {
  OFFSET_OUT_OF_RANGE: [1, false, "The requested offset is not within the range of offsets"],
  UNKNOWN_TOPIC_OR_PARTITION: [3, true, "This server does not host this topic-partition"],
  TOPIC_AUTHORIZATION_FAILED: [
    29,
    false,
    "Not authorized to access topics: [Topic authorization failed]",
  ],
  MESSAGE_TOO_LARGE: [
    10,
    false,
    "The request included a message larger than the max message size the server will accept",
  ],
  INVALID_TOPIC_EXCEPTION: [
    17,
    false,
    "The request attempted to perform an operation on an invalid topic",
  ],
  INVALID_REQUIRED_ACKS: [
    21,
    false,
    "Produce request specified an invalid value for required acks",
  ],
  ILLEGAL_GENERATION: [22, false, "Specified group generation id is not valid"],
  UNKNOWN_MEMBER_ID: [25, false, "The coordinator is not aware of this member"],
  REBALANCE_IN_PROGRESS: [
    27,
    false,
    "The group is rebalancing, so a rejoin is needed",
    "https://kafka.js.org/docs/faq#what-does-it-mean-to-get-rebalance-in-progress-errors",
  ],
  UNSUPPORTED_VERSION: [35, false, "The version of API is not supported"],
  TOPIC_ALREADY_EXISTS: [36, false, "Topic with this name already exists"],
  INVALID_PARTITIONS: [37, false, "Number of partitions is invalid"],
  REQUEST_TIMED_OUT: [7, true, "The request timed out"],
  POLICY_VIOLATION: [44, false, "Request parameters do not satisfy the configured policy"],
  INVALID_REPLICATION_FACTOR: [38, false, "Replication-factor is invalid"],
  INVALID_CONFIG: [40, false, "Configuration is invalid"],
  INVALID_RECORD: [
    87,
    false,
    "This record has failed the validation on broker and hence be rejected",
  ],
} as const;

export type ProtocolErrorType = keyof typeof PROTOCOL_ERRORS;

/** An error that the broker returned. */
export class KafkaJSProtocolError extends KafkaJSError {
  override readonly name: string = "KafkaJSProtocolError";
  readonly type: ProtocolErrorType;
  readonly code: number;

  constructor(type: ProtocolErrorType) {
    const [code, retriable, message, helpUrl] = PROTOCOL_ERRORS[type];
    super(message, { retriable, helpUrl });
    this.type = type;
    this.code = code;
  }
}

export class KafkaJSOffsetOutOfRange extends KafkaJSProtocolError {
  override readonly name = "KafkaJSOffsetOutOfRange";
  readonly topic: string;
  readonly partition: number;

  constructor(topic: string, partition: number) {
    super("OFFSET_OUT_OF_RANGE");
    this.topic = topic;
    this.partition = partition;
  }
}

/** A topic that was not created. */
export class KafkaJSCreateTopicError extends KafkaJSProtocolError {
  override readonly name = "KafkaJSCreateTopicError";
  readonly topic: string;

  constructor(type: ProtocolErrorType, topic: string) {
    super(type);
    this.topic = topic;
  }
}

export class KafkaJSAggregateError extends Error {
  override readonly name = "KafkaJSAggregateError";
  readonly errors: readonly Error[];

  constructor(message: string, errors: readonly Error[]) {
    super(message);
    this.errors = errors;
    adoptLibraryClass(this, "kafkajs", "KafkaJSAggregateError");
  }
}

const NETWORK_ERRORS = [
  "KafkaJSConnectionError",
  "KafkaJSConnectionClosedError",
  "KafkaJSRequestTimeoutError",
];

/** Whether an error has this name. The library distinguishes its errors so, too. */
export function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** Whether the network has failed. */
export function isOfNetwork(error: unknown): boolean {
  return NETWORK_ERRORS.some((name) => isNamed(error, name));
}

export function isOffsetOutOfRange(error: unknown): error is KafkaJSOffsetOutOfRange {
  return isNamed(error, "KafkaJSOffsetOutOfRange");
}

export function isProtocolError(error: unknown): error is KafkaJSProtocolError {
  return isNamed(error, "KafkaJSProtocolError");
}

/** Source: kafkajs 2.2.4, src/errors.js, isRebalancing */
export function isRebalancing(error: unknown): boolean {
  return hasType(error, "REBALANCE_IN_PROGRESS") || hasType(error, "ILLEGAL_GENERATION");
}

export function isUnknownMember(error: unknown): boolean {
  return hasType(error, "UNKNOWN_MEMBER_ID");
}

export function hasType(error: unknown, type: ProtocolErrorType): boolean {
  return error instanceof Error && (error as { readonly type?: unknown }).type === type;
}
