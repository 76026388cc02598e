/** A value that JSON text can represent. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** How deeply a value may nest; Python's JSON parser fails near the same depth. */
export const VALUE_DEPTH_MAX = 1_000;

/**
 * Returns `value` as JSON text. `subject` names it in error messages.
 *
 * Holds: `jsonValueFromText(jsonTextFrom(v))` equals `v` in every part, the sign of a zero
 * included.
 *
 * @throws {TypeError} when JSON cannot represent `value`, or any part of it, without loss; the
 *   message has the path to that part
 * @throws {RangeError} when it nests deeper than {@linkcode VALUE_DEPTH_MAX}
 */
export function jsonTextFrom(value: unknown, subject: string): string {
  return encode(value, { subject, path: [], ancestors: [] });
}

/**
 * Returns `value` unchanged after checking that JSON can represent it without loss.
 *
 * @throws as {@linkcode jsonTextFrom} does
 */
export function checkedJson<T>(value: T, subject: string): T {
  jsonTextFrom(value, subject);
  return value;
}

/** Where in the value the encoder is; its lists grow and shrink while it walks. */
interface Position {
  readonly subject: string;
  /** Names and indices from the root to the current part. */
  readonly path: (string | number)[];
  /** The objects that contain the current part; meeting one of them again is a cycle. */
  readonly ancestors: object[];
}

function encode(value: unknown, position: Position): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) refuse(String(value), "JSON has only finite numbers", position);
      return Object.is(value, -0) ? "-0" : String(value);
    case "object":
      if (value === null) return "null";
      return encodeObject(value, position);
    case "undefined":
      return refuse("undefined", "leave the member out, or write null", position);
    case "bigint":
      return refuse(`the bigint ${value}`, "write a string", position);
    case "symbol":
    case "function":
      return refuse(`a ${typeof value}`, "JSON cannot represent it", position);
  }
}

// oxlint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most strings need no escaping, and testing for that is several times faster than escaping. */
function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function encodeObject(value: object, position: Position): string {
  if (position.ancestors.includes(value)) refuse("a cycle", "a value must be a tree", position);
  if (position.ancestors.length >= VALUE_DEPTH_MAX) {
    throw new RangeError(
      `Cannot store ${position.subject}: it nests deeper than ${VALUE_DEPTH_MAX} levels`,
    );
  }
  position.ancestors.push(value);
  const text = Array.isArray(value) ? encodeArray(value, position) : encodeRecord(value, position);
  position.ancestors.pop();
  return text;
}

function encodeArray(array: readonly unknown[], position: Position): string {
  if (Object.getPrototypeOf(array) !== Array.prototype) {
    refuse("an instance of an Array subclass", "write a plain array", position);
  }
  let text = "[";
  for (let at = 0; at < array.length; at += 1) {
    position.path.push(at);
    if (!Object.hasOwn(array, at)) refuse("a hole in a sparse array", "write null", position);
    text += (at === 0 ? "" : ",") + encode(array[at], position);
    position.path.pop();
  }
  if (Reflect.ownKeys(array).length !== array.length + 1) {
    refuse("an array with named members", "write an object", position);
  }
  return `${text}]`;
}

function encodeRecord(record: object, position: Position): string {
  if (!isPlain(record)) {
    refuse(`an object of class ${className(record)}`, "write a plain object or a string", position);
  }
  const members = record as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  if (Reflect.ownKeys(record).length !== names.length) {
    refuse("an object with non-enumerable or symbol-named members", "they would be lost", position);
  }
  let text = "{";
  for (const [at, name] of names.entries()) {
    position.path.push(name);
    text += `${at === 0 ? "" : ","}${quoted(name)}:${encode(members[name], position)}`;
    position.path.pop();
  }
  return `${text}}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // The Object.prototype of another realm, such as a frame or a vm context.
  return (
    typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "isPrototypeOf")
  );
}

function className(value: object): string {
  const { constructor } = value as { readonly constructor?: unknown };
  return typeof constructor === "function" && constructor.name !== ""
    ? constructor.name
    : "(anonymous)";
}

function refuse(what: string, cure: string, position: Position): never {
  const where = position.path.length === 0 ? "" : ` at ${pathText(position.path)}`;
  throw new TypeError(`Cannot store ${what}${where} as ${position.subject}: ${cure}`);
}

/** Formats a path: `$.jobs[3].id`, or `$["odd name"]` where a name is no identifier. */
function pathText(path: readonly (string | number)[]): string {
  let text = "$";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) text += `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** Matches strings first, so that digits inside a string are not taken for a number. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Only a text that has one of these can have a number that a JavaScript number cannot hold. */
const LONG_DIGITS_OR_EXPONENT = /\d{16}|\d[eE]\+?\d/;

/**
 * Parses JSON `text`.
 *
 * @throws {SyntaxError} when `text` is not JSON
 * @throws {RangeError} when it has an integer that a JavaScript number cannot hold exactly: a
 *   rounded job id would be the id of somebody else's job; or a number that would be infinite
 */
export function jsonValueFromText(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (LONG_DIGITS_OR_EXPONENT.test(text)) refuseLostNumbers(text);
  return value;
}

function refuseLostNumbers(text: string): void {
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (!token.startsWith('"') && !Number.isFinite(Number(token))) {
      const shown = token.length > 32 ? `${token.slice(0, 29)}...` : token;
      throw new RangeError(
        `Cannot read the number ${shown}: a JavaScript number cannot be as large`,
      );
    }
    if (!/^-?\d{16,}$/.test(token) || String(Number(token)) === token) continue;
    if (BigInt(token) === BigInt(Number(token))) continue;
    throw new RangeError(
      `Cannot read the integer ${token} without losing digits: write it as a string`,
    );
  }
}

/** Whether two JSON values are equal; the order of an object's members does not count. */
export function isEqualJson(one: JsonValue | null, other: JsonValue | null): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  const [ones, others] = [Object.entries(one), Object.entries(other)];
  if (ones.length !== others.length) return false;
  return ones.every(
    ([name, value]) =>
      Object.hasOwn(other, name) &&
      isEqualJson(value, (other as Record<string, JsonValue>)[name] ?? null),
  );
}
