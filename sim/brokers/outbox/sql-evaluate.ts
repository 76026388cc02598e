import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { called, noFunction } from "./sql-functions.ts";
import { partMs } from "./sql-interval.ts";
import { elementsIn, jsonComputed, withoutMember } from "./sql-json.ts";
import type { AdvisoryCall, Expression, Operator, SelectStatement } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import {
  asJsonb,
  assertOrdered,
  compared,
  FALSE,
  inOneType,
  isNumber,
  NULL,
  numberOf,
  oneTypeOf,
  paramFrom,
  type SqlType,
  type SqlValue,
  toType,
  TRUE,
} from "./sql-values.ts";

/** What an expression is computed from. */
export interface Surroundings {
  readonly params: readonly unknown[];
  /** When the transaction began, in milliseconds since the epoch. */
  readonly beganAt: number;
  readonly wallNow: number;
  /** Returns a column of the row; `of` is the table that it is said to be of. */
  column(name: string, of: string | undefined): SqlValue;
  /** Computes over all rows that were found. */
  aggregate(of: Extract<Expression, { kind: "aggregate" }>): SqlValue;
  /** Takes or gives back a lock that has a number and no row; returns whether that was done. */
  advisory(name: AdvisoryCall, key: number): boolean;
  /** Returns the first column of what a select returns, which may name columns of this row. */
  listFrom(select: SelectStatement): readonly SqlValue[];
  /** Whether a select returns any row. */
  exists(select: SelectStatement): boolean;
  /** Tells who listens to a channel, when the transaction is committed. */
  notify(channel: string, payload: string): void;
}

/**
 * Computes an expression, with three-valued logic.
 *
 * @throws {SqlError} as the server's, for wrong types and values
 */
export function evaluate(of: Expression, around: Surroundings): SqlValue {
  switch (of.kind) {
    case "literal":
      return of.value;
    case "column":
      return around.column(of.name, of.of);
    case "param":
      return paramAt(of.index, around);
    case "call": {
      const value = of.name === "clock_timestamp" ? around.wallNow : around.beganAt;
      return { type: "timestamp with time zone", value };
    }
    case "function":
      return called(
        of.name,
        of.list.map((one) => evaluate(one, around)),
      );
    case "star":
      throw new NotModelled("* as a value", SEE);
    case "coalesce":
      return coalesced(of.list.map((one) => evaluate(one, around)));
    case "case":
      return chosen(of, around);
    case "concat":
      return joined(evaluate(of.left, around), evaluate(of.right, around));
    case "aggregate":
      return around.aggregate(of);
    case "advisory":
    case "notify":
      return effectOf(of, around);
    case "exists":
      return truth(around.exists(of.of));
    case "subquery":
      assertOneColumn(of.of, "subquery must return only one column");
      return onlyOf(around.listFrom(of.of));
    case "json":
      return jsonComputed(of.operator, evaluate(of.of, around), evaluate(of.at, around));
    case "interval":
      return intervalFrom(of.parts, around);
    case "cast":
      return toType(evaluate(of.of, around), of.type);
    case "array":
      return evaluate(of.of, around);
    case "negative":
      return negated(evaluate(of.of, around));
    case "not":
      return not(truthOf("NOT", of.of, around));
    case "is-distinct": {
      const [left, right] = [evaluate(of.left, around), evaluate(of.right, around)];
      return truth(areDistinct(left, right) !== of.isNegated);
    }
    case "is-null":
      return truth((evaluate(of.of, around).value === null) !== of.isNegated);
    case "any":
    case "in":
      return memberOf(of, around);
    case "binary":
      return computed(of, around);
    default:
      return of satisfies never;
  }
}

/** Whether a value is in a list, or in an array, whose elements have one type. */
function memberOf(of: Extract<Expression, { kind: "any" | "in" }>, around: Surroundings): SqlValue {
  if (of.kind === "any") {
    const value = evaluate(of.of, around);
    return within(value, allOf(value.type, elementsOf(of.array, around)));
  }
  if ("kind" in of.list) assertOneColumn(of.list, "subquery has too many columns");
  const given =
    "kind" in of.list ? around.listFrom(of.list) : of.list.map((one) => evaluate(one, around));
  const list = of.isArray === true ? allOf(oneTypeOf("ARRAY", given), given) : given;
  const found = within(evaluate(of.of, around), list);
  return of.isNegated ? not(found) : found;
}

