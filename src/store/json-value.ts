/** What JSON can say. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** How deep a value may nest; Python's reader gives up near the same depth. */
export const VALUE_DEPTH_MAX = 1_000;

/**
 * `value` as JSON text.
 *
 * Holds: `jsonValueFromText(jsonTextFrom(v))` equals `v` in every part, the sign of a zero
 * included.
 *
 * @throws {TypeError} when `value`, or anything in it, cannot be said in JSON without loss; the
 *   message has the path to it
 * @throws {RangeError} when it nests deeper than {@linkcode VALUE_DEPTH_MAX}
 */
export function jsonTextFrom(value: unknown, subject: string): string {
  if (value === null || value === undefined) {
    throw new TypeError(
      `Cannot store ${value} as ${subject}: absence is what delete() is for, a value is anything else`,
    );
  }
  return encode(value, { subject, path: [], within: [] });
}

interface Place {
  readonly subject: string;
  /** Names and indices from the value's root to here; one list, grown and shrunk while walking. */
  readonly path: (string | number)[];
  /** The objects that we are inside of: to meet one again is a cycle. */
  readonly within: object[];
}

function encode(value: unknown, place: Place): string {
  switch (typeof value) {
    case "string":
      return textOf(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) refuse(String(value), "JSON has finite numbers only", place);
      return Object.is(value, -0) ? "-0" : String(value);
    case "object":
      if (value === null) return "null";
      return encodeObject(value, place);
    case "undefined":
      return refuse("undefined", "leave the member out, or write null", place);
    case "bigint":
      return refuse(`the bigint ${value}`, "write a string", place);
    case "symbol":
    case "function":
      return refuse(`a ${typeof value}`, "it cannot be said in JSON", place);
  }
}

// oxlint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most texts hold nothing that JSON escapes, and finding out is several times cheaper. */
function textOf(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function encodeObject(value: object, place: Place): string {
  if (place.within.includes(value)) refuse("a cycle", "a value is a tree", place);
  if (place.within.length >= VALUE_DEPTH_MAX) {
    throw new RangeError(
      `Cannot store ${place.subject}: it nests deeper than ${VALUE_DEPTH_MAX} levels`,
    );
  }
  place.within.push(value);
  const text = Array.isArray(value) ? encodeArray(value, place) : encodeRecord(value, place);
  place.within.pop();
  return text;
}

function encodeArray(array: readonly unknown[], place: Place): string {
  if (Object.getPrototypeOf(array) !== Array.prototype) {
    refuse("an array of a class of its own", "write a plain array", place);
  }
  let text = "[";
  for (let at = 0; at < array.length; at += 1) {
    place.path.push(at);
    if (!Object.hasOwn(array, at)) refuse("a hole of a sparse array", "write null", place);
    text += (at === 0 ? "" : ",") + encode(array[at], place);
    place.path.pop();
  }
  if (Reflect.ownKeys(array).length !== array.length + 1) {
    refuse("an array with named members", "write an object", place);
  }
  return `${text}]`;
}

function encodeRecord(record: object, place: Place): string {
  if (!isPlain(record)) {
    refuse(`an object of class ${className(record)}`, "write a plain object or a string", place);
  }
  const members = record as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  if (Reflect.ownKeys(record).length !== names.length) {
    refuse("an object with hidden or symbol-named members", "they would be lost", place);
  }
  let text = "{";
  for (const [at, name] of names.entries()) {
    place.path.push(name);
    text += `${at === 0 ? "" : ","}${textOf(name)}:${encode(members[name], place)}`;
    place.path.pop();
  }
  return `${text}}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // The root prototype of another realm, such as a frame or a worker's vm context.
  return (
    typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "isPrototypeOf")
  );
}

function className(value: object): string {
  const maker: unknown = (value as { constructor?: unknown }).constructor;
  return typeof maker === "function" && maker.name !== "" ? maker.name : "its own";
}

function refuse(what: string, cure: string, place: Place): never {
  const where = place.path.length === 0 ? "" : ` at ${pathText(place.path)}`;
  throw new TypeError(`Cannot store ${what}${where} as ${place.subject}: ${cure}`);
}

/** `$.jobs[3].id`, and `$["odd name"]` where a name is not an identifier. */
function pathText(path: readonly (string | number)[]): string {
  let text = "$";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) text += `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** Strings first, so that digits inside of one are not taken for a number. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_DIGITS = /\d{16}/;

/**
 * The value that JSON `text` says.
 *
 * @throws {SyntaxError} when `text` is not JSON
 * @throws {RangeError} when a whole number in it has more digits than a JavaScript number carries:
 *   rounding a job's id would poll a stranger's job
 */
export function jsonValueFromText(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (LONG_DIGITS.test(text)) refuseLostDigits(text);
  return value;
}

function refuseLostDigits(text: string): void {
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (!/^-?\d{16,}$/.test(token) || String(Number(token)) === token) continue;
    if (BigInt(token) === BigInt(Number(token))) continue;
    throw new RangeError(
      `Cannot read the whole number ${token} without losing digits: carry it as a string`,
    );
  }
}
