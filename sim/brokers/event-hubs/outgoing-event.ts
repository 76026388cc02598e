import { bufferFrom } from "../library-buffer.ts";
import { bytesFrom } from "../text-bytes.ts";
import type { EventData } from "./event.ts";
import { MessagingError } from "./messaging-error.ts";

const MESSAGE_ID_MAX = 128;
/** What the service takes at a time, in bytes; of the basic tier it is 256 KB. */
const BATCH_BYTES_MAX = 1_048_576;

/**
 * Returns events as a receiver gets them: what is no bytes goes as JSON, none as null, and bytes
 * that are JSON are read as JSON.
 *
 * @throws {Error} for a field of another type, an id that is too long, a body that is not JSON
 * @throws {MessagingError} `MessageTooLargeError` for more than the service takes at a time
 *
 * Source: @azure/event-hubs 6, eventData.js and dataTransformer.js; Event Hubs quotas
 */
export function outgoingFrom(events: readonly EventData[]): readonly EventData[] {
  for (const event of events) assertFields(event);
  const encoded = events.map((event) => ({ event, bytes: encode(event.body) }));
  const size = encoded.reduce((sum, { event, bytes }) => sum + bytes.length + asideBytes(event), 0);
  if (size > BATCH_BYTES_MAX) {
    const words = `The received message (delivery-id:0, size:${size} bytes) exceeds the limit (${BATCH_BYTES_MAX} bytes) currently allowed on the link.`;
    throw new MessagingError(words, "MessageTooLargeError");
  }
  return encoded.map(({ event, bytes }) => ({ ...event, body: decode(bytes) }));
}

function assertFields({ contentType, correlationId, messageId, properties }: EventData): void {
  if (contentType !== undefined && contentType !== null && typeof contentType !== "string") {
    throw wrongType("contentType", "'string' or 'undefined'", typeof contentType);
  }
  for (const [name, id] of Object.entries({ correlationId, messageId })) {
    const isId = id === undefined || id === null || typeof id === "string";
    if (isId || typeof id === "number" || (id as unknown) instanceof Uint8Array) continue;
    throw wrongType(name, "'string', 'number', 'Buffer', or 'undefined'", typeof id);
  }
  if (properties !== undefined && (typeof properties !== "object" || Array.isArray(properties))) {
    const type = Array.isArray(properties) ? "array" : typeof properties;
    throw wrongType("properties", "an object or 'undefined'", type);
  }
  if (typeof messageId === "string" && messageId.length > MESSAGE_ID_MAX) {
    throw new Error(
      `Length of 'messageId' property on the event cannot be greater than ${MESSAGE_ID_MAX} characters.`,
    );
  }
}

function wrongType(name: string, expected: string, received: string): Error {
  return new Error(`Invalid '${name}': expected ${expected}, but received '${received}'.`);
}

function encode(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  try {
    const text = JSON.stringify(body ?? null) as string | undefined;
    if (text === undefined) throw new TypeError("it has no form as JSON");
    return bytesFrom(text);
  } catch (cause) {
    const words = "An error occurred while executing JSON.stringify() on the given body ";
    throw new Error(words + String(body), { cause });
  }
}

function decode(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  } catch {
    return bufferFrom(bytes);
  }
}

/** What an event has beside its body. */
function asideBytes({ contentType, correlationId, messageId, properties }: EventData): number {
  const aside = { contentType, correlationId, messageId, properties };
  const told = Object.values(aside).filter((value) => value !== undefined);
  return told.reduce<number>((sum, value) => sum + bytesFrom(JSON.stringify(value)).length, 0);
}
