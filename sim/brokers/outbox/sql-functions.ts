import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { elementsIn, jsonFrom, withMember } from "./sql-json.ts";
import type { FunctionName } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import {
  assertOrdered,
  compared,
  fromZero,
  isNumber,
  oneTypeOf,
  type SqlType,
  type SqlValue,
  toEven,
  toType,
} from "./sql-values.ts";

const TIMESTAMP = "timestamp with time zone";
const EPOCH_PLACES = 6;
/** Anything but 1 is out of range by then. */
const EXPONENT_MAX = 2_000;
/** Some more than a number has. */
const KEPT_BITS = 60;
/** A power of two that a number can be. */
const STEP_MAX = 1_000;

/**
 * Computes a function of values.
 *
 * @throws {SqlError} as the server's, for wrong types and values
 */
export function called(name: FunctionName, given: readonly SqlValue[]): SqlValue {
  if (OF_NUMBERS.has(name) && (name !== "to_timestamp" || given.length === 1)) {
    assertNumbers(name, given);
  }
  switch (name) {
    case "least":
    case "greatest":
      return outermost(name, given);
    case "extract":
      return epochOf(given);
    case "power":
      return powerOf(given);
    case "abs":
    case "floor":
    case "ceil":
    case "ceiling":
    case "round":
      return rounded(name, given);
    case "to_timestamp":
      return timeFrom(given);
    case "jsonb_build_object":
      return objectFrom(given);
    case "jsonb_set":
      return memberSet(given);
    default:
      return name satisfies never;
  }
}

const OF_NUMBERS: ReadonlySet<FunctionName> = new Set([
  ...(["power", "abs", "floor", "ceil", "ceiling", "round", "to_timestamp"] as const),
]);

/** @throws {SqlError} where the server has no such function */
function assertNumbers(name: FunctionName, given: readonly SqlValue[]): void {
  const areNumbers = given.every(({ type }) => isNumber(type) || type === "unknown");
  const [of, places] = given;
  const isRounded = name === "round" && places !== undefined;
  const isWhole = places?.type === "integer" || places?.type === "unknown";
  const isOther = isRounded && (of?.type === "double precision" || !isWhole || given.length > 2);
  if (!areNumbers || isOther) throw noFunction(name, given);
}

/** What a server says where it has no function for these. */
export function noFunction(name: string, given: readonly SqlValue[]): SqlError {
  const types = given.map(({ type }) => type).join(", ");
  return new SqlError("42883", `function ${name}(${types}) does not exist`);
}

/** The least or the greatest of those that are not null. */
function outermost(name: "least" | "greatest", given: readonly SqlValue[]): SqlValue {
  const type = oneTypeOf(name.toUpperCase(), given);
  const values = given.map((one) => toType(one, type)).filter(({ value }) => value !== null);
  const sign = name === "least" ? 1 : -1;
  const [first, ...others] = values.toSorted((a, b) => sign * compared(a, b));
  if (first !== undefined && others.length > 0) assertOrdered(first);
  return first ?? { type, value: null };
}

/** The seconds of a time or an interval, with the six places that the server computes. */
function epochOf([of, ...others]: readonly SqlValue[]): SqlValue {
  if (of === undefined || others.length > 0) throw unlike("extract");
  if (of.type !== TIMESTAMP && of.type !== "interval") throw unlike("extract");
  const value = of.value === null ? null : Number(of.value) / 1_000;
  return { type: "numeric", value, places: EPOCH_PLACES };
}

/** Whole numbers are taken for fractions; with a decimal the result is one. */
function powerOf(given: readonly SqlValue[]): SqlValue {
  const [base, exponent] = given;
  if (base === undefined || exponent === undefined || given.length > 2) throw unlike("power");
  const types = [base.type, exponent.type];
  const isDecimal = types.includes("numeric") && !types.includes("double precision");
  const type = isDecimal ? "numeric" : "double precision";
  const [a, b] = [numberIn(base, type), numberIn(exponent, type)];
  return { type, value: a === null || b === null ? null : wholePower(a, b) };
}

/**
 * Multiplies: engines differ in their own powers.
 *
 * @throws {NotModelled} for a root
 */
function wholePower(base: number, exponent: number): number {
  if (!Number.isInteger(exponent)) throw new NotModelled("power() to a fraction", SEE);
  if (base === 0 && exponent < 0) {
    throw new SqlError("2201F", "zero raised to a negative power is undefined");
  }
  const times = Math.min(Math.abs(exponent), EXPONENT_MAX);
  const power = exactPower(base, times);
  if (!Number.isFinite(power)) throw new SqlError("22003", "value out of range: overflow");
  return exponent < 0 ? 1 / power : power;
}

