import { isBytes, type Members, type Shape, type Written } from "./aws-shape.ts";

/** What a service makes of a number that is not whole where it expects an integer. */
export type OfFraction = "cuts it" | "refuses it";

const INTEGER_MAX = 2_147_483_647;
const NOT_BASE64 = /[^a-zA-Z0-9+/=]|=[^=]/;
const BASE64_GROUP = 4;

/** What a service says to a request whose fields are of other types than it expects. */
export class WrongType extends Error {}

/**
 * Returns the fields of a request as its service reads them, in the order of their description.
 *
 * @throws {WrongType} for the first of another type, with the service's text
 *
 * Source: the services' JSON protocol, SerializationException
 */
export function readInput(
  members: Members,
  written: Written | undefined,
  ofFraction: OfFraction,
): object {
  // The SDK has this text where the reply has none.
  if (written === undefined) throw new WrongType("UnknownError");
  return readMembers(members, written, ofFraction);
}

function readMembers(members: Members, written: object, ofFraction: OfFraction): object {
  const read: [string, unknown][] = [];
  for (const [name, shape] of Object.entries(members)) {
    const value = Reflect.get(written, name) as unknown;
    if (value === null || value === undefined) continue;
    read.push([name, readValue(shape, value, ofFraction)]);
  }
  return Object.fromEntries(read);
}

function readValue(shape: Shape, value: unknown, ofFraction: OfFraction): unknown {
  if (typeof shape === "object") return readPart(shape, value, ofFraction);
  if (shape === "bytes" && isBytes(value)) return value;
  const kind = typeof value === "boolean" ? String(value).toUpperCase() : kindOf(value);
  switch (shape) {
    case "text":
      if (typeof value === "string") return value;
      throw new WrongType(`${kind}_VALUE can not be converted to a String`);
    case "integer":
      if (typeof value !== "number") {
        throw new WrongType(`${kind}_VALUE can not be converted to an Integer`);
      }
      if (ofFraction === "cuts it") return Math.min(Math.floor(value), INTEGER_MAX);
      if (Number.isInteger(value)) return value;
      throw new WrongType("DECIMAL_VALUE can not be converted to an Integer");
    case "time":
      if (typeof value === "number") return value;
      throw new WrongType(`${kind}_VALUE can not be converted to milliseconds since epoch`);
    case "bytes":
      if (typeof value === "string") return bytesFrom(value);
      throw new WrongType(`${kind}_VALUE can not be converted to a Blob`);
    default:
      return shape satisfies never;
  }
}

/** @throws {WrongType} for a list or an object, where a single value is expected */
function kindOf(value: unknown): "STRING" | "NUMBER" {
  if (typeof value === "object") throw structureFound(value);
  return typeof value === "string" ? "STRING" : "NUMBER";
}

function structureFound(value: unknown): WrongType {
  return new WrongType(
    Array.isArray(value)
      ? "Start of list found where not expected"
      : "Start of structure or map found where not expected.",
  );
}

type Part = Exclude<Shape, string>;

function readPart(shape: Part, value: unknown, ofFraction: OfFraction): unknown {
  const isList = "list" in shape;
  if (typeof value !== "object" || value === null) {
    throw new WrongType(
      isList ? "Expected list or null" : "map" in shape ? "Expected map or null" : "Expected null",
    );
  }
  if (Array.isArray(value) !== isList) throw structureFound(value);
  if ("members" in shape) return readMembers(shape.members, value, ofFraction);
  if ("map" in shape) {
    const entries = Object.entries(value) as [string, unknown][];
    return Object.fromEntries(
      entries.map(([name, item]) => [name, readValue(shape.map, item, ofFraction)]),
    );
  }
  const items = (value as readonly unknown[]).filter((item) => item !== null);
  return items.map((item) => readValue(shape.list, item, ofFraction));
}

/** Returns the bytes of a text of Base64. */
function bytesFrom(text: string): Uint8Array {
  const refused = (why: string) =>
    new WrongType(`'${text}' can not be converted to a Blob: ${why}`);
  const { length } = text;
  if (length % BASE64_GROUP !== 0) {
    throw refused(`Base64 encoded length is expected a multiple of 4 bytes but found: ${length}`);
  }
  const wrong = NOT_BASE64.exec(text)?.[0].slice(0, 1);
  if (wrong !== undefined) throw refused(`Invalid Base64 character: '${wrong}'`);
  const binary = binaryFrom(text);
  if (binary === undefined) throw refused("Invalid last non-pad Base64 character dectected");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Undefined for a text that no bytes have. */
function binaryFrom(text: string): string | undefined {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? binary : undefined;
  } catch {
    return undefined;
  }
}
