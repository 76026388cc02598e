import { bufferFrom } from "../library-buffer.ts";
import { NotModelled } from "../not-modelled.ts";
import { preconditionFailed, type Refused } from "./amqp-error.ts";
import { fieldTypeOf } from "./queue-arguments.ts";

/** The properties of a message; each is present, but may be undefined. */
export type AmqpProperties = Record<PropertyName, unknown> & {
  readonly headers: Record<string, unknown>;
};

/** The properties that a message may have. */
export type PropertyName =
  | "contentType"
  | "contentEncoding"
  | "headers"
  | "deliveryMode"
  | "priority"
  | "correlationId"
  | "replyTo"
  | "expiration"
  | "messageId"
  | "timestamp"
  | "type"
  | "userId"
  | "appId"
  | "clusterId";

/** The fields of a delivery, with what only one way to receive adds. */
type DeliveryFields<Added> = Added & {
  readonly deliveryTag: number;
  readonly redelivered: boolean;
  readonly exchange: string;
  readonly routingKey: string;
};

interface ReceivedMessage<Added> {
  readonly content: Buffer;
  readonly fields: DeliveryFields<Added>;
  readonly properties: AmqpProperties;
}

/** A message as `get` resolves with it. */
export type AmqpGetMessage = ReceivedMessage<{ readonly messageCount: number }>;

/** A message as a consumer gets it. */
export type AmqpMessage = ReceivedMessage<{ readonly consumerTag: string }>;

/** A message in a queue. */
export interface QueuedMessage {
  readonly sequence: number;
  readonly ref: string | undefined;
  readonly content: Uint8Array;
  readonly exchange: string;
  readonly routingKey: string;
  /** The further routing keys it was published with, the blind ones too. */
  readonly copies: readonly string[];
  readonly properties: AmqpProperties;
  readonly priority: number;
  /** When its time is up, in virtual milliseconds. */
  readonly expiresAt: number | undefined;
  isRedelivered: boolean;
  /** How often it was given back to a quorum queue. */
  returns: number;
}

/**
 * Returns the further routing keys that `CC` and `BCC` ask for.
 *
 * @throws {Refused} 406 when one is no list, as where a caller has written the header himself
 *
 * Source: rabbitmq-server 3.10, rabbit_basic, header_routes
 */
export function routingKeysOf({ headers }: AmqpProperties): readonly string[] {
  return ["CC", "BCC"].flatMap((name) => {
    const keys = headers[name];
    if (keys === undefined) return [];
    if (Array.isArray(keys)) return textsIn(keys);
    const why = `{unacceptable_type_in_header,"${name}",${fieldTypeOf(keys)}}`;
    throw preconditionFailed(`invalid message: ${why}`);
  });
}

/** What else is in a list of routing keys is passed over. */
function textsIn(keys: readonly unknown[]): readonly string[] {
  return keys.filter((key) => typeof key === "string");
}

/**
 * Asserts that a message may be published with these. Nobody waits for a reply that is asked for
 * directly: a consumer of direct replies is refused by name.
 *
 * @throws {Refused} 406 for the address of direct replies, and an expiration or a delivery mode
 * that is none
 *
 * Source: rabbitmq-server 3.10, rabbit_channel, maybe_set_fast_reply_to, check_expiration_header;
 * rabbit_basic, is_message_persistent
 */
export function assertPublishable(properties: AmqpProperties): void {
  if (properties.replyTo === "amq.rabbitmq.reply-to") {
    throw preconditionFailed("fast reply consumer does not exist");
  }
  expiryMsOf(properties);
  const { deliveryMode: mode } = properties;
  if (mode === undefined || mode === 1 || mode === 2) return;
  throw preconditionFailed(`invalid message: {delivery_mode_unknown,${mode as number}}`);
}

/** @throws {Refused} 406 for a message that names another user than the connection's */
export function assertUser({ userId }: AmqpProperties, user: string): void {
  if (userId === undefined || userId === user) return;
  const is = `user_id property set to '${userId as string}'`;
  throw preconditionFailed(`${is} but authenticated user was '${user}'`);
}

/** Without the blind copies, as the server sends a message on. */
export function withoutBlindCopies(properties: AmqpProperties): AmqpProperties {
  const { BCC: blind, ...headers } = properties.headers;
  return blind === undefined ? properties : { ...properties, headers };
}

export function priorityOf({ priority }: AmqpProperties): number {
  return typeof priority === "number" ? priority : 0;
}

const EXPIRY_MAX_MS = 315_360_000_000;

/**
 * Whoever publishes is told, as the server tells him nothing of what it does not know.
 *
 * @throws {NotModelled} for a message that expires at once unless somebody waits for it
 */
