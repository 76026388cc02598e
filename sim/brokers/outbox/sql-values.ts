import { isDate, storedDate } from "../stored-date.ts";
import { NotModelled } from "../not-modelled.ts";
import {
  comparedIntervals,
  fractionText,
  inMicroseconds,
  textOfInterval,
  type Interval,
} from "./interval.ts";
import { pgIntervalFrom } from "./pg-interval.ts";
import { fromZero, toEven } from "./rounding.ts";
import { SqlError } from "./sql-error.ts";
import { areEscapesWhole } from "./sql-escapes.ts";
import { instantIn } from "./sql-instant.ts";
import { intervalIn } from "./sql-interval.ts";
import { SEE } from "./sql-tokens.ts";

/** A type of a column or an expression; that of a parameter is not known before it is used. */
export type SqlType =
  | "bigint"
  | "integer"
  | "double precision"
  | "numeric"
  | "text"
  | "character varying"
  | "boolean"
  | "timestamp with time zone"
  | "interval"
  | "jsonb"
  | "void"
  | "unknown";

/** A value; a time is in milliseconds since the epoch, an interval an `Interval`. */
export interface SqlValue {
  readonly type: SqlType;
  /** Null is SQL's NULL; that of jsonb is `JSON_NULL`. An array is a list of values. */
  readonly value: unknown;
  /** Of a decimal how many places are shown, where that is known. */
  readonly places?: number;
}

/** The null of jsonb as a value of its own; inside of another one it is null. */
const JSON_NULL = Symbol("null of jsonb");

/** Returns a value of JSON as one of SQL. */
export function sqlJson(value: unknown): unknown {
  return value === null ? JSON_NULL : value;
}

/** Returns a value of jsonb as one of JSON. */
export function plainJson(value: unknown): unknown {
  return value === JSON_NULL ? null : value;
}

export const NULL: SqlValue = { type: "unknown", value: null };
/** What says DEFAULT in the place of a value; no other value is this one. */
export const BY_DEFAULT: SqlValue = { type: "unknown", value: null };
export const TRUE: SqlValue = { type: "boolean", value: true };
export const FALSE: SqlValue = { type: "boolean", value: false };

/** What a server calls each type inside: so is called a column that is cast to it. */
export const TYPE_NAMES: Readonly<Record<SqlType, string>> = {
  bigint: "int8",
  integer: "int4",
  "double precision": "float8",
  numeric: "numeric",
  text: "text",
  "character varying": "varchar",
  boolean: "bool",
  "timestamp with time zone": "timestamptz",
  interval: "interval",
  jsonb: "jsonb",
  void: "void",
  unknown: "unknown",
};

const NUMBERS: readonly SqlType[] = ["integer", "bigint", "numeric", "double precision"];

export function isNumber(type: SqlType): boolean {
  return NUMBERS.includes(type);
}

/** The value that the library sends for a parameter: a text, whose type the server finds out. */
export function paramFrom(given: unknown): SqlValue {
  if (given === null || given === undefined) return NULL;
  if (isDate(given)) return { type: "unknown", value: zonedText(given) };
  if (Array.isArray(given)) return { type: "unknown", value: arrayTextOf(given) };
  if (ArrayBuffer.isView(given)) throw new NotModelled("bytes as a parameter", SEE);
  const { toPostgres } = given as { readonly toPostgres?: unknown };
  if (typeof toPostgres === "function") {
    return paramFrom(toPostgres.call(given, (one: unknown) => paramFrom(one).value));
  }
  if (typeof given === "object") return { type: "unknown", value: JSON.stringify(given) };
  const text = (given as number).toString();
  if (!text.includes("\u0000")) return { type: "unknown", value: text };
  throw new SqlError("22021", 'invalid byte sequence for encoding "UTF8": 0x00');
}

/** A time as the library sends it, with an offset; the process is taken to run in UTC. */
function zonedText(date: Date): string {
  return date.toISOString().replace("Z", "+00:00");
}

/**
 * The library sends a list as an array of the server, whatever the column is: jsonb refuses it,
 * unless it is serialised first.
 *
 * Source: pg 8, lib/utils.js, "arrayString"
 */
