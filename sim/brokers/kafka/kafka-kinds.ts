import { NotModelled } from "../not-modelled.ts";

/** Whether a value is of a kind that the library's types allow in a place. */
export type Kind = (value: unknown) => boolean;

export const isText: Kind = (value) => typeof value === "string";
export const isWhole: Kind = (value) => Number.isSafeInteger(value);
/** Also one that is not whole. */
export const isNumber: Kind = (value) => typeof value === "number" && !Number.isNaN(value);
const isFunction: Kind = (value) => typeof value === "function";
const isNatural: Kind = (value) => isWhole(value) && (value as number) >= 0;
const isFlag: Kind = (value) => typeof value === "boolean";

export function either(...kinds: readonly Kind[]): Kind {
  return (value) => kinds.some((isOf) => isOf(value));
}

export function listOf(isOf: Kind): Kind {
  return (value) => Array.isArray(value) && value.every(isOf);
}

export function optional(isOf: Kind): Kind {
  return (value) => value === undefined || isOf(value);
}

export const isNull: Kind = (value) => value === null;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withFields(kinds: Readonly<Record<string, Kind>>): Kind {
  return (value) =>
    isObject(value) && Object.entries(kinds).every(([name, isOf]) => optional(isOf)(value[name]));
}

/**
 * Refuses values of a kind that only a caller without types can give: the library would write them
 * into its requests somehow.
 *
 * @throws {NotModelled} for the first one
 */
export function assertKinds(
  call: string,
  given: object,
  kinds: Readonly<Record<string, Kind>>,
): void {
  for (const [name, isOf] of Object.entries(kinds)) {
    if (isOf((given as Readonly<Record<string, unknown>>)[name])) continue;
    throw new NotModelled(`${call} with a ${name} of another type`, "brokers.kafka");
  }
}

const RETRY: Kind = withFields({
  retries: isNatural,
  initialRetryTime: isNatural,
  maxRetryTime: isNatural,
  multiplier: isNatural,
  factor: (value) => typeof value === "number" && value >= 0 && value < 1,
  restartOnFailure: isFunction,
});

const PRODUCER_KINDS: Readonly<Record<string, Kind>> = {
  createPartitioner: optional(isFunction),
  retry: optional(RETRY),
  metadataMaxAge: optional(isNatural),
  allowAutoTopicCreation: optional(isFlag),
  idempotent: optional(isFlag),
  transactionalId: optional(isText),
  transactionTimeout: optional(isNatural),
  maxInFlightRequests: optional(either(isNull, (value) => isNatural(value) && value !== 0)),
};

const CONSUMER_KINDS: Readonly<Record<string, Kind>> = {
  groupId: isText,
  partitionAssigners: optional(listOf(isFunction)),
  metadataMaxAge: optional(isNatural),
  sessionTimeout: optional(isNatural),
  rebalanceTimeout: optional(isNatural),
  heartbeatInterval: optional(isNatural),
  maxBytesPerPartition: optional(isNatural),
  minBytes: optional(isNatural),
  maxBytes: optional(isNatural),
  maxWaitTimeInMs: optional(isNatural),
  retry: optional(RETRY),
  allowAutoTopicCreation: optional(isFlag),
  maxInFlightRequests: optional(either(isNull, (value) => isNatural(value) && value !== 0)),
  readUncommitted: optional(isFlag),
  rackId: optional(isText),
};

const RUN_KINDS: Readonly<Record<string, Kind>> = {
  autoCommitInterval: optional(either(isNull, isWhole)),
  autoCommitThreshold: optional(either(isNull, isWhole)),
  partitionsConsumedConcurrently: optional((value) => isNatural(value) && value !== 0),
  eachBatch: optional(either(isNull, isFunction)),
  eachMessage: optional(either(isNull, isFunction)),
};

/** @throws {NotModelled} for what a producer is not made with */
export function assertProducerKinds(config: object): void {
  assertKinds("kafka.producer()", config, PRODUCER_KINDS);
}

/** @throws {NotModelled} for what a consumer is not made with */
export function assertConsumerKinds(config: object): void {
  assertKinds("kafka.consumer()", config, CONSUMER_KINDS);
}

/** @throws {NotModelled} for what an admin client is not made with */
export function assertAdminKinds(config: object): void {
  assertKinds("kafka.admin()", config, { retry: optional(RETRY) });
}

/** @throws {NotModelled} for what a consumer does not run with */
export function assertRunKinds(config: object): void {
  assertKinds("kafka.consumer().run()", config, RUN_KINDS);
}