export function assertLasting({ expiration }: Pick<AmqpProperties, "expiration">): void {
  if (!/^[+-]?0+$/.test(expiration as string)) return;
  throw new NotModelled("an expiration of 0", "brokers.rabbitmq");
}

/**
 * Returns the time to live of a message of its own.
 *
 * @throws {Refused} 406 when it is no whole number of milliseconds
 *
 * Source: rabbitmq-server 3.10, rabbit_basic, parse_expiration
 */
export function expiryMsOf({ expiration }: Pick<AmqpProperties, "expiration">): number | undefined {
  if (expiration === undefined) return undefined;
  const [text = ""] = [expiration].map(String);
  const digits = /^[+-]?\d+/.exec(text)?.[0];
  const refused = (why: string): Refused =>
    preconditionFailed(`invalid expiration '${text}': ${why}`);
  if (digits === undefined) throw refused("no_integer");
  if (digits !== text) throw refused(`{leftover_string,"${text.slice(digits.length)}"}`);
  const ms = Number(text);
  if (ms < 0) throw refused(`{value_negative,${ms}}`);
  if (ms > EXPIRY_MAX_MS) throw refused(`{value_too_large,${ms}}`);
  return ms;
}

/** Why a message has left its queue for the dead-letter exchange. */
export type DeathReason = "rejected" | "expired" | "maxlen" | "delivery_limit";

interface Death {
  readonly count: number;
  readonly reason: string;
  readonly queue: string;
  readonly time: { readonly "!": "timestamp"; readonly value: number };
  readonly exchange: string;
  readonly "routing-keys": readonly string[];
  readonly "original-expiration"?: unknown;
}

/**
 * Returns the properties of a message that its queue has dead-lettered: with `x-death`, which
 * counts per queue and reason, and the first death; without its own time to live, and without
 * carbon copies where the queue gives it another routing key.
 *
 * Source: rabbitmq.com, "Dead Letter Exchanges", effects on messages; rabbitmq-server 3.10,
 * rabbit_dead_letter, make_msg
 */
export function propertiesOfDead(
  { properties, exchange, routingKey }: QueuedMessage,
  died: {
    readonly queue: string;
    readonly reason: DeathReason;
    readonly nowSeconds: number;
    readonly isRerouted: boolean;
  },
): AmqpProperties {
  const { queue, reason, nowSeconds, isRerouted } = died;
  const { expiration } = properties;
  const { CC: copies, ...others } = properties.headers;
  const headers = isRerouted ? others : properties.headers;
  const deaths = deathsOf(properties);
  const before = deaths.find((death) => death.queue === queue && death.reason === reason);
  const first: Death = {
    count: 1,
    reason,
    queue,
    time: { "!": "timestamp", value: nowSeconds },
    exchange,
    "routing-keys": [routingKey, ...textsIn((copies ?? []) as readonly unknown[])],
    ...(expiration === undefined ? {} : { "original-expiration": expiration }),
  };
  const death = before === undefined ? first : { ...before, count: before.count + 1 };
  // The node sorts the fields of what it changes, which the first death of all is not.
  const newest = deaths.length === 0 ? death : sortedFields(death);
  return {
    ...properties,
    expiration: undefined,
    headers: sortedFields({
      ...headers,
      "x-death": [newest, ...deaths.filter((one) => one !== before)],
      "x-first-death-exchange": headers["x-first-death-exchange"] ?? exchange,
      "x-first-death-queue": headers["x-first-death-queue"] ?? queue,
      "x-first-death-reason": headers["x-first-death-reason"] ?? reason,
    }),
  };
}

/** Returns a table as the node has it that has set a field of it. Source: rabbit_misc */
function sortedFields<T extends object>(table: T): T {
  const fields = Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields) as T;
}

export function deathsOf({ headers }: AmqpProperties): readonly Death[] {
  return (headers["x-death"] ?? []) as readonly Death[];
}

/** Whether a message has come back to a queue, and nobody has rejected it on the way. */
export function isCycle(deaths: readonly Death[], queue: string): boolean {
  const at = deaths.findIndex((death) => death.queue === queue);
  return at !== -1 && deaths.slice(0, at + 1).every(({ reason }) => reason !== "rejected");
}

/** Returns what a client gets of a message, besides the fields of the delivery. */
export function contentOf(
  { content, properties, exchange, routingKey }: QueuedMessage,
  returns: number | undefined,
): Pick<AmqpMessage, "content" | "properties"> & {
  readonly exchange: string;
  readonly routingKey: string;
} {
  const headers = sortedFields({ ...properties.headers, "x-delivery-count": returns });
  const counted = returns === undefined ? properties : { ...properties, headers };
  return { content: bufferFrom(content), properties: counted, exchange, routingKey };
}