/** The nearest number to a power: what multiplies step by step strays from it. */
function exactPower(base: number, times: number): number {
  let [whole, halvings] = [base, 0];
  while (!Number.isInteger(whole)) {
    whole *= 2;
    halvings += 1;
  }
  let exact = 1n;
  for (let count = 0; count < times; count += 1) exact *= BigInt(whole);
  const size = exact < 0n ? -exact : exact;
  const shift = Math.max(0, size.toString(2).length - KEPT_BITS);
  const kept = size >> BigInt(shift);
  // One more bit stands for whatever was cut off.
  const isCut = kept << BigInt(shift) !== size;
  const near = Number((kept << 1n) | (isCut ? 1n : 0n));
  const scaled = scaledBy(near, shift - 1 - halvings * times);
  return exact < 0n ? -scaled : scaled;
}

/** Doubles or halves so often, in steps that a number can hold. */
function scaledBy(value: number, times: number): number {
  const step = Math.min(STEP_MAX, Math.abs(times));
  const factor = Number(1n << BigInt(step));
  const scaled = times < 0 ? value / factor : value * factor;
  return step === Math.abs(times) ? scaled : scaledBy(scaled, times - Math.sign(times) * step);
}

function rounded(
  name: "abs" | "floor" | "ceil" | "ceiling" | "round",
  [of, places]: readonly SqlValue[],
): SqlValue {
  if (of === undefined || (places !== undefined && name !== "round")) throw unlike(name);
  const value = numberIn(of, places === undefined ? "double precision" : "numeric");
  const isWhole = of.type === "integer" || of.type === "bigint";
  if (name === "abs")
    return { ...of, type: typeOfNumber(of.type), value: value && Math.abs(value) };
  if (places !== undefined) return roundedTo(of, numberIn(places));
  const type: SqlType = of.type === "numeric" ? "numeric" : "double precision";
  const shown = type === "numeric" ? { places: 0 } : {};
  if (value === null || isWhole) return { type, value, ...shown };
  if (name !== "round") {
    return { type, value: name === "floor" ? Math.floor(value) : Math.ceil(value), ...shown };
  }
  return { type, value: type === "numeric" ? fromZero(value) : toEven(value), ...shown };
}

/** A decimal with so many places; the server has this for no other type. */
function roundedTo(of: SqlValue, places: number | null): SqlValue {
  const value = numberIn(of, "numeric");
  if (places === null || value === null) return { type: "numeric", value: null };
  if (places < 0) throw unlike("round");
  return { type: "numeric", value: fromZero(value, places), places };
}

function timeFrom(given: readonly SqlValue[]): SqlValue {
  const [of] = given;
  if (of === undefined || given.length > 1) throw unlike("to_timestamp");
  const seconds = numberIn(of);
  return { type: TIMESTAMP, value: seconds === null ? null : seconds * 1_000 };
}

/** @throws {SqlError} for a name that is null */
function objectFrom(given: readonly SqlValue[]): SqlValue {
  if (given.length % 2 !== 0) {
    const hint = "argument list must have even number of elements";
    throw new SqlError("22023", hint);
  }
  const members = given.flatMap((one, at): readonly (readonly [string, unknown])[] => {
    if (at % 2 !== 0) return [];
    if (one.type === TIMESTAMP) throw new NotModelled("a time as a name in jsonb", SEE);
    if (one.type === "jsonb") {
      throw new SqlError("22023", "key value must be scalar, not array, composite, or json");
    }
    const name = toType(one, "text").value as string | null;
    if (name === null) throw new SqlError("22023", `argument ${at + 1}: key must not be null`);
    const of = given[at + 1];
    return [[name, of === undefined ? null : jsonFrom(of)]];
  });
  return toType({ type: "unknown", value: JSON.stringify(Object.fromEntries(members)) }, "jsonb");
}

function memberSet(given: readonly SqlValue[]): SqlValue {
  const [target, path, value, ...others] = given;
  if (target === undefined || path === undefined || value === undefined || others.length > 0) {
    throw unlike("jsonb_set");
  }
  const areJson = [target, value].every(({ type }) => type === "jsonb" || type === "unknown");
  if (!areJson) throw noFunction("jsonb_set", given);
  const [into, set] = [toType(target, "jsonb"), toType(value, "jsonb")];
  const at = elementsIn(path);
  if (into.value === null || at === null || set.value === null)
    return { type: "jsonb", value: null };
  return { type: "jsonb", value: withMember(into.value, at, set.value) };
}

/** @throws {SqlError} for a text that is no number */
function numberIn(of: SqlValue, type: SqlType = "double precision"): number | null {
  if (of.value === null) return null;
  return Number(of.type === "unknown" ? toType(of, type).value : of.value);
}

function typeOfNumber(type: SqlType): SqlType {
  return type === "unknown" ? "double precision" : type;
}

function unlike(name: string): NotModelled {
  return new NotModelled(`the function ${name}() with what it is given`, SEE);
}
