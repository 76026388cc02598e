import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { called } from "./sql-functions.ts";
import { between, laterBy, negative, over, plus, times, type Interval } from "./interval.ts";
import { intervalOf } from "./sql-interval.ts";
import { jsonComputed, withoutMember } from "./sql-json.ts";
import type { AdvisoryCall, Expression, Operator, SelectStatement } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import {
  asJsonb,
  compared,
  FALSE,
  NULL,
  numberOf,
  plainJson,
  type SqlType,
  type SqlValue,
  toType,
  TRUE,
} from "./sql-values.ts";

/** What an expression is computed from. */
export interface Surroundings {
  readonly params: readonly SqlValue[];
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
 * Computes an expression whose parts have types, with three-valued logic.
 *
 * @throws {SqlError} as the server's, for what has no value
 */
export function evaluate(of: Expression, around: Surroundings): SqlValue {
  switch (of.kind) {
    case "literal":
      return of.value;
    case "column":
      return around.column(of.name, of.of);
    case "param":
      return around.params[of.index] ?? NULL;
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
      return coalesced(of.list, around);
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
      return onlyOf(around.listFrom(of.of));
    case "json":
      return jsonComputed(of.operator, evaluate(of.of, around), evaluate(of.at, around));
    case "interval":
      return intervalFrom(of.parts, around);
    case "cast":
      return toType(evaluate(of.of, around), of.type);
    case "array":
      throw new NotModelled("an array as a value", SEE);
    case "negative":
      return negated(evaluate(of.of, around));
    case "not":
      return not(evaluate(of.of, around));
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
    const elements = evaluate(of.array, around).value as readonly SqlValue[] | null;
    const value = evaluate(of.of, around);
    return elements === null ? UNKNOWN : within(value, elements);
  }
  const list =
    "kind" in of.list ? around.listFrom(of.list) : of.list.map((one) => evaluate(one, around));
  // With no row there is nothing to compare.
  if (list.length === 0) return truth(of.isNegated);
  const found = within(evaluate(of.of, around), list);
  return of.isNegated ? not(found) : found;
}

/** What a function returns that does something. */
function effectOf(
  of: Extract<Expression, { kind: "advisory" | "notify" }>,
  around: Surroundings,
): SqlValue {
  if (of.kind === "advisory") {
    const { value } = evaluate(of.of, around);
    if (value === null) return UNKNOWN;
    const isDone = around.advisory(of.name, value as number);
    const waits = of.name === "pg_advisory_lock" || of.name === "pg_advisory_xact_lock";
    return waits ? { type: "void", value: "" } : truth(isDone);
  }
  const given = [of.channel, of.payload].map((one) => evaluate(one, around));
  const [channel, payload] = given.map(({ value }) => value as string | null);
  if (!channel) throw new SqlError("22023", "channel name cannot be empty");
  around.notify(channel, payload ?? "");
  return { type: "void", value: "" };
}

/** @throws {SqlError} when a subquery that stands for a value has several */
function onlyOf([first, ...others]: readonly SqlValue[]): SqlValue {
  if (others.length === 0) return first ?? NULL;
  throw new SqlError("21000", "more than one row returned by a subquery used as an expression");
}

/** The first value that is not null. */
function coalesced(list: readonly Expression[], around: Surroundings): SqlValue {
  let value = NULL;
  for (const one of list) {
    value = evaluate(one, around);
    if (value.value !== null) break;
  }
  return value;
}

/** The value of the first condition that is true; no other is computed. */
function chosen(
  { whens, otherwise }: Extract<Expression, { kind: "case" }>,
  around: Surroundings,
): SqlValue {
  const found = whens.find(([when]) => evaluate(when, around).value === true);
  const [, then = otherwise] = found ?? [];
  return then === undefined ? NULL : evaluate(then, around);
}

/** Joins two texts, or two values of jsonb: objects into one, anything else into a list. */
function joined(left: SqlValue, right: SqlValue): SqlValue {
  const { type } = left;
  if (left.value === null || right.value === null) return { type, value: null };
  if (type === "text") return { type, value: `${left.value as string}${right.value as string}` };
  const [a, b] = [plainJson(left.value), plainJson(right.value)];
  const areObjects = [a, b].every(
    (one) => typeof one === "object" && one !== null && !Array.isArray(one),
  );
  return {
    type,
    value: areObjects ? asJsonb({ ...(a as object), ...(b as object) }) : [a, b].flat(),
  };
}

/** Whether the condition of a WHERE is true; SQL's unknown is not. */
export function isTrue(of: Expression | undefined, around: Surroundings): boolean {
  return of === undefined || evaluate(of, around).value === true;
}

function intervalFrom(
  parts: readonly (readonly [string, Expression])[],
  around: Surroundings,
): SqlValue {
  const values = parts.map(([name, of]) => [name, evaluate(of, around).value] as const);
  if (values.some(([, value]) => value === null)) return { type: "interval", value: null };
  const given = new Map(values.map(([name, value]) => [name, Number(value)] as const));
  return { type: "interval", value: intervalOf(given) };
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
    const first = evaluate(left, around).value;
    if (first === decides) return truth(decides);
    const second = evaluate(right, around).value;
    if (second === decides) return truth(decides);
    return first === null || second === null ? UNKNOWN : truth(!decides);
  }
  const [a, b] = [evaluate(left, around), evaluate(right, around)];
  switch (operator) {
    case "-":
      return a.type === "jsonb" ? withoutMember(a, b) : arithmetic(operator, a, b);
    case "+":
    case "*":
      return arithmetic(operator, a, b);
    case "/":
    case "%":
      return divided(operator, a, b);
    case "^":
      return called("power", [a, b]);
    default:
      return comparison(operator, a, b);
  }
}

