import { SqlError } from "./sql-error.ts";
import type { AdvisoryCall, Expression, Operator, SelectStatement } from "./sql-statement.ts";
import {
  asJsonb,
  compared,
  FALSE,
  inOneType,
  isNumber,
  jsonbText,
  NULL,
  numberOf,
  paramFrom,
  type SqlType,
  type SqlValue,
  toType,
  TRUE,
  unitMs,
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
      const value = of.name === "now" ? around.beganAt : around.wallNow;
      return { type: "timestamp with time zone", value };
    }
    case "coalesce":
      return coalesced(of.list.map((one) => evaluate(one, around)));
    case "case":
      return chosen(of, around);
    case "concat":
      return joined(evaluate(of.left, around), evaluate(of.right, around));
    case "aggregate":
      return around.aggregate(of);
    case "advisory": {
      const { value } = toType(evaluate(of.of, around), "bigint");
      return value === null ? NULL : truth(around.advisory(of.name, value as number));
    }
    case "notify": {
      const [channel, payload] = [of.channel, of.payload].map(
        (one) => toType(evaluate(one, around), "text").value as string | null,
      );
      if (!channel) throw new SqlError("22023", "channel name cannot be empty");
      around.notify(channel, payload ?? "");
      return { type: "void", value: "" };
    }
    case "exists":
      return truth(around.exists(of.of));
    case "subquery":
      return onlyOf(around.listFrom(of.of));
    case "json":
      return memberOf(evaluate(of.of, around), evaluate(of.at, around), of.operator);
    case "interval":
      return intervalFrom(of.parts, around);
    case "cast":
      return toType(evaluate(of.of, around), of.type);
    case "not":
      return not(truthOf("NOT", of.of, around));
    case "is-null":
      return truth((evaluate(of.of, around).value === null) !== of.isNegated);
    case "any":
      return within(evaluate(of.of, around), elementsOf(of.array, around));
    case "in": {
      const list =
        "kind" in of.list ? around.listFrom(of.list) : of.list.map((one) => evaluate(one, around));
      const found = within(evaluate(of.of, around), list);
      return of.isNegated ? not(found) : found;
    }
    case "binary":
      return computed(of, around);
    default:
      return of satisfies never;
  }
}

/** @throws {SqlError} when a subquery that stands for a value has several */
function onlyOf([first, ...others]: readonly SqlValue[]): SqlValue {
  if (others.length === 0) return first ?? NULL;
  throw new SqlError("21000", "more than one row returned by a subquery used as an expression");
}

/** The first value that is not null, in the type that all of them have. */
function coalesced(values: readonly SqlValue[]): SqlValue {
  const first = values.find(({ value }) => value !== null) ?? NULL;
  return toType(first, oneTypeOf("COALESCE", values));
}

/** The value of the first condition that is true, in the type that all values have. */
function chosen(
  { whens, otherwise }: Extract<Expression, { kind: "case" }>,
  around: Surroundings,
): SqlValue {
  const last = otherwise === undefined ? NULL : evaluate(otherwise, around);
  const values = whens.map(([, then]) => evaluate(then, around));
  const at = whens.findIndex(([when]) => truthOf("CASE/WHEN", when, around).value === true);
  return toType(values[at] ?? last, oneTypeOf("CASE", [last, ...values]));
}

/** @throws {SqlError} where values have types that do not go together */
function oneTypeOf(what: string, values: readonly SqlValue[]): SqlType {
  const types = values.map((one) => one.type).filter((one) => one !== "unknown");
  const [first = "text"] = types;
  const other = types.find((one) => one !== first && !(isNumber(one) && isNumber(first)));
  if (other !== undefined) {
    throw new SqlError("42804", `${what} types ${first} and ${other} cannot be matched`);
  }
  const widest = (["double precision", "numeric", "bigint"] as const).find((one) =>
    types.includes(one),
  );
  return isNumber(first) ? (widest ?? first) : first;
}

/** Joins two texts, or two values of jsonb: objects into one, anything else into a list. */
function joined(left: SqlValue, right: SqlValue): SqlValue {
  const isJson = left.type === "jsonb" || right.type === "jsonb";
  const types = [left.type, right.type];
  if (!isJson && !types.some((one) => one === "text" || one === "unknown")) {
    throw new SqlError("42883", `operator does not exist: ${left.type} || ${right.type}`);
  }
  const type = isJson ? "jsonb" : "text";
  const [a, b] = [toType(left, type).value, toType(right, type).value];
  if (a === null || b === null) return { type, value: null };
  if (type === "text") return { type, value: `${a as string}${b as string}` };
  const areObjects = [a, b].every((one) => typeof one === "object" && !Array.isArray(one));
  return { type, value: areObjects ? asJsonb({ ...a, ...b }) : [a, b].flat() };
}

