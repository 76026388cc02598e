import { bufferFrom } from "../library-buffer.ts";

/** The properties of a message; each is present, but may be undefined. */
export type AmqpProperties = Record<PropertyName, unknown> & {
  readonly headers: Record<string, unknown>;
};

const NAMES = [
  "contentType",
  "contentEncoding",
  "headers",
  "deliveryMode",
  "priority",
  "correlationId",
  "replyTo",
  "expiration",
  "messageId",
  "timestamp",
  "type",
  "userId",
  "appId",
  "clusterId",
] as const;

type PropertyName = (typeof NAMES)[number];

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
  readonly properties: AmqpProperties;
  isRedelivered: boolean;
}

/**
 * Returns the properties that a message published with these options arrives with.
 *
 * Source: amqplib 2, api_args.js, publish
 */
export function propertiesFrom(options: Readonly<Record<string, unknown>>): AmqpProperties {
  const { persistent, deliveryMode, expiration } = options;
  const properties = Object.fromEntries(
    NAMES.map((name) => [name, options[name]]),
  ) as unknown as Record<PropertyName, unknown>;
  let mode = typeof deliveryMode === "number" ? deliveryMode : undefined;
  if (mode === undefined && Boolean(deliveryMode)) mode = 2;
  if (persistent !== undefined) mode = persistent === true ? 2 : 1;
  return {
    ...properties,
    deliveryMode: mode,
    expiration: typeof expiration === "number" ? `${expiration}` : expiration,
    headers: { ...(options["headers"] as Record<string, unknown> | undefined) },
    clusterId: undefined,
  };
}

interface Death {
  readonly count: number;
  readonly reason: string;
  readonly queue: string;
  readonly time: { readonly "!": "timestamp"; readonly value: number };
  readonly exchange: string;
  readonly "routing-keys": readonly string[];
}

/**
 * Returns the properties of a message that its queue has dead-lettered: with `x-death`, which
 * counts per queue and reason, and the first death.
 *
 * Source: rabbitmq.com, "Dead Letter Exchanges", effects on messages
 */
export function propertiesOfDead(
  { properties, exchange, routingKey }: QueuedMessage,
  queue: string,
  nowSeconds: number,
): AmqpProperties {
  const reason = "rejected";
  const { headers } = properties;
  const deaths = (headers["x-death"] ?? []) as readonly Death[];
  const before = deaths.find((death) => death.queue === queue && death.reason === reason);
  const death: Death =
    before === undefined
      ? {
          count: 1,
          reason,
          queue,
          time: { "!": "timestamp", value: nowSeconds },
          exchange,
          "routing-keys": [routingKey],
        }
      : { ...before, count: before.count + 1 };
  return {
    ...properties,
    headers: {
      ...headers,
      "x-death": [death, ...deaths.filter((one) => one !== before)],
      "x-first-death-exchange": headers["x-first-death-exchange"] ?? exchange,
      "x-first-death-queue": headers["x-first-death-queue"] ?? queue,
      "x-first-death-reason": headers["x-first-death-reason"] ?? reason,
    },
  };
}

/** Returns what a client gets of a message, besides the fields of the delivery. */
export function contentOf({ content, properties, exchange, routingKey }: QueuedMessage): Pick<
  AmqpMessage,
  "content" | "properties"
> & {
  readonly exchange: string;
  readonly routingKey: string;
} {
  return { content: bufferFrom(content), properties, exchange, routingKey };
}
