import { assertModelled, NotModelled } from "../not-modelled.ts";
import { PubSubServiceError } from "./pubsub-error.ts";
import type { PubSubDelivery } from "./pubsub-queue.ts";

/** A length of time as the library takes it: a `Duration` of protobuf. */
export interface PubSubSeconds {
  readonly seconds?: number | string | null;
  readonly nanos?: number | null;
}

type Labels = { readonly [label: string]: string };
/** A length of time as the service tells it. */
type ToldSeconds = { readonly seconds: string; readonly nanos: number };

/** What a topic may be made with, and what of it may be changed. */
export interface PubSubTopicSettings {
  readonly labels?: Labels | null;
  readonly messageRetentionDuration?: PubSubSeconds | null;
}

/** What `createTopic` takes for a name with settings. */
export interface PubSubNamedTopic extends PubSubTopicSettings {
  readonly name?: string | null;
}

/** What a subscription may be made with. */
export interface PubSubSubscriptionSettings {
  /** From 10 to 600; default 10. */
  readonly ackDeadlineSeconds?: number | null;
  readonly enableMessageOrdering?: boolean | null;
  readonly enableExactlyOnceDelivery?: boolean | null;
  readonly deadLetterPolicy?: {
    readonly deadLetterTopic?: string | null;
    /** From 5 to 100; default 5. */
    readonly maxDeliveryAttempts?: number | null;
  } | null;
  readonly retryPolicy?: {
    /** Default 10 s. */
    readonly minimumBackoff?: PubSubSeconds | null;
    /** Default 600 s. */
    readonly maximumBackoff?: PubSubSeconds | null;
  } | null;
  readonly expirationPolicy?: { readonly ttl?: PubSubSeconds | null } | null;
  readonly labels?: Labels | null;
  readonly retainAckedMessages?: boolean | null;
  readonly messageRetentionDuration?: PubSubSeconds | number | null;
}

/** What the service tells of a topic. */
export interface PubSubTopicMetadata {
  readonly name: string;
  readonly labels: Labels;
  readonly messageRetentionDuration: ToldSeconds | null;
}

/** What the service tells of a subscription. */
export interface PubSubSubscriptionMetadata {
  readonly name: string;
  readonly topic: string;
  readonly ackDeadlineSeconds: number;
  readonly enableMessageOrdering: boolean;
  readonly enableExactlyOnceDelivery: boolean;
  readonly deadLetterPolicy: {
    readonly deadLetterTopic: string;
    readonly maxDeliveryAttempts: number;
  } | null;
  readonly retryPolicy: {
    readonly minimumBackoff: ToldSeconds;
    readonly maximumBackoff: ToldSeconds;
  } | null;
  readonly labels: Labels;
  readonly retainAckedMessages: boolean;
  readonly messageRetentionDuration: ToldSeconds;
  readonly detached: boolean;
}

const SEE = "brokers.pubsub";
const TOPIC_SETTINGS = ["labels", "messageRetentionDuration"] as const;
const CHANGEABLE = [
  ...(["ackDeadlineSeconds", "labels", "retainAckedMessages", "messageRetentionDuration"] as const),
  ...(["expirationPolicy", "deadLetterPolicy", "retryPolicy"] as const),
];
const SUBSCRIPTION_SETTINGS = [
  ...CHANGEABLE,
  ...(["enableMessageOrdering", "enableExactlyOnceDelivery"] as const),
];
const DEADLINE_SECONDS = 10;
const RETENTION = { seconds: 604_800 };
const ATTEMPTS = 5;
const MIN_BACKOFF = { seconds: 10 };
const MAX_BACKOFF = { seconds: 600 };
const UNSET = "STATE_UNSPECIFIED";

/** @throws {NotModelled} for a setting that the model would have to ignore */
export function assertTopicSettings(call: string, settings: PubSubTopicSettings): void {
  assertModelled(call, settings, TOPIC_SETTINGS, SEE);
  assertLabels(call, settings.labels);
}

/** @throws {NotModelled} for a setting that the model would have to ignore */
export function assertSubscriptionSettings(
  call: string,
  settings: PubSubSubscriptionSettings,
  which: "made" | "changed",
): void {
  assertModelled(call, settings, which === "made" ? SUBSCRIPTION_SETTINGS : CHANGEABLE, SEE);
  assertLabels(call, settings.labels);
  const { ackDeadlineSeconds: deadline } = settings as { readonly ackDeadlineSeconds?: unknown };
  if (deadline === undefined || deadline === null || typeof deadline === "number") return;
  throw new NotModelled(`${call} with ackDeadlineSeconds that is no number`, SEE);
}

function assertLabels(call: string, labels: unknown): void {
  if (labels === undefined || labels === null || typeof labels === "object") return;
  throw new NotModelled(`${call} with labels that are no object`, SEE);
}

