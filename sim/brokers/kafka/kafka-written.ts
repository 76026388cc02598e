import type { ProducedMessage } from "./kafka-message.ts";

type Part = string | ArrayBufferLike | ArrayBufferView;

/**
 * What kafkajs makes of a message that it writes.
 *
 * Holds, as in the library: text and a `Buffer` are written as they are. Of other bytes it writes
 * the text, such as "1,2", behind the length of the bytes: a record whose two lengths differ is
 * refused by the server, with all others of its batch.
 *
 * Source: kafkajs 2.2.4, src/protocol/encoder.js, `sizeOfVarIntBytes` and `writeVarIntBytes`
 */
export interface WrittenMessages {
  readonly messages: readonly ProducedMessage[];
  /** Whether a record says another length than it has. */
  readonly isMalformed: boolean;
}

export function writtenFrom(messages: readonly ProducedMessage[]): WrittenMessages {
  const isMalformed = messages.some((message) => partsOf(message).some(isMiscounted));
  return { isMalformed, messages: messages.map(asWritten) };
}

/**
 * Fails as the library does when it writes a message.
 *
 * @throws {TypeError} for what is neither text nor bytes
 * @throws {SyntaxError} for a timestamp that is no whole number
 */
export function assertWritable(message: ProducedMessage): void {
  for (const one of partsOf(message) as readonly unknown[]) {
    if (typeof one === "string" || isBytes(one)) continue;
    const wanted = "must be of type string or an instance of Buffer or ArrayBuffer";
    const error = new TypeError(`The "string" argument ${wanted}. Received ${wordsFor(one)}`);
    throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
  }
  // The library takes the time where there is none, also for null.
  if (message.timestamp) BigInt(message.timestamp);
}

/** Returns text and a `Buffer` as they are, and of other bytes their text. */
export function writtenPart<T>(part: T): T | string {
  // oxlint-disable-next-line typescript/no-base-to-string -- the library asks for no more
  return typeof part === "string" || isBuffer(part) ? part : String(part);
}

function partsOf({ key, value, headers = {} }: ProducedMessage): readonly Part[] {
  return [key ?? "", value ?? "", ...(Object.values(headers).flat() as Part[])];
}

function asWritten({ key, value, headers = {}, ...others }: ProducedMessage): ProducedMessage {
  const written = Object.entries(headers).map(
    ([name, header]) =>
      [name, Array.isArray(header) ? header.map(writtenPart) : writtenPart(header)] as const,
  );
  return {
    ...others,
    key: key === null || key === undefined ? null : writtenPart(key),
    value: value === null ? null : writtenPart(value),
    headers: Object.fromEntries(written),
  };
}

function isMiscounted(part: Part): boolean {
  if (typeof part === "string" || isBuffer(part)) return false;
  // oxlint-disable-next-line typescript/no-base-to-string -- the library asks for no more
  return new TextEncoder().encode(String(part)).length !== part.byteLength;
}

function isBytes(part: unknown): boolean {
  return ArrayBuffer.isView(part) || part instanceof ArrayBuffer;
}

/** The text of a `Buffer` is what its bytes encode; that of plain bytes is a list of numbers. */
function isBuffer(part: unknown): boolean {
  if (!(part instanceof Uint8Array)) return false;
  return Reflect.get(part, "toString") !== Reflect.get(Uint8Array.prototype, "toString");
}

function wordsFor(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "object") return `an instance of ${value.constructor.name}`;
  // oxlint-disable-next-line typescript/no-base-to-string -- it is no object
  return `type ${typeof value} (${String(value)})`;
}
