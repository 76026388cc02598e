import { bufferFrom, isBuffer } from "../library-buffer.ts";

/** The types of a value that says its own type, by what a reader gets. */
const READ_AS_NUMBER: ReadonlySet<unknown> = new Set([
  ...["double", "float64", "byte", "int8", "unsignedbyte", "uint8", "short", "int16"],
  ...["unsignedshort", "uint16", "int", "int32", "unsignedint", "uint32", "long", "int64"],
  "float",
]);
const READ_AS_TYPED: ReadonlySet<unknown> = new Set(["timestamp", "decimal"]);

/**
 * Returns a table of fields as it is read at the other end: a copy, without what is undefined.
 *
 * @throws {TypeError} for a value of a type that there is no field for
 *
 * Source: amqplib 2, codec.js, encodeTable
 */
export function tableFrom(table: object): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  const fields = table as Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line guard-for-in -- the library writes what is inherited, too
  for (const key in fields) {
    if (fields[key] !== undefined) read[key] = fieldFrom(fields[key]);
  }
  return read;
}

function fieldFrom(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return numberFrom(value);
  if (typeof value !== "object") throw unknownType(typeof value);
  if (Object.hasOwn(value, "!")) return typedFrom(value as TypedValue);
  if (Array.isArray(value)) return value.map((one) => fieldFrom(one));
  return isBuffer(value) ? bufferFrom(value as Buffer) : tableFrom(value);
}

/** A value that says as what it is written. */
interface TypedValue {
  readonly "!": unknown;
  readonly value: unknown;
}

function typedFrom({ "!": type, value }: TypedValue): unknown {
  if (READ_AS_TYPED.has(type)) return { "!": type, value };
  if (READ_AS_NUMBER.has(type)) return value;
  if (type === typeof value) return fieldFrom(value);
  throw unknownType(type);
}

/** No number is written as a whole one, which the language refuses. */
function numberFrom(value: number): number {
  if (Number.isNaN(value)) BigInt(value);
  return value;
}

function unknownType(type: unknown): TypeError {
  return new TypeError(`Unknown type to encode: ${String(type)}`);
}
