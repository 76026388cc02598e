import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import type { JsonOperator } from "./sql-json.ts";
import type { Operator } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import { type AnyType, commonTypeOf, isOfNumber, operandType } from "./sql-types.ts";
import type { SqlType } from "./sql-values.ts";

/** What an operator takes, and what it makes of it. */
export interface Resolved {
  readonly left: AnyType;
  readonly right: AnyType;
  readonly result: SqlType;
}

const TIMESTAMP = "timestamp with time zone";
const COMPARISONS: readonly string[] = ["=", "<>", "<", "<=", ">", ">="];

/**
 * Finds the operator that a server takes for operands of these types.
 *
 * @throws {SqlError} where it has none, or several
 * @throws {NotModelled} for arrays as operands
 */
export function operatorFor(
  operator: Operator | JsonOperator | "||",
  left: AnyType,
  right: AnyType,
): Resolved {
  if (left.endsWith("[]") || (right.endsWith("[]") && !operator.startsWith("#"))) {
    throw new NotModelled(`${left} ${operator} ${right}`, SEE);
  }
  const found = foundFor(operator, operandType(left), operandType(right));
  if (found !== undefined) return found;
  if (isAmbiguous(operator, operandType(left), operandType(right))) {
    throw new SqlError("42725", `operator is not unique: ${left} ${operator} ${right}`);
  }
  throw new SqlError("42883", `operator does not exist: ${left} ${operator} ${right}`);
}

function foundFor(
  operator: Operator | JsonOperator | "||",
  left: AnyType,
  right: AnyType,
): Resolved | undefined {
  if (COMPARISONS.includes(operator)) return compared(operator, left, right);
  if (operator === "||") return joined(left, right);
  if (isOfJson(operator, left, right)) return ofJson(operator, left, right);
  return computed(operator, left, right);
}

function compared(operator: string, left: AnyType, right: AnyType): Resolved | undefined {
  const type = commonTypeOf([left, right]);
  if (type === undefined || type === "void") return undefined;
  if (type === "jsonb" && operator !== "=" && operator !== "<>") {
    throw new NotModelled("an order of jsonb", SEE);
  }
  const own = (one: AnyType, other: AnyType): AnyType =>
    one !== "unknown" ? one : other === "unknown" ? "text" : other;
  return { left: own(left, right), right: own(right, left), result: "boolean" };
}

/** Two texts, or two values of jsonb; beside a text anything is one. */
function joined(left: AnyType, right: AnyType): Resolved | undefined {
  const types = [left, right];
  if (types.includes("void")) throw new NotModelled("a text of the type void", SEE);
  const isJson = types.every((one) => one === "jsonb" || one === "unknown");
  if (isJson && types.includes("jsonb")) return { left: "jsonb", right: "jsonb", result: "jsonb" };
  const isText = types.includes("text") || types.includes("unknown");
  return isText ? { left: "text", right: "text", result: "text" } : undefined;
}

function isOfJson(
  operator: Operator | JsonOperator | "||",
  left: AnyType,
  right: AnyType,
): operator is JsonOperator | "-" {
  if (operator === "-") return left === "jsonb" || (left === "unknown" && right === "text");
  return RIGHT.has(operator);
}

/** What each operator of jsonb takes on its right; the first is that of what nothing says more of. */
const RIGHT: ReadonlyMap<string, readonly AnyType[]> = new Map<string, readonly AnyType[]>([
  ["->", ["text", "integer"]],
  ["->>", ["text", "integer"]],
  ["#>", ["text[]"]],
  ["#>>", ["text[]"]],
  ["@>", ["jsonb"]],
  ["?", ["text"]],
  ["-", ["text", "integer"]],
]);
const RESULTS: ReadonlyMap<string, SqlType> = new Map<string, SqlType>([
  ["->>", "text"],
  ["#>>", "text"],
  ["@>", "boolean"],
  ["?", "boolean"],
]);

function ofJson(operator: string, left: AnyType, right: AnyType): Resolved | undefined {
  const taken = RIGHT.get(operator) ?? [];
  const isOne = left === "jsonb" || isOfJsonAlone(operator, left, right);
  const type = right === "unknown" ? taken[0] : taken.find((one) => one === right);
  if (!isOne || type === undefined) return undefined;
  return { left: "jsonb", right: type, result: RESULTS.get(operator) ?? "jsonb" };
}

/** Whether only jsonb has the operator, so that what nothing says more of is jsonb. */
function isOfJsonAlone(operator: string, left: AnyType, right: AnyType): boolean {
  if (left !== "unknown") return false;
  return operator === "?" || operator === "-" || right === "jsonb";
}

/** Whether a server finds several operators for what nothing says more of. */
function isAmbiguous(operator: string, left: AnyType, right: AnyType): boolean {
  if (left !== "unknown") return false;
  if (right === "unknown") return true;
  if (operator === "@>") return true;
  return RIGHT.get(operator)?.includes(right) === true && operator !== "?";
}

function computed(
  operator: Operator | JsonOperator | "||",
  left: AnyType,
  right: AnyType,
): Resolved | undefined {
  const types = [left, right];
  const known = types.filter((one) => one !== "unknown");
  if (operator === "^") return types.every(isNumberOrUnknown) ? power(known) : undefined;
  if (known.length === 0) return undefined;
  if (types.every(isNumberOrUnknown)) {
    const result = commonTypeOf(known) as SqlType;
    if (operator === "%" && result === "double precision") return undefined;
    const own = (one: AnyType): AnyType => (one === "unknown" ? (known[0] ?? one) : one);
    return { left: own(left), right: own(right), result };
  }
  return ofTimes(operator, left, right);
}

function isNumberOrUnknown(type: AnyType): boolean {
  return type === "unknown" || isOfNumber(type);
}

/** Whole numbers are taken for fractions; beside a decimal they are decimals. */
function power(known: readonly AnyType[]): Resolved {
  const isDecimal = known.includes("numeric") && !known.includes("double precision");
  const type = isDecimal ? "numeric" : "double precision";
  return { left: type, right: type, result: type };
}

function ofTimes(operator: string, left: AnyType, right: AnyType): Resolved | undefined {
  const is = (one: AnyType, wanted: AnyType): boolean => one === wanted || one === "unknown";
  if (operator === "*" && left === "interval" && isNumberOrUnknown(right)) {
    return { left, right: "double precision", result: "interval" };
  }
  if (operator === "*" && right === "interval" && isNumberOrUnknown(left)) {
    return { left: "double precision", right, result: "interval" };
  }
  if (operator === "/" && left === "interval" && isNumberOrUnknown(right)) {
    return { left, right: "double precision", result: "interval" };
  }
  if (operator !== "+" && operator !== "-") return undefined;
  if (left === "interval" || right === "interval") {
    if (is(left, "interval") && is(right, "interval")) {
      return { left: "interval", right: "interval", result: "interval" };
    }
    if (left === TIMESTAMP) return { left, right: "interval", result: TIMESTAMP };
    if (right === TIMESTAMP && operator === "+") return { left, right, result: TIMESTAMP };
    return undefined;
  }
  if (operator === "-" && is(left, TIMESTAMP) && is(right, TIMESTAMP)) {
    return { left: TIMESTAMP, right: TIMESTAMP, result: "interval" };
  }
  if (operator === "-") return undefined;
  if (left === TIMESTAMP && right === "unknown") {
    return { left, right: "interval", result: TIMESTAMP };
  }
  if (right === TIMESTAMP && left === "unknown") {
    return { left: "interval", right, result: TIMESTAMP };
  }
  return undefined;
}