/** A member of an object, or an element of a list, by its name or number. */
function memberOf(of: SqlValue, at: SqlValue, operator: "->" | "->>"): SqlValue {
  if (of.type !== "jsonb") {
    const shown = `${of.type} ${operator} ${at.type}`;
    throw new SqlError("42883", `operator does not exist: ${shown}`);
  }
  const type = operator === "->" ? "jsonb" : "text";
  const [inside, place] = [of.value, at.value];
  let member: unknown;
  if (Array.isArray(inside)) {
    member = typeof place === "number" ? inside.at(place) : undefined;
  } else if (typeof inside === "object" && inside !== null && typeof place === "string") {
    member = Object.hasOwn(inside, place) ? Reflect.get(inside, place) : undefined;
  }
  if (member === undefined || (member === null && operator === "->>")) return { type, value: null };
  if (operator === "->") return { type, value: member };
  return { type, value: typeof member === "string" ? member : jsonbText(member) };
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
  const given = array.kind === "param" ? around.params[array.index] : undefined;
  if (Array.isArray(given)) return given.map(paramFrom);
  const { value } = evaluate(array, around);
  if (value === null) return [NULL];
  throw new SqlError("22P02", `malformed array literal: "${value as string}"`);
}

function intervalFrom(
  parts: readonly (readonly [string, Expression])[],
  around: Surroundings,
): SqlValue {
  let ms: number | null = 0;
  for (const [unit, of] of parts) {
    const one = unitMs(unit);
    if (one === undefined) {
      throw new SqlError("42883", `function make_interval(${unit} => integer) does not exist`);
    }
    const { value } = toType(evaluate(of, around), "double precision");
    ms = ms === null || value === null ? null : ms + one * Number(value);
  }
  return { type: "interval", value: ms };
}

function truth(is: boolean): SqlValue {
  return is ? TRUE : FALSE;
}

function not({ value }: SqlValue): SqlValue {
  return value === null ? NULL : truth(value === false);
}

function within(value: SqlValue, list: readonly SqlValue[]): SqlValue {
  let isUnknown = value.value === null;
  for (const one of list) {
    const same = comparison("=", value, one);
    if (same.value === true) return TRUE;
    if (same.value === null) isUnknown = true;
  }
  return isUnknown && list.length > 0 ? NULL : FALSE;
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
    return both.includes(null) ? NULL : truth(!decides);
  }
  const [a, b] = [evaluate(left, around), evaluate(right, around)];
  return operator === "+" || operator === "-" || operator === "*"
    ? arithmetic(operator, a, b)
    : comparison(operator, a, b);
}

function comparison(operator: Operator, left: SqlValue, right: SqlValue): SqlValue {
  const [a, b] = inOneType(left, right, operator);
  if (a.value === null || b.value === null) return NULL;
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

const TIMESTAMP = "timestamp with time zone";

function arithmetic(operator: "+" | "-" | "*", left: SqlValue, right: SqlValue): SqlValue {
  const type = resultType(operator, left.type, right.type);
  if (left.value === null || right.value === null) return { type, value: null };
  const [a, b] = [left, right].map((one) =>
    Number(
      one.type === "unknown" ? toType(one, typeBeside(operator, left, type)).value : one.value,
    ),
  );
  const [x, y] = [a ?? 0, b ?? 0];
  return numberOf(type, operator === "+" ? x + y : operator === "-" ? x - y : x * y);
}

/** What a parameter or a plain text is taken for: a time may be taken from a time. */
function typeBeside(operator: string, left: SqlValue, result: SqlType): SqlType {
  if (operator === "*" && result === "interval") return "double precision";
  if (left.type === TIMESTAMP && result === "interval") return TIMESTAMP;
  return result === TIMESTAMP ? "interval" : result;
}

/** @throws {SqlError} where the server has no such operator */
function resultType(operator: string, left: SqlType, right: SqlType): SqlType {
  const types = [left, right];
  const other = (type: SqlType): SqlType => (left === type ? right : left);
  const isOfTimes = left === TIMESTAMP && (right === TIMESTAMP || right === "unknown");
  if (operator === "-" && isOfTimes) return "interval";
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
  throw new SqlError("42883", `operator does not exist: ${left} ${operator} ${right}`);
}