/** What a function returns that does something. */
function effectOf(
  of: Extract<Expression, { kind: "advisory" | "notify" }>,
  around: Surroundings,
): SqlValue {
  if (of.kind === "advisory") {
    const given = evaluate(of.of, around);
    if (!["bigint", "integer", "unknown"].includes(given.type)) {
      throw noFunction(of.name, [given]);
    }
    const { value } = toType(given, "bigint");
    return value === null ? NULL : truth(around.advisory(of.name, value as number));
  }
  const given = [of.channel, of.payload].map((one) => evaluate(one, around));
  if (!given.every(({ type }) => type === "text" || type === "unknown")) {
    throw noFunction("pg_notify", given);
  }
  const [channel, payload] = given.map((one) => toType(one, "text").value as string | null);
  if (!channel) throw new SqlError("22023", "channel name cannot be empty");
  around.notify(channel, payload ?? "");
  return { type: "void", value: "" };
}

/** @throws {SqlError} for a subquery with several columns */
function assertOneColumn({ items }: SelectStatement, message: string): void {
  if (items !== "*" && items.length > 1) throw new SqlError("42601", message);
}

/** @throws {SqlError} when a subquery that stands for a value has several */
function onlyOf([first, ...others]: readonly SqlValue[]): SqlValue {
  if (others.length === 0) return first ?? NULL;
  throw new SqlError("21000", "more than one row returned by a subquery used as an expression");
}

/** The first value that is not null, in the type that all of them have. */
function coalesced(values: readonly SqlValue[]): SqlValue {
  const type = oneTypeOf("COALESCE", values);
  const [first = NULL] = allOf(type, values).filter(({ value }) => value !== null);
  return toType(first, type);
}

/** Also a value that is not chosen has to be one of the type. */
function allOf(type: SqlType, values: readonly SqlValue[]): readonly SqlValue[] {
  return values.map((one) => (one.type === "unknown" ? toType(one, type) : one));
}

/** The value of the first condition that is true, in the type that all values have. */
function chosen(
  { whens, otherwise }: Extract<Expression, { kind: "case" }>,
  around: Surroundings,
): SqlValue {
  const last = otherwise === undefined ? NULL : evaluate(otherwise, around);
  const values = whens.map(([, then]) => evaluate(then, around));
  const at = whens.findIndex(([when]) => truthOf("CASE/WHEN", when, around).value === true);
  const type = oneTypeOf("CASE", [last, ...values]);
  const [otherwiseOf = NULL, ...others] = allOf(type, [last, ...values]);
  return toType(others[at] ?? otherwiseOf, type);
}

/** Joins two texts, or two values of jsonb: objects into one, anything else into a list. */
function joined(left: SqlValue, right: SqlValue): SqlValue {
  const types = [left.type, right.type];
  const isJson = types.includes("jsonb") && !types.includes("text");
  const others = types.filter((one) => one !== "jsonb" && one !== "unknown");
  const isText = !isJson && types.some((one) => one === "text" || one === "unknown");
  if (!isText && (!isJson || others.length > 0)) {
    throw new SqlError("42883", `operator does not exist: ${left.type} || ${right.type}`);
  }
  const type = isJson ? "jsonb" : "text";
  const [a, b] = [toType(left, type).value, toType(right, type).value];
  if (a === null || b === null) return { type, value: null };
  if (type === "text") return { type, value: `${a as string}${b as string}` };
  const areObjects = [a, b].every((one) => typeof one === "object" && !Array.isArray(one));
  return { type, value: areObjects ? asJsonb({ ...a, ...b }) : [a, b].flat() };
}

/** Whether the condition of a WHERE is true; SQL's unknown is not. */
export function isTrue(of: Expression | undefined, around: Surroundings): boolean {
  return of === undefined || truthOf("WHERE", of, around).value === true;
}

