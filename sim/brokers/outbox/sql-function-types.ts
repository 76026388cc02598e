import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import type { AdvisoryCall, AggregateName, FunctionName } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import { type AnyType, isOfNumber, operandType } from "./sql-types.ts";
import type { SqlType } from "./sql-values.ts";

/** What a function takes, undefined where it takes anything, and what it returns. */
interface Signature {
  readonly takes: readonly (AnyType | undefined)[];
  readonly result: SqlType;
}

const TIMESTAMP = "timestamp with time zone";

type Name = FunctionName | AggregateName | AdvisoryCall | "pg_notify";

/**
 * Finds the function that a server takes for arguments of these types.
 *
 * @throws {SqlError} where it has none, or several
 * @throws {NotModelled} for one that it has and the model has not
 */
export function functionFor(name: Name, given: readonly AnyType[]): Signature {
  if (given.some((one) => one.endsWith("[]")) && name !== "jsonb_set") {
    throw new NotModelled(`${name}() of an array`, SEE);
  }
  const found = signatureOf(name, given.map(operandType));
  if (found !== undefined) return found;
  throw new SqlError("42883", `function ${name}(${given.join(", ")}) does not exist`);
}

function signatureOf(name: Name, given: readonly AnyType[]): Signature | undefined {
  const [first = "unknown", second = "unknown"] = given;
  const areNumbers = given.every((one) => one === "unknown" || isOfNumber(one));
  switch (name) {
    case "abs":
      if (!areNumbers || given.length !== 1) return undefined;
      return same(first === "unknown" ? "double precision" : first);
    case "floor":
    case "ceil":
    case "ceiling":
      if (!areNumbers || given.length !== 1) return undefined;
      return same(first === "numeric" ? first : "double precision");
    case "round":
      return rounding(given, areNumbers);
    case "power": {
      if (!areNumbers || given.length !== 2) return undefined;
      const isDecimal = given.includes("numeric") && !given.includes("double precision");
      const type = isDecimal ? "numeric" : "double precision";
      return { takes: [type, type], result: type };
    }
    case "to_timestamp":
      return timeFrom(given, areNumbers);
    case "extract":
      if (first !== TIMESTAMP && first !== "interval") {
        throw new NotModelled("the function extract() with what it is given", SEE);
      }
      return { takes: [first], result: "numeric" };
    case "jsonb_build_object":
      return { takes: given.map(() => undefined), result: "jsonb" };
    case "jsonb_set":
      return memberSet(given);
    case "least":
    case "greatest":
      return undefined;
    case "count":
      if (given.length > 1) return undefined;
      return { takes: given.map(() => undefined), result: "bigint" };
    case "min":
    case "max":
      return extreme(first);
    case "sum":
      return sum(first);
    case "pg_notify": {
      const areTexts = [first, second].every((one) => one === "unknown" || one === "text");
      return areTexts ? { takes: ["text", "text"], result: "void" } : undefined;
    }
    case "pg_advisory_lock":
    case "pg_advisory_xact_lock":
      return isLockKey(first) ? { takes: ["bigint"], result: "void" } : undefined;
    default:
      return isLockKey(first) ? { takes: ["bigint"], result: "boolean" } : undefined;
  }
}

function isLockKey(type: AnyType): boolean {
  return ["unknown", "integer", "bigint"].includes(type);
}

function same(type: AnyType): Signature {
  return { takes: [type], result: type as SqlType };
}

/** Only decimals are rounded to so many places. */
function rounding(given: readonly AnyType[], areNumbers: boolean): Signature | undefined {
  const [first, second] = given;
  if (!areNumbers || given.length > 2) return undefined;
  if (second === undefined) return same(first === "numeric" ? first : "double precision");
  if (first === "double precision") return undefined;
  const isPlaces = second === "unknown" || second === "integer";
  return isPlaces ? { takes: ["numeric", "integer"], result: "numeric" } : undefined;
}

function timeFrom(given: readonly AnyType[], areNumbers: boolean): Signature | undefined {
  const areTexts = given.every((one) => one === "unknown" || one === "text");
  if (given.length === 2 && areTexts) {
    throw new NotModelled("the function to_timestamp() with what it is given", SEE);
  }
  if (given.length !== 1 || !areNumbers) return undefined;
  return { takes: ["double precision"], result: TIMESTAMP };
}

function memberSet(given: readonly AnyType[]): Signature | undefined {
  const [target = "", path = "", value = "", ...others] = given;
  const areJson = [target, value].every((one) => one === "jsonb" || one === "unknown");
  if (!areJson || (path !== "unknown" && path !== "text[]")) return undefined;
  const [isNew, ...more] = others;
  if (more.length > 0 || (isNew !== undefined && isNew !== "boolean" && isNew !== "unknown")) {
    return undefined;
  }
  if (isNew !== undefined) {
    throw new NotModelled("the function jsonb_set() with what it is given", SEE);
  }
  return { takes: ["jsonb", "text[]", "jsonb"], result: "jsonb" };
}

function extreme(type: AnyType): Signature | undefined {
  if (type === "unknown") return same("text");
  const isOrdered = isOfNumber(type) || type === "text" || type === TIMESTAMP;
  return isOrdered || type === "interval" ? same(type) : undefined;
}

/** Sums of whole numbers are of the next wider type. */
function sum(type: AnyType): Signature | undefined {
  if (type === "unknown") throw new SqlError("42725", "function sum(unknown) is not unique");
  if (type === "integer") return { takes: [type], result: "bigint" };
  if (type === "bigint") return { takes: [type], result: "numeric" };
  return isOfNumber(type) || type === "interval" ? same(type) : undefined;
}

/** What a part of make_interval() takes; undefined where it does not take the type. */
export function intervalPartType(name: string, type: AnyType): AnyType | undefined {
  if (name === "secs") {
    const isTaken = type === "unknown" || isOfNumber(type);
    return isTaken ? "double precision" : undefined;
  }
  const isPart = ["years", "months", "weeks", "days", "hours", "mins"].includes(name);
  return isPart && (type === "unknown" || type === "integer") ? "integer" : undefined;
}