function arrayTextOf(list: readonly unknown[]): string {
  const elements = list.map((one) => {
    if (one === null || one === undefined) return "NULL";
    if (Array.isArray(one)) return arrayTextOf(one);
    const text = paramFrom(one).value as string;
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${elements.join(",")}}`;
}

/**
 * Converts a value to a type, as an assignment or a cast does.
 *
 * @throws {SqlError} when it is none of that type
 */
export function toType(given: SqlValue, wanted: SqlType): SqlValue {
  const { type, value } = given;
  if (type === wanted || wanted === "unknown") return given;
  if (value === null) return { type: wanted, value };
  if (isNumber(type) && isNumber(wanted)) {
    const number = value as number;
    const round = type === "numeric" ? fromZero : toEven;
    const whole = isWhole(wanted) ? round(number) + 0 : number;
    if (wanted === "integer" && !isInteger(whole)) throw outOfRange("integer out of range");
    return { type: wanted, value: whole };
  }
  if (wanted === "text" || wanted === "character varying") {
    return { type: wanted, value: textOf(given) };
  }
  if (type === "integer" && wanted === "boolean") return { type: wanted, value: value !== 0 };
  if (type === "boolean" && wanted === "integer") return { type: wanted, value: Number(value) };
  if (type === "jsonb" && (isNumber(wanted) || wanted === "boolean"))
    return scalarIn(value, wanted);
  const text = value as string;
  const parsed = parsedAs(text, wanted);
  if (parsed !== undefined) return { type: wanted, value: parsed };
  const shown = wanted === "jsonb" ? "invalid input syntax for type json" : undefined;
  const code = wanted === "timestamp with time zone" || wanted === "interval" ? "22007" : "22P02";
  throw new SqlError(code, shown ?? `invalid input syntax for type ${wanted}: "${text}"`);
}

/**
 * Takes a number or truth out of jsonb.
 *
 * @throws {SqlError} for anything else that is in it
 */
function scalarIn(value: unknown, wanted: SqlType): SqlValue {
  const kind = wanted === "boolean" ? "boolean" : "number";
  if (typeof value === kind) {
    return kind === "boolean"
      ? { type: wanted, value }
      : toType({ type: "numeric", value }, wanted);
  }
  const isList = Array.isArray(value);
  const other = value === JSON_NULL ? "null" : typeof value;
  const found = isList ? "array" : other === "number" ? "numeric" : other;
  throw new SqlError("22023", `cannot cast jsonb ${found} to type ${wanted}`);
}

const INTEGER_BITS = 32;
const BIGINT_BITS = 64;
const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;
/** Numbers that are none. */
const ENDLESS = /^\s*(?:nan|[-+]?inf(?:inity)?)\s*$/i;
const TRUTH = /^\s*(?:t|tr|tru|true|y|ye|yes|on|1)\s*$/i;
const FALSEHOOD = /^\s*(?:f|fa|fal|fals|false|n|no|of|off|0)\s*$/i;

function parsedAs(text: string, type: SqlType): unknown {
  switch (type) {
    case "bigint":
    case "integer":
      return /^\s*[-+]?\d+\s*$/.test(text) ? wholeFrom(text, type) : undefined;
    case "double precision":
    case "numeric":
      return numberIn(text, type);
    case "boolean":
      if (TRUTH.test(text)) return true;
      return FALSEHOOD.test(text) ? false : undefined;
    case "timestamp with time zone":
      return instantIn(text);
    case "interval":
      return intervalIn(text);
    case "jsonb":
      return jsonbIn(text);
    default:
      return text;
  }
}

function jsonbIn(text: string): unknown {
  let value: unknown;
  try {
    value = sqlJson(asJsonb(JSON.parse(text)));
  } catch {
    return undefined;
  }
  return areEscapesWhole(text) ? value : undefined;
}

/** @throws {NotModelled} for what is not a number, and for what has no end */
function numberIn(text: string, type: SqlType): number | undefined {
  if (ENDLESS.test(text)) throw new NotModelled(`the number ${JSON.stringify(text)}`, SEE);
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw outOfRange(`"${text}" is out of range for type ${type}`);
}

/**
 * @throws {SqlError} for a number that the type does not have
 * @throws {NotModelled} for one that has no exact place in a number of JavaScript
 */
function wholeFrom(text: string, type: "bigint" | "integer"): number {
  const value = BigInt(text.trim().replace("+", ""));
  const fits = BigInt.asIntN(type === "integer" ? INTEGER_BITS : BIGINT_BITS, value) === value;
  if (!fits) throw outOfRange(`value "${text}" is out of range for type ${type}`);
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new NotModelled("a bigint beyond 2^53", SEE);
}

/**
 * Returns a number of a type, as a literal or a sum.
 *
 * @throws {SqlError} for an integer that has too many bits, and a fraction or a time that is too
 *   large
 * @throws {NotModelled} for a bigint that has no exact place in a number of JavaScript, and a time
 *   that its dates do not have
 */
export function numberOf(type: SqlType, value: number): SqlValue {
  if (!Number.isFinite(value)) {
    if (type === "double precision") throw outOfRange("value out of range: overflow");
    throw new NotModelled("a decimal beyond 2^1024", SEE);
  }
  if (type === "integer" && !isInteger(value)) throw outOfRange("integer out of range");
  if (type === "timestamp with time zone") assertInTime(value, "timestamp out of range");
  // Whole numbers of SQL have one zero.
  const one = isWhole(type) ? value + 0 : value;
  if (type !== "bigint" || Number.isSafeInteger(value)) return { type, value: one };
  throw new NotModelled("a bigint beyond 2^53", SEE);
}

/** The first instant of 4713 B. C. and the end of the year 294276, since the epoch. */
const [FIRST_MS, END_MS] = [-210_866_803_200_000, 9_224_318_016_000_000];
/** Beyond it there is no date of JavaScript. */
const DATE_MS_MAX = 8_640_000_000_000_000;

/**
 * Asserts that a server has a time, in milliseconds since the epoch.
 *
 * @throws {SqlError} when it has not
 * @throws {NotModelled} when JavaScript has not
 */
export function assertInTime(ms: number, message: string): void {
  if (ms < FIRST_MS || ms >= END_MS) throw new SqlError("22008", message);
  if (ms > DATE_MS_MAX) throw new NotModelled("a time after the year 275760", SEE);
}

function isWhole(type: SqlType): boolean {
  return type === "integer" || type === "bigint";
}

function isInteger(value: number): boolean {
  return BigInt.asIntN(INTEGER_BITS, BigInt(value)) === BigInt(value);
}

function outOfRange(message: string): SqlError {
  return new SqlError("22003", message);
}

/**
 * Returns a value as jsonb keeps it: the shorter names of an object come first, and names of one
 * length in the order of their bytes.
 */
export function asJsonb(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonb);
  if (typeof value !== "object" || value === null) return value;
  const encoder = new TextEncoder();
  const members = Object.entries(value).map(([name, of]) => {
    return { name, bytes: encoder.encode(name), of: asJsonb(of) };
  });
  const sorted = members.toSorted(
    (a, b) => a.bytes.length - b.bytes.length || byBytes(a.bytes, b.bytes),
  );
  return Object.fromEntries(sorted.map(({ name, of }) => [name, of]));
}

function byBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Returns the text of jsonb, with the spaces that a server puts in. */
export function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, of]) => `${JSON.stringify(name)}: ${jsonbText(of)}`,
  );
  return `{${members.join(", ")}}`;
}

function textOf({ type, value, places }: SqlValue): string {
  if (type === "numeric") {
    if (places === undefined) throw new NotModelled("the text of a decimal", SEE);
    return (value as number).toFixed(places);
  }
  if (type === "jsonb") return jsonbText(plainJson(value));
  if (type === "interval") return textOfInterval(value as Interval);
  if (type === "double precision") return textOfDouble(value as number);
  return type === "timestamp with time zone"
    ? textOfTime(inMicroseconds(value as number))
    : String(value);
}

/** The shortest that reads back, from 1e15 on and below 0.0001 with an exponent of two digits. */
function textOfDouble(value: number): string {
  if (Object.is(value, -0)) return "-0";
  const [digits, exponent = ""] = value.toExponential().split("e");
  const isPlain = !Number.isFinite(value) || (Number(exponent) >= -4 && Number(exponent) < 15);
  if (value === 0 || isPlain) return String(value);
  return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, "0")}`;
}

/** As a server writes it whose time zone is UTC: "2026-01-01 00:00:00.25+00". */
function textOfTime(ms: number): string {
  const second = Math.floor(ms / 1_000) * 1_000;
  const date = storedDate(second);
  const year = date.getUTCFullYear();
  const shown = String(year > 0 ? year : 1 - year).padStart(4, "0");
  const clock = date.toISOString().slice(-"-01-01T00:00:00.000Z".length, -".000Z".length);
  return `${shown}${clock.replace("T", " ")}${fractionText(ms - second)}+00${year > 0 ? "" : " BC"}`;
}

/** Compares two values of one type; negative when the left one is smaller. */
export function compared(left: SqlValue, right: SqlValue): number {
  const [a, b] = [left.value, right.value] as readonly (number | string | boolean)[];
  if (left.type === "interval") {
    return comparedIntervals(left.value as Interval, right.value as Interval);
  }
  if (left.type === "jsonb") {
    return Number(JSON.stringify(plainJson(a)) !== JSON.stringify(plainJson(b)));
  }
  if (a === b || a === undefined || b === undefined) return 0;
  return a < b ? -1 : 1;
}

/**
 * Returns a value as the library gives it: a bigint is a string, a time a Date.
 *
 * @throws {NotModelled} for a decimal, whose text shows how many places it was computed with
 */
export function givenValue({ type, value, places }: SqlValue): unknown {
  if (value === null) return null;
  if (type === "numeric" && places !== undefined) return (value as number).toFixed(places);
  if (type === "numeric") throw new NotModelled("a result of type numeric", SEE);
  if (type === "bigint") return (value as number).toString();
  if (type === "timestamp with time zone") return dateOf(value);
  if (type === "interval") return pgIntervalFrom(value as Interval);
  return type === "jsonb" ? (JSON.parse(JSON.stringify(plainJson(value))) as unknown) : value;
}

/** Returns a value as the server writes it; null for none. */
export function writtenValue(of: SqlValue): string | null {
  if (of.value === null) return null;
  return of.type === "boolean" ? (of.value === true ? "t" : "f") : textOf(of);
}

function dateOf(ms: unknown): Date {
  // The library cuts what is less than a millisecond.
  return storedDate(Math.floor(inMicroseconds(ms as number)));
}
