import { bufferFrom } from "../library-buffer.ts";
import { type Refusing, refusing } from "../not-modelled.ts";
import { storedDate } from "../stored-date.ts";

/** Where the model says what it has. */
export const SEE = "brokers.eventHubs";

/** An event for `sendBatch`. */
export interface EventData {
  /** The content; JSON unless it is bytes. */
  readonly body: unknown;
  /** The type of the content. */
  readonly contentType?: string;
  /** Relates the event to another. */
  readonly correlationId?: string | number;
  /** Names the event. */
  readonly messageId?: string | number;
  /** Properties of the application. */
  readonly properties?: { readonly [name: string]: unknown };
}

/** An event as `processEvents` gets it. */
export interface ReceivedEventData {
  /** The content: `{ ref, key }` for a record of the workload. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the library's own type
  readonly body: any;
  /** When the hub took the event. */
  readonly enqueuedTimeUtc: Date;
  /** Decided the event's partition; null when none was given. */
  readonly partitionKey: string | null;
  /** The place of the event in its partition: a decimal number that grows, with gaps. */
  readonly offset: string;
  /** The number of the event in its partition, from 0 and without gaps. */
  readonly sequenceNumber: number;
  /** Properties of the application, if there are any. */
  readonly properties?: { readonly [name: string]: unknown };
  /** Properties of the service. */
  readonly systemProperties?: { readonly [name: string]: unknown };
  /** The type of the content, where one was given. */
  readonly contentType?: string;
  /** The id that relates the event to another, where one was given. */
  readonly correlationId?: string | number;
  /** The event's name, where one was given. */
  readonly messageId?: string | number;
  /** Is refused by name. */
  getRawAmqpMessage(): never;
}

/** Where to start reading; exactly one of `offset`, `sequenceNumber` and `enqueuedOn`. */
export interface EventPosition {
  /** Behind this offset; "-1" is the oldest event, "@latest" is behind the newest. */
  readonly offset?: string;
  /** Whether the event at the offset or sequence number is read, too; default false. */
  readonly isInclusive?: boolean;
  /** Behind this time. */
  readonly enqueuedOn?: Date | number;
  /** Behind this sequence number. */
  readonly sequenceNumber?: number;
}

/** An event of a partition. */
export interface StoredEvent {
  readonly sequenceNumber: number;
  readonly offset: number;
  /** In milliseconds since the Unix epoch. */
  readonly enqueuedAt: number;
  readonly partitionKey: string | undefined;
  readonly data: EventData;
  readonly ref: string | undefined;
}

export const EARLIEST: EventPosition = Object.freeze({ offset: "-1" });
export const LATEST: EventPosition = Object.freeze({ offset: "@latest" });

const getRawAmqpMessage: Refusing = refusing("event.getRawAmqpMessage()", SEE);

export function receivedFrom(event: StoredEvent): ReceivedEventData {
  const { body, properties, contentType, correlationId, messageId } = event.data;
  return {
    body: body instanceof Uint8Array ? bufferFrom(body) : structuredClone(body),
    ...(properties === undefined ? {} : { properties: { ...properties } }),
    offset: String(event.offset),
    sequenceNumber: event.sequenceNumber,
    enqueuedTimeUtc: storedDate(event.enqueuedAt),
    partitionKey: event.partitionKey ?? null,
    systemProperties: {},
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(messageId === undefined ? {} : { messageId }),
    getRawAmqpMessage,
  };
}

/**
 * Checks the start positions of a subscription: one, or one for each partition.
 *
 * @throws {TypeError} when a position does not set exactly one of its three fields
 *
 * Source: @azure/event-hubs 6, eventPosition.js, validateEventPositions
 */
export function validatePositions(given: object): void {
  const positions = isPosition(given) ? [given] : Object.values(given);
  const words = "Invalid value for EventPosition found. ";
  if (positions.length === 0) throw new TypeError(`${words}Pass an object with a position.`);
  for (const position of positions as readonly (EventPosition | undefined)[]) {
    if (position === undefined) continue;
    const { offset, sequenceNumber, enqueuedOn } = position;
    const count = [offset, sequenceNumber, enqueuedOn].filter((one) => one !== undefined).length;
    if (count === 1) continue;
    throw new TypeError(`${words}Set exactly one of offset, sequenceNumber or enqueuedOn.`);
  }
}

export function isPosition(given: object): given is EventPosition {
  const { offset, sequenceNumber, enqueuedOn } = given as EventPosition;
  return offset !== undefined || sequenceNumber !== undefined || enqueuedOn !== undefined;
}