/** What the service tells of a topic with these settings. */
export function topicMetadata(name: string, settings: PubSubTopicSettings): PubSubTopicMetadata {
  const { labels, messageRetentionDuration: retention } = settings;
  return {
    ...({ messageTransforms: [], tags: {}, messageStoragePolicy: null, kmsKeyName: "" } as object),
    ...({ schemaSettings: null, satisfiesPzs: false, state: UNSET } as object),
    ...({ ingestionDataSourceSettings: null } as object),
    name,
    labels: { ...labels },
    messageRetentionDuration: retention ? toldSeconds(retention) : null,
  };
}

/**
 * What the service tells of a subscription with these settings.
 *
 * @throws {PubSubServiceError} for settings that it refuses
 */
export function subscriptionMetadata(
  name: string,
  topic: string,
  settings: PubSubSubscriptionSettings,
): PubSubSubscriptionMetadata {
  const { deadLetterPolicy: letters, retryPolicy: retry, expirationPolicy: expiration } = settings;
  const retention = settings.messageRetentionDuration ?? RETENTION;
  const told = {
    ...({ messageTransforms: [], tags: {}, filter: "", state: UNSET } as object),
    ...({ pushConfig: { attributes: {}, pushEndpoint: "" } } as object),
    ...({ topicMessageRetentionDuration: null, bigqueryConfig: null } as object),
    ...({ cloudStorageConfig: null, analyticsHubSubscriptionInfo: null } as object),
    ...({ bigtableConfig: null } as object),
    ...({
      expirationPolicy: expiration ? { ttl: toldSeconds(expiration.ttl ?? {}) } : null,
    } as object),
    name,
    topic,
    // As protobuf reads a number.
    ackDeadlineSeconds: Math.trunc(settings.ackDeadlineSeconds || 0) || DEADLINE_SECONDS,
    enableMessageOrdering: settings.enableMessageOrdering ?? false,
    enableExactlyOnceDelivery: settings.enableExactlyOnceDelivery ?? false,
    deadLetterPolicy: letters
      ? {
          deadLetterTopic: letters.deadLetterTopic ?? "",
          maxDeliveryAttempts: letters.maxDeliveryAttempts || ATTEMPTS,
        }
      : null,
    retryPolicy: retry
      ? {
          minimumBackoff: toldSeconds(retry.minimumBackoff ?? MIN_BACKOFF),
          maximumBackoff: toldSeconds(retry.maximumBackoff ?? MAX_BACKOFF),
        }
      : null,
    labels: { ...settings.labels },
    retainAckedMessages: settings.retainAckedMessages ?? false,
    messageRetentionDuration: toldSeconds(
      typeof retention === "number" ? { seconds: retention } : retention,
    ),
    detached: false,
  };
  assertWithin("ack_deadline_seconds", told.ackDeadlineSeconds, 10, 600);
  assertWithin(
    "message_retention_duration",
    secondsOf(told.messageRetentionDuration),
    600,
    2_678_400,
  );
  if (told.deadLetterPolicy !== null) {
    assertWithin("max_delivery_attempts", told.deadLetterPolicy.maxDeliveryAttempts, 5, 100);
  }
  if (told.retryPolicy !== null) {
    const { minimumBackoff, maximumBackoff } = told.retryPolicy;
    assertWithin("minimum_backoff", secondsOf(minimumBackoff), 0, 600);
    assertWithin("maximum_backoff", secondsOf(maximumBackoff), secondsOf(minimumBackoff), 600);
  }
  return told;
}

/** How a subscription with this metadata delivers. */
export function deliveryOf(metadata: PubSubSubscriptionMetadata): PubSubDelivery {
  const { retryPolicy } = metadata;
  return {
    isOrdered: metadata.enableMessageOrdering,
    isExactlyOnce: metadata.enableExactlyOnceDelivery,
    maxDeliveryAttempts: metadata.deadLetterPolicy?.maxDeliveryAttempts,
    retry:
      retryPolicy === null
        ? undefined
        : {
            minMs: secondsOf(retryPolicy.minimumBackoff) * 1_000,
            maxMs: secondsOf(retryPolicy.maximumBackoff) * 1_000,
          },
  };
}

function toldSeconds({ seconds, nanos }: PubSubSeconds): ToldSeconds {
  return { seconds: String(Math.trunc(Number(seconds ?? 0))), nanos: nanos ?? 0 };
}

function secondsOf({ seconds, nanos }: ToldSeconds): number {
  return Number(seconds) + nanos / 1_000_000_000;
}

function assertWithin(field: string, value: number, from: number, to: number): void {
  if (value >= from && value <= to) return;
  const details = `Invalid value for ${field}: ${value} is not from ${from} to ${to}.`;
  throw new PubSubServiceError("INVALID_ARGUMENT", details);
}
