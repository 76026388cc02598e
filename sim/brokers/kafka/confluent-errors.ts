import { adoptLibraryClass } from "../library-errors.ts";
import { NotModelled } from "../not-modelled.ts";
import { isNamed, isProtocolError, type ProtocolErrorType } from "./kafka-errors.ts";

/** The codes of librdkafka: below zero an error of the library, otherwise the server's. */
const CODES = {
  ERR__TRANSPORT: -195,
  ERR__MSG_TIMED_OUT: -192,
  ERR__UNKNOWN_PARTITION: -190,
  ERR__UNKNOWN_TOPIC: -188,
  ERR__INVALID_ARG: -186,
  ERR__TIMED_OUT: -185,
  ERR__ASSIGN_PARTITIONS: -175,
  ERR__REVOKE_PARTITIONS: -174,
  ERR__STATE: -172,
  ERR__NOT_IMPLEMENTED: -170,
  ERR_UNKNOWN: -1,
  ERR_OFFSET_OUT_OF_RANGE: 1,
  ERR_UNKNOWN_TOPIC_OR_PART: 3,
  ERR_REQUEST_TIMED_OUT: 7,
  ERR_MSG_SIZE_TOO_LARGE: 10,
  ERR_TOPIC_AUTHORIZATION_FAILED: 29,
  ERR_TOPIC_EXCEPTION: 17,
  ERR_INVALID_REQUIRED_ACKS: 21,
  ERR_ILLEGAL_GENERATION: 22,
  ERR_UNKNOWN_MEMBER_ID: 25,
  ERR_REBALANCE_IN_PROGRESS: 27,
  ERR_TOPIC_ALREADY_EXISTS: 36,
  ERR_INVALID_PARTITIONS: 37,
  ERR_INVALID_REPLICATION_FACTOR: 38,
  ERR_INVALID_CONFIG: 40,
  ERR_POLICY_VIOLATION: 44,
  ERR_INVALID_RECORD: 87,
  ERR_UNSUPPORTED_VERSION: 35,
} as const;

/** The name of an error in librdkafka. */
export type ConfluentErrorType = keyof typeof CODES;

const LIBRARY = "@confluentinc/kafka-javascript";

/** Names other than "KafkaJSError", and than "KafkaJSProtocolError" of the server's. */
const NAMES: Partial<Readonly<Record<ConfluentErrorType, string>>> = {
  ERR_OFFSET_OUT_OF_RANGE: "KafkaJSOffsetOutOfRange",
  ERR__TRANSPORT: "KafkaJSConnectionError",
  ERR__TIMED_OUT: "KafkaJSTimeout",
};

/**
 * An error of the KafkaJS face of `@confluentinc/kafka-javascript`: told by its `code` and `type`,
 * which are librdkafka's.
 *
 * Holds, as in the library: `retriable` is false also where librdkafka would try again.
 *
 * Source: `@confluentinc/kafka-javascript` 1.10.1, lib/kafkajs/_error.js and _common.js
 */
export class ConfluentError extends Error {
  override readonly name: string;
  readonly retriable = false;
  readonly fatal = false;
  readonly abortable = false;
  readonly code: number;
  /** The name of the code; of some it is the code of an unknown error, as the library has it. */
  readonly type: ConfluentErrorType | number;
  /** Tells the model's own errors, which may be instances of the library's class instead of this one. */
  readonly #isOfModel = true;

  constructor(message: string, type: ConfluentErrorType, name?: string) {
    super(message);
    const code = CODES[type];
    this.name = name ?? NAMES[type] ?? (code > 0 ? "KafkaJSProtocolError" : "KafkaJSError");
    this.code = code;
    this.type = type;
    adoptLibraryClass(this, LIBRARY, this.name);
  }

  static isOne(error: unknown): error is ConfluentError {
    return error instanceof Error && #isOfModel in error && error.#isOfModel;
  }
}

/** A topic that was not created. */
export class ConfluentCreateTopicError extends ConfluentError {
  readonly topic: string;

  /** `topic` is what was asked for, which may be no name. */
  constructor(cause: ConfluentError, topic: string) {
    super(cause.message, cause.type as ConfluentErrorType, "KafkaJSCreateTopicError");
    this.topic = topic;
  }
}

export class ConfluentAggregateError extends Error {
  override readonly name = "KafkaJSAggregateError";
  readonly errors: readonly Error[];