/** @throws {SqlError} when the argument of `what` is no boolean */
function truthOf(what: string, of: Expression, around: Surroundings): SqlValue {
  const given = evaluate(of, around);
  if (given.type === "boolean" || given.type === "unknown") return toType(given, "boolean");
  const why = `must be type boolean, not type ${given.type}`;
  throw new SqlError("42804", `argument of ${what} ${why}`);
}

function paramAt(index: number, { params }: Surroundings): SqlValue {
  return paramFrom(params[index]);
}

function elementsOf(array: Expression, around: Surroundings): readonly SqlValue[] {
  if (array.kind === "array") {
    return elementsOf(array.of, around).map((one) => toType(one, array.type));
  }
  const given = array.kind === "param" ? around.params[array.index] : undefined;
  if (Array.isArray(given)) return given.map(paramFrom);
  const elements = elementsIn(evaluate(array, around));
  return elements === null ? [NULL] : elements.map((value) => ({ type: "unknown", value }));
}

function intervalFrom(
  parts: readonly (readonly [string, Expression])[],
  around: Surroundings,
): SqlValue {
  let ms: number | null = 0;
  for (const [unit, of] of parts) {
    const one = partMs(unit);
    if (one === undefined) {
      throw new SqlError("42883", `function make_interval(${unit} => integer) does not exist`);
    }
    const { value } = toType(evaluate(of, around), "double precision");
    ms = ms === null || value === null ? null : ms + one * Number(value);
  }
  return { type: "interval", value: ms };
}

/** Whether two values differ, where NULL is a value like any other. */
function areDistinct(left: SqlValue, right: SqlValue): boolean {
  const same = comparison("=", left, right).value;
  return same === null ? (left.value === null) !== (right.value === null) : same !== true;
}

function truth(is: boolean): SqlValue {
  return is ? TRUE : FALSE;
}

function not({ value }: SqlValue): SqlValue {
  return value === null ? UNKNOWN : truth(value === false);
}

function within(value: SqlValue, list: readonly SqlValue[]): SqlValue {
  let isUnknown = value.value === null;
  for (const one of list) {
    const same = comparison("=", value, one);
    if (same.value === true) return TRUE;
    if (same.value === null) isUnknown = true;
  }
  return isUnknown && list.length > 0 ? UNKNOWN : FALSE;
}

function computed(
  { operator, left, right }: Extract<Expression, { kind: "binary" }>,
  around: Surroundings,
): SqlValue {
  if (operator === "and" || operator === "or") {
    const decides = operator === "or";
    const what = operator.toUpperCase();
    const both = [left, right].map((one) => truthOf(what, one, around).value);
    if (both.includes(decides)) return truth(decides);
    return both.includes(null) ? UNKNOWN : truth(!decides);
  }
  const [a, b] = [evaluate(left, around), evaluate(right, around)];
  if (operator === "-" && (a.type === "jsonb" || (a.type === "unknown" && b.type === "text"))) {
    return withoutMember(toType(a, "jsonb"), b);
  }
  if (operator === "/" || operator === "%") return divided(operator, a, b);
  if (operator === "^") {
    const areNumbers = [a, b].every(({ type }) => isNumber(type) || type === "unknown");
    if (!areNumbers) throw noOperator(operator, a.type, b.type);
    return called("power", [a, b]);
  }
  return operator === "+" || operator === "-" || operator === "*"
    ? arithmetic(operator, a, b)
    : comparison(operator, a, b);
}

function comparison(operator: Operator, left: SqlValue, right: SqlValue): SqlValue {
  const [a, b] = inOneType(left, right, operator);
  if (a.value === null || b.value === null) return UNKNOWN;
  if (operator !== "=" && operator !== "<>") assertOrdered(a);
  const order = compared(a, b);
  switch (operator) {
    case "=":
      return truth(order === 0);
    case "<>":
      return truth(order !== 0);
    case "<":
      return truth(order < 0);
    case "<=":
      return truth(order <= 0);
    case ">":
      return truth(order > 0);
    default:
      return truth(order >= 0);
  }
}

/** Neither true nor false. */
const UNKNOWN: SqlValue = { type: "boolean", value: null };
const TIMESTAMP = "timestamp with time zone";

