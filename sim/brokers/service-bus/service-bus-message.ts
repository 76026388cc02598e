import type { LeasedDelivery } from "../lease.ts";
import { refusing } from "../not-modelled.ts";

/** The part of the library's 64-bit number that the model supports. */
export interface ServiceBusLong {
  readonly low: number;
  readonly high: number;
  readonly unsigned: boolean;
  toNumber(): number;
  toString(): string;
}

/** A received message of `@azure/service-bus`. */
export interface ServiceBusMessage {
  readonly body: { readonly ref: string; readonly key: string };
  readonly messageId: string;
  readonly sessionId?: string;
  readonly lockToken: string;
  /** How many deliveries of it have failed. */
  readonly deliveryCount: number;
  readonly sequenceNumber: ServiceBusLong;
  readonly enqueuedTimeUtc: Date;
  /** Updated at each renewal. */
  lockedUntilUtc?: Date;
  readonly state: "active" | "deferred";
  /** @throws {NotModelled} always; is not enumerable, so that a copy of the message has none */
  readonly _rawAmqpMessage: never;
}

export function messageFrom(
  delivery: LeasedDelivery,
  options: {
    readonly isSession: boolean;
    readonly isDeferred: boolean;
    readonly dateAt: (worldMs: number) => Date;
  },
): ServiceBusMessage {
  const { ref, key, sequence, handle, failures, publishedAt, leasedUntil } = delivery;
  const { isSession, isDeferred, dateAt } = options;
  const message = {
    body: { ref, key },
    messageId: `message-${sequence}`,
    ...(isSession ? { sessionId: key } : { lockedUntilUtc: dateAt(leasedUntil) }),
    lockToken: handle,
    deliveryCount: failures,
    sequenceNumber: longFrom(sequence),
    enqueuedTimeUtc: dateAt(publishedAt),
    state: isDeferred ? "deferred" : "active",
  } as const;
  Object.defineProperty(message, "_rawAmqpMessage", {
    get: refusing("message._rawAmqpMessage", "brokers.serviceBus"),
  });
  return message as typeof message & { readonly _rawAmqpMessage: never };
}

function longFrom(low: number): ServiceBusLong {
  return { low, high: 0, unsigned: false, toNumber: () => low, toString: () => String(low) };
}