  constructor(message: string, errors: readonly Error[]) {
    super(message);
    this.errors = errors;
    adoptLibraryClass(this, LIBRARY, "KafkaJSAggregateError");
  }
}

/**
 * An error of librdkafka as it is, which the library has not turned into one of its KafkaJS face: a
 * message that was not even queued, and what a rebalance callback is told.
 */
export class LibrdKafkaError extends Error {
  readonly code: number;
  readonly errno: number;
  readonly origin: "local" | "kafka";

  constructor(type: ConfluentErrorType, message: string, origin?: "local") {
    super(message);
    this.code = CODES[type];
    this.errno = this.code;
    // As the library has it, which takes the codes of its own for the server's.
    this.origin = origin ?? (this.code >= LOCAL_FROM ? "local" : "kafka");
    adoptLibraryClass(this, LIBRARY, "LibrdKafkaError");
  }
}

const LOCAL_FROM = -100;

/** Whether it is a notice of new partitions. */
export function isAssignment({ code }: LibrdKafkaError): boolean {
  return code === CODES.ERR__ASSIGN_PARTITIONS;
}

const TYPES: Readonly<Record<ProtocolErrorType, ConfluentErrorType>> = {
  OFFSET_OUT_OF_RANGE: "ERR_OFFSET_OUT_OF_RANGE",
  UNKNOWN_TOPIC_OR_PARTITION: "ERR_UNKNOWN_TOPIC_OR_PART",
  TOPIC_AUTHORIZATION_FAILED: "ERR_TOPIC_AUTHORIZATION_FAILED",
  MESSAGE_TOO_LARGE: "ERR_MSG_SIZE_TOO_LARGE",
  INVALID_TOPIC_EXCEPTION: "ERR_TOPIC_EXCEPTION",
  INVALID_REQUIRED_ACKS: "ERR_INVALID_REQUIRED_ACKS",
  ILLEGAL_GENERATION: "ERR_ILLEGAL_GENERATION",
  UNKNOWN_MEMBER_ID: "ERR_UNKNOWN_MEMBER_ID",
  REBALANCE_IN_PROGRESS: "ERR_REBALANCE_IN_PROGRESS",
  UNSUPPORTED_VERSION: "ERR_UNSUPPORTED_VERSION",
  TOPIC_ALREADY_EXISTS: "ERR_TOPIC_ALREADY_EXISTS",
  INVALID_PARTITIONS: "ERR_INVALID_PARTITIONS",
  INVALID_REPLICATION_FACTOR: "ERR_INVALID_REPLICATION_FACTOR",
  INVALID_CONFIG: "ERR_INVALID_CONFIG",
  REQUEST_TIMED_OUT: "ERR_REQUEST_TIMED_OUT",
  POLICY_VIOLATION: "ERR_POLICY_VIOLATION",
  INVALID_RECORD: "ERR_INVALID_RECORD",
};

/** Returns the library's error for what a request has failed with. */
export function confluentErrorFrom(cause: unknown): ConfluentError {
  if (ConfluentError.isOne(cause)) return cause;
  const { message } = cause instanceof Error ? cause : new Error(String(cause));
  const isServers =
    isProtocolError(cause) ||
    isNamed(cause, "KafkaJSOffsetOutOfRange") ||
    isNamed(cause, "KafkaJSCreateTopicError");
  if (isServers) {
    return new ConfluentError(message, TYPES[(cause as { type: ProtocolErrorType }).type]);
  }
  if (isNamed(cause, "KafkaJSRequestTimeoutError")) {
    return new ConfluentError("Local: Timed out", "ERR__TIMED_OUT");
  }
  if (isNamed(cause, "KafkaJSConnectionError")) {
    return new ConfluentError("Local: Broker transport failure", "ERR__TRANSPORT");
  }
  return new ConfluentError(message, "ERR_UNKNOWN");
}

export function stateError(message: string): ConfluentError {
  return new ConfluentError(message, "ERR__STATE");
}

export function argumentError(message: string): ConfluentError {
  return new ConfluentError(message, "ERR__INVALID_ARG");
}

/** Returns the library's error for what was thrown amid a call, as `commitOffsets` gives it. */
export function errorOfCall(error: unknown): Error {
  return error instanceof NotModelled ? error : confluentErrorFrom(error);
}

export function notImplemented(message = "Not implemented"): ConfluentError {
  return new ConfluentError(message, "ERR__NOT_IMPLEMENTED");
}