/** @throws {SqlError} for a division by zero, and where the server has no such operator */
function divided(operator: "/" | "%", left: SqlValue, right: SqlValue): SqlValue {
  const types = [left.type, right.type];
  const areNumbers = types.every((one) => isNumber(one) || one === "unknown");
  const isOfTime =
    left.type === "interval" &&
    operator === "/" &&
    (isNumber(right.type) || right.type === "unknown");
  const isFraction = operator === "%" && types.includes("double precision");
  if (!isOfTime && (!areNumbers || isFraction)) throw noOperator(operator, left.type, right.type);
  const type = isOfTime ? "interval" : resultType(operator, left.type, right.type);
  if (left.value === null || right.value === null) return { type, value: null };
  const other = isOfTime ? "double precision" : type;
  const [a, b] = [toType(left, type), toType(right, other)].map(({ value }) => Number(value));
  const [x, y] = [a ?? 0, b ?? 0];
  if (y === 0) throw new SqlError("22012", "division by zero");
  const value = operator === "/" ? x / y : x % y;
  return numberOf(type, type === "integer" || type === "bigint" ? Math.trunc(value) : value);
}

function arithmetic(operator: "+" | "-" | "*", left: SqlValue, right: SqlValue): SqlValue {
  const type = resultType(operator, left.type, right.type);
  if (left.value === null || right.value === null) return { type, value: null };
  const [a, b] = [left, right].map((one) => {
    const beside = typeBeside(operator, one === left ? right : left, type);
    return Number(one.type === "unknown" ? toType(one, beside).value : one.value);
  });
  const [x, y] = [a ?? 0, b ?? 0];
  return numberOf(type, operator === "+" ? x + y : operator === "-" ? x - y : x * y);
}

/** What a parameter or a plain text is taken for: a time may be taken from a time. */
function typeBeside(operator: string, other: SqlValue, result: SqlType): SqlType {
  if (operator === "*" && result === "interval") return "double precision";
  if (other.type === TIMESTAMP && result === "interval") return TIMESTAMP;
  return result === TIMESTAMP ? "interval" : result;
}

/** @throws {SqlError} where the server has no such operator */
function resultType(operator: string, left: SqlType, right: SqlType): SqlType {
  const types = [left, right];
  const other = (type: SqlType): SqlType => (left === type ? right : left);
  const isOfTimes = types.every((type) => type === TIMESTAMP || type === "unknown");
  if (operator === "-" && isOfTimes && types.includes(TIMESTAMP)) return "interval";
  if (operator === "+" && left === "unknown" && right === TIMESTAMP) return TIMESTAMP;
  if (operator !== "*" && left === TIMESTAMP && other(TIMESTAMP) !== TIMESTAMP) {
    if (right === "interval" || right === "unknown") return TIMESTAMP;
  } else if (types.includes("interval")) {
    const rest = other("interval");
    if (operator === "*" && (isNumber(rest) || rest === "unknown")) return "interval";
    if (operator === "+" && rest === TIMESTAMP) return TIMESTAMP;
    if (operator !== "*" && (rest === "interval" || rest === "unknown")) return "interval";
  } else if (types.every((type) => isNumber(type) || type === "unknown")) {
    const known = types.filter(isNumber);
    if (known.includes("double precision")) return "double precision";
    if (known.includes("numeric")) return "numeric";
    if (known.includes("bigint")) return "bigint";
    if (known.length > 0) return "integer";
  }
  throw noOperator(operator, left, right);
}

/** @throws {SqlError} for what has no opposite */
function negated(of: SqlValue): SqlValue {
  const { type, value } = of;
  if (type === "unknown") throw new SqlError("42725", "operator is not unique: - unknown");
  if (!isNumber(type) && type !== "interval") {
    throw new SqlError("42883", `operator does not exist: - ${type}`);
  }
  return value === null ? of : { ...of, ...numberOf(type, -Number(value)) };
}

function noOperator(operator: string, left: SqlType, right: SqlType): SqlError {
  if (left === "unknown" && right === "unknown") {
    return new SqlError("42725", `operator is not unique: unknown ${operator} unknown`);
  }
  return new SqlError("42883", `operator does not exist: ${left} ${operator} ${right}`);
}
