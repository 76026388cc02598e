import type { AmqpProperties, PropertyName } from "./message.ts";
import { assertLong, assertNumber, assertShortTexts, outOfRange } from "./method-fields.ts";
import { tableFrom } from "./field-table.ts";

/** In the order in which they are written. */
const NAMES: readonly PropertyName[] = [
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
];
const BYTE_MAX = 255;

/**
 * Returns the properties that a message published with these options arrives with.
 *
 * @throws {TypeError} for a property that cannot be written
 * @throws {RangeError} for a number that has no room
 *
 * Source: amqplib 2, api_args.js, publish; defs.js, encodeBasicProperties
 */
export function propertiesFrom(options: Readonly<Record<string, unknown>>): AmqpProperties {
  const headers = headersFrom(options);
  const { persistent, deliveryMode, expiration } = options;
  let mode = typeof deliveryMode === "number" ? deliveryMode : undefined;
  if (mode === undefined && Boolean(deliveryMode)) mode = 2;
  if (persistent !== undefined) mode = persistent ? 2 : 1;
  const given: Readonly<Record<string, unknown>> = {
    ...options,
    headers,
    deliveryMode: mode,
    expiration: expiration === undefined ? undefined : textOf(expiration as object),
    clusterId: undefined,
  };
  const written = NAMES.map((name) => [name, writtenFrom(name, given[name])] as const);
  return Object.fromEntries(written) as unknown as AmqpProperties;
}

/** What stands for a property on the wire; null is not written. */
function writtenFrom(name: PropertyName, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  switch (name) {
    case "headers":
      return tableFrom(value);
    case "deliveryMode":
    case "priority":
      assertNumber(name, value);
      if (value >= 0 && value <= BYTE_MAX) return Math.trunc(value);
      throw outOfRange(`>= 0 and <= ${BYTE_MAX}`, `${value}`);
    case "timestamp":
      assertLong(name, value);
      return value;
    default:
      assertShortTexts({ [name]: value });
      return value;
  }
}

/** As the library has it: null is an error of the language. */
function textOf(value: { toString(): string }): string {
  return value.toString();
}

/** The headers of a message and its copies, with what an object of the caller's inherits. */
function headersFrom(options: Readonly<Record<string, unknown>>): object {
  const headers = Object.create((options["headers"] as object | undefined) ?? null) as Record<
    string,
    unknown
  >;
  for (const name of ["CC", "BCC"]) {
    const copies = options[name];
    if (copies === undefined) continue;
    headers[name] = (Array.isArray(copies) ? copies : [copies]).map(String);
  }
  return headers;
}