function comparison(operator: Operator, a: SqlValue, b: SqlValue): SqlValue {
  if (a.value === null || b.value === null) return UNKNOWN;
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

/** @throws {SqlError} for a division by zero */
function divided(operator: "/" | "%", left: SqlValue, right: SqlValue): SqlValue {
  const type = left.type === "interval" ? left.type : widest(left.type, right.type);
  if (left.value === null || right.value === null) return { type, value: null };
  const y = Number(right.value);
  if (left.type === "interval") return { type, value: over(left.value as Interval, y) };
  const x = Number(left.value);
  if (y === 0) throw new SqlError("22012", "division by zero");
  const value = operator === "/" ? x / y : x % y;
  return numberOf(type, type === "integer" || type === "bigint" ? Math.trunc(value) : value);
}

function arithmetic(operator: "+" | "-" | "*", left: SqlValue, right: SqlValue): SqlValue {
  const type = resultType(operator, left.type, right.type);
  if (left.value === null || right.value === null) return { type, value: null };
  if (type === "interval") return { type, value: intervalFor(operator, left, right) };
  if (type === TIMESTAMP) return numberOf(type, instantFor(operator, left, right));
  const [x, y] = [Number(left.value), Number(right.value)];
  return numberOf(type, operator === "+" ? x + y : operator === "-" ? x - y : x * y);
}

function intervalFor(operator: "+" | "-" | "*", left: SqlValue, right: SqlValue): Interval {
  if (left.type === TIMESTAMP) return between(Number(left.value), Number(right.value));
  if (operator === "*") {
    const [of, factor] = left.type === "interval" ? [left, right] : [right, left];
    return times(of.value as Interval, Number(factor.value));
  }
  const second = right.value as Interval;
  return plus(left.value as Interval, operator === "-" ? negative(second) : second);
}

function instantFor(operator: "+" | "-" | "*", left: SqlValue, right: SqlValue): number {
  const [instant, of] = left.type === TIMESTAMP ? [left, right] : [right, left];
  const by = of.value as Interval;
  return laterBy(Number(instant.value), operator === "-" ? negative(by) : by);
}

function resultType(operator: "+" | "-" | "*", left: SqlType, right: SqlType): SqlType {
  const types = [left, right];
  if (types.every((one) => one === TIMESTAMP) && operator === "-") return "interval";
  if (types.includes(TIMESTAMP)) return TIMESTAMP;
  return types.includes("interval") ? "interval" : widest(left, right);
}

function widest(left: SqlType, right: SqlType): SqlType {
  const types = [left, right];
  const wide = (["double precision", "numeric", "bigint"] as const).find((one) =>
    types.includes(one),
  );
  return wide ?? left;
}

function negated(of: SqlValue): SqlValue {
  const { type, value } = of;
  if (value === null) return of;
  if (type === "interval") return { type, value: negative(value as Interval) };
  return { ...of, ...numberOf(type, -Number(value)) };
}
