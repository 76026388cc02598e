import { NotModelled } from "./not-modelled.ts";
import { isDate } from "./stored-date.ts";

/** What a field of a request is, by the description of its service. */
export type Shape =
  | "text"
  | "integer"
  | "bytes"
  | "time"
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly members: Members };

/** The fields of a request, or of a part of one. */
export type Members = Readonly<Record<string, Shape>>;

/** A request as JSON; only the bytes are as they are, where JSON has their Base64. */
export type Written = Readonly<Record<string, unknown>>;

/** How one request is written. */
interface Writing {
  readonly see: string;
  /** Whether the text is JSON so far: what is neither a value nor an object spoils it. */
  isJson: boolean;
}

/**
 * Returns what the SDK writes of an input: the fields that its command has, without those of null,
 * and whatever else is there, of the right type or not. Undefined: what it writes is no JSON.
 *
 * @throws {TypeError} for an object that cannot be written as JSON
 *
 * Source: \@smithy/core, JsonShapeSerializer2
 */
export function writtenInput(members: Members, input: unknown, see: string): Written | undefined {
  if (typeof input !== "object" || input === null) return {};
  const writing: Writing = { see, isJson: true };
  const written = writtenMembers(members, input, writing);
  return writing.isJson ? written : undefined;
}

function writtenMembers(members: Members, value: object, writing: Writing): Written {
  if (typeof Reflect.get(value, "__type") === "string") {
    throw new NotModelled("a field __type", writing.see);
  }
  const written: [string, unknown][] = [];
  for (const [name, shape] of Object.entries(members)) {
    const item: unknown = Reflect.get(value, name);
    if (item === null || item === undefined) continue;
    written.push([name, writtenValue(shape, item, writing)]);
  }
  return Object.fromEntries(written);
}

function writtenValue(shape: Shape, value: unknown, writing: Writing): unknown {
  switch (typeof value) {
    case "object":
      return writtenObject(shape, value as object, writing);
    case "string":
      return shape === "bytes" ? new TextEncoder().encode(value) : value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
      return Number(value);
    default:
      writing.isJson = false;
      return undefined;
  }
}

function writtenObject(shape: Shape, value: object, writing: Writing): unknown {
  if (typeof shape === "object") {
    if ("members" in shape) return writtenMembers(shape.members, value, writing);
    if ("map" in shape) return writtenMap(shape.map, value, writing);
    if (Array.isArray(value)) return writtenList(shape.list, value as unknown[], writing);
  }
  if (shape === "bytes" && isBytes(value)) return new Uint8Array(value);
  if (shape === "time" && isDate(value)) {
    const seconds = value.getTime() / 1_000;
    if (Number.isNaN(seconds)) writing.isJson = false;
    return seconds;
  }
  return asJson(value, writing);
}

function writtenMap(shape: Shape, value: object, writing: Writing): Written {
  const written: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    if (item === null || item === undefined) continue;
    written.push([name, writtenValue(shape, item, writing)]);
  }
  return Object.fromEntries(written);
}

/** What is null is left out of a list; one of texts is written without a look at what it holds. */
function writtenList(shape: Shape, list: readonly unknown[], writing: Writing): unknown {
  const items = list.filter((item) => item !== null && item !== undefined);
  if (shape !== "text") return items.map((item) => writtenValue(shape, item, writing));
  const texts = items.map((item) =>
    typeof item === "number" && !Number.isFinite(item) ? String(item) : item,
  );
  return JSON.parse(JSON.stringify(texts)) as unknown;
}

/** Returns what the SDK writes where it expects another type than an object. */
function asJson(value: object, { see }: Writing): unknown {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new TypeError("Cannot read properties of undefined (reading 'length')");
  }
  // It writes each character as a byte.
  if (/[^\0-\x7F]/.test(json)) {
    throw new NotModelled("an object with other than ASCII, in place of another type", see);
  }
  return JSON.parse(json) as unknown;
}

/** Also of another realm; other views of a buffer are no bytes to the SDK. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}

/** What the SDK adds to a reply, and does not send with a request that was made of one. */
export const OF_REPLIES: string = "$metadata";

/** The fields of an input that are there: the SDK takes null for none. */
export function withoutNull(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
