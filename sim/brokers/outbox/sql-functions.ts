import { NotModelled } from "../not-modelled.ts";
import { secondsOf, type Interval } from "./interval.ts";
import { fromZero, toEven } from "./rounding.ts";
import { SqlError } from "./sql-error.ts";
import { jsonFrom, withMember } from "./sql-json.ts";
import type { FunctionName } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import {
  assertInTime,
  compared,
  NULL,
  numberOf,
  plainJson,
  sqlJson,
  type SqlValue,
  toType,
} from "./sql-values.ts";

const TIMESTAMP = "timestamp with time zone";
const EPOCH_PLACES = 6;
/** Anything but 1 is out of range by then. */
const EXPONENT_MAX = 2_000;
/** A decimal has other limits than a fraction. */
const DECIMAL_EXPONENT_MAX = 64;
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

/** The least or the greatest of those that are not null. */
function outermost(name: "least" | "greatest", given: readonly SqlValue[]): SqlValue {
  const values = given.filter(({ value }) => value !== null);
  const sign = name === "least" ? 1 : -1;
  return values.toSorted((a, b) => sign * compared(a, b))[0] ?? given[0] ?? NULL;
}

/** The seconds of a time or an interval, with the six places that the server computes. */
function epochOf([of = NULL]: readonly SqlValue[]): SqlValue {
  return { type: "numeric", value: secondsIn(of), places: EPOCH_PLACES };
}

function secondsIn({ type, value }: SqlValue): number | null {
  if (value === null) return null;
  return type === "interval" ? secondsOf(value as Interval) : Number(value) / 1_000;
}

function powerOf([base = NULL, exponent = NULL]: readonly SqlValue[]): SqlValue {
  const { type } = base;
  if (base.value === null || exponent.value === null) return { type, value: null };
  const isDecimal = type === "numeric";
  if (isDecimal && Math.abs(Number(exponent.value)) > DECIMAL_EXPONENT_MAX) throw unlike("power");
  return { type, value: wholePower(Number(base.value), Number(exponent.value)) };
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
  const result = exponent < 0 ? 1 / power : power;
  if (!Number.isFinite(result)) throw new SqlError("22003", "value out of range: overflow");
  const isLost = result === 0 && base !== 0;
  if (isLost) throw new SqlError("22003", "value out of range: underflow");
  return result;
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
  [of = NULL, places]: readonly SqlValue[],
): SqlValue {
  const { type } = of;
  if (of.value === null || places?.value === null) return { type, value: null };
  const value = Number(of.value);
  if (name === "abs") return { ...of, ...numberOf(type, Math.abs(value)) };
  if (places !== undefined) return roundedTo(value, Number(places.value));
  const shown = type === "numeric" ? { places: 0 } : {};
  if (name !== "round") {
    return { type, value: name === "floor" ? Math.floor(value) : Math.ceil(value), ...shown };
  }
  return { type, value: type === "numeric" ? fromZero(value) : toEven(value), ...shown };
}

/** A decimal with so many places; the server has this for no other type. */
function roundedTo(value: number, places: number): SqlValue {
  if (places < 0) throw unlike("round");
  return { type: "numeric", value: fromZero(value, places), places };
}

/** @throws {SqlError} for a time that a server does not have */
function timeFrom([of = NULL]: readonly SqlValue[]): SqlValue {
  if (of.value === null) return { type: TIMESTAMP, value: null };
  const seconds = Number(of.value);
  const shown = Number(seconds.toPrecision(SHOWN_DIGITS)).toExponential();
  assertInTime(seconds * 1_000, `timestamp out of range: "${shown}"`);
  return { type: TIMESTAMP, value: seconds * 1_000 };
}
/** So many digits of a number are shown in an error. */
const SHOWN_DIGITS = 6;

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

function memberSet([into = NULL, path = NULL, set = NULL]: readonly SqlValue[]): SqlValue {
  if (into.value === null || path.value === null || set.value === null) {
    return { type: "jsonb", value: null };
  }
  const at = path.value as readonly SqlValue[];
  const names = at.map(({ value }) => value as string | null);
  const value = withMember(plainJson(into.value), names, plainJson(set.value));
  return { type: "jsonb", value: sqlJson(value) };
}

function unlike(name: string): NotModelled {
  return new NotModelled(`the function ${name}() with what it is given`, SEE);
}
