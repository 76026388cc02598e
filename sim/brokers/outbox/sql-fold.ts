import { childrenOf } from "./sql-children.ts";
import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import { mapped } from "./sql-mapped.ts";
import type { Expression, Item, RowStatement, SelectStatement } from "./sql-statement.ts";
import { FALSE, NULL, type SqlType } from "./sql-values.ts";

type Simplify = (of: Expression) => Expression;
/**
 * What for: a plan, or only an estimate of how many rows there are, in which the clock and the
 * settings of the session may be looked at.
 */
type Purpose = "plan" | "estimate";
type OfKind<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** A condition that no row meets. */
const NONE: Expression = { kind: "literal", value: FALSE };

/** What is inserted: a select, or rows of values. */
type Source = Extract<RowStatement, { kind: "insert" }>["from"];

/**
 * Computes what needs no row, as a server does when it plans a statement; not of what it selects
 * for nobody.
 *
 * @throws {SqlError} for what has no value, also where the statement finds no row
 */
export function planned<Of extends RowStatement>(
  statement: Of,
  around: Surroundings,
  unread: readonly string[] = [],
): Of {
  const simplify: Simplify = (of) => (mayFail(of) ? simplified(of, around, "plan") : of);
  const condition = (of: Expression | undefined): Expression | undefined => {
    const where = of && simplify(of);
    if (where !== undefined) estimate(where, around);
    return where;
  };
  const items = <Item extends { readonly of: Expression }>(all: "*" | readonly Item[]) =>
    all === "*" ? all : all.map((one) => ({ ...one, of: simplify(one.of) }));
  const optional = (of: Expression | undefined): Expression | undefined => of && simplify(of);
  const rowsOf = (from: Source): Source =>
    "kind" in from ? planned(from, around) : from.map((row) => row.map(simplify));
  const given: RowStatement = statement;
  switch (given.kind) {
    case "select": {
      const isRead = ({ name }: Item): boolean => !unread.includes(name);
      const shown =
        given.items === "*"
          ? given.items
          : given.items.map((one) => (isRead(one) ? { ...one, of: simplify(one.of) } : one));
      const asked = condition(given.where);
      // One row comes of it whatever there is: where nobody asks for an aggregate none is made.
      const isUnasked = given.isAggregated === true && given.orderBy.length === 0;
      const where = isUnasked && given.items !== "*" && !given.items.some(isRead) ? NONE : asked;
      const orderBy = items(given.orderBy);
      const distinctOn = given.distinctOn.map(simplify);
      const [offset, limit] = [optional(given.offset), optional(given.limit)];
      return { ...statement, items: shown, where, orderBy, distinctOn, offset, limit };
    }
    case "update": {
      const sets = given.sets.map(([column, of]) => [column, simplify(of)] as const);
      const returning = items(given.returning);
      return { ...statement, sets, returning, where: condition(given.where) };
    }
    case "delete": {
      const returning = items(given.returning);
      return { ...statement, returning, where: condition(given.where) };
    }
    case "insert": {
      const { from: source } = given;
      // A row alone is planned with the statement, several are a list that comes at the end.
      const isAlone = "kind" in source || source.length === 1;
      const first = isAlone ? rowsOf(source) : undefined;
      const returning = items(given.returning);
      const onConflict =
        typeof given.onConflict === "object"
          ? given.onConflict.map(([column, of]) => [column, simplify(of)] as const)
          : given.onConflict;
      return { ...statement, from: first ?? rowsOf(source), returning, onConflict };
    }
    default:
      return given satisfies never;
  }
}

/** Whether there is anything to compute of constants. */
function mayFail(of: Expression): boolean {
  if (of.kind === "exists" || of.kind === "subquery" || of.kind === "in") return true;
  return childrenOf(of).some((one) => isConstant(one) || mayFail(one));
}

function isConstant(of: Expression | undefined): of is OfKind<"literal" | "param"> {
  return of?.kind === "literal" || of?.kind === "param";
}

/**
 * Computes what a condition compares with what is in a row, as a server does when it estimates of
 * how many rows it holds.
 *
 * @throws {SqlError} for what has no value
 */
function estimate(of: Expression, around: Surroundings): void {
  const compared = comparedIn(of);
  if (compared === undefined) {
    const isOfConditions = of.kind === "not" || of.kind === "binary";
    if (isOfConditions) for (const one of childrenOf(of)) estimate(one, around);
    return;
  }
  const [withoutRow, withRow] = [compared.filter((one) => !isOfRow(one)), compared.some(isOfRow)];
  if (withRow) for (const one of withoutRow) simplified(one, around, "estimate");
}

/** The columns whose values nobody asks for: EXISTS asks whether there is a row. */
function unreadIn({ items, isAggregated }: SelectStatement): readonly string[] {
  return items === "*" || isAggregated === true ? [] : items.map(({ name }) => name);
}

/** What a condition compares with each other; undefined for one that compares nothing. */
function comparedIn(of: Expression): readonly Expression[] | undefined {
  switch (of.kind) {
    case "binary":
      return of.operator === "and" || of.operator === "or" ? undefined : childrenOf(of);
    case "is-distinct":
    case "in":
    case "any":
      return childrenOf(of);
    default:
      return undefined;
  }
}

function isOfRow(of: Expression): boolean {
  return of.kind === "column" || childrenOf(of).some(isOfRow);
}

function simplified(of: Expression, around: Surroundings, purpose: Purpose): Expression {
  const simplify: Simplify = (one) => simplified(one, around, purpose);
  switch (of.kind) {
    case "coalesce":
      return firstOf(of, around, simplify);
    case "case":
      return chosen(of, around, simplify);
    case "call":
      // The clock is another one at each look.
      if (purpose === "plan" || of.name === "clock_timestamp") return of;
      return { kind: "literal", value: evaluate(of, around) };
    case "exists":
      return { ...of, of: planned(of.of, around, unreadIn(of.of)) };
    case "subquery":
      return { ...of, of: planned(of.of, around) };
    case "binary":
      if (of.operator === "and" || of.operator === "or") return decided(of, around, simplify);
      break;
    default:
      break;
  }
  const next = mapped(of, simplify);
  const children = childrenOf(next);
  if (children.length === 0) return next;
  const constants = children.filter(isConstant);
  if (isStrict(next) && constants.some((one) => evaluate(one, around).value === null)) {
    return { kind: "literal", value: NULL };
  }
  if (next.kind === "in" && "kind" in next.list) {
    return { ...next, list: planned(next.list, around) };
  }
  if (!IMMUTABLE.has(next.kind) || constants.length < children.length) return next;
  const types = constants.map((one) => evaluate(one, around).type);
  if (purpose === "plan" && dependsOnSession(next, types)) return next;
  return { kind: "literal", value: evaluate(next, around) };
}

/** What is computed of constants without a look at the clock or at any row. */
const IMMUTABLE: ReadonlySet<Expression["kind"]> = new Set([
  ...(["function", "concat", "json", "interval", "not", "is-null", "is-distinct"] as const),
  ...(["any", "in", "cast", "negative", "binary"] as const),
]);
/** Whether a server asks settings of the session, such as the zone, for what it computes. */
function dependsOnSession(of: Expression, types: readonly SqlType[]): boolean {
  const isOfTime = types.includes("timestamp with time zone");
  if (of.kind === "function") return of.name === "jsonb_build_object" || isOfTime;
  if (of.kind === "binary") return isOfTime && types.includes("interval");
  if (of.kind !== "cast") return false;
  return isOfTime || of.type === "timestamp with time zone" || of.type === "interval";
}

/** What is NULL where any of its operands is, whatever the others are. */
const STRICT: ReadonlySet<Expression["kind"]> = new Set([
  ...(["function", "concat", "json", "interval", "cast", "negative", "binary"] as const),
  ...(["advisory"] as const),
]);

function isStrict(of: Expression): boolean {
  const isOfAny = of.kind === "function" && NOT_STRICT.includes(of.name);
  return STRICT.has(of.kind) && !isOfAny;
}

const NOT_STRICT: readonly string[] = ["least", "greatest", "jsonb_build_object"];

/**
 * Of AND and OR the rest is not looked at when a part has decided, and a part that never does is
 * left out.
 */
function decided(of: OfKind<"binary">, around: Surroundings, simplify: Simplify): Expression {
  const decides = of.operator === "or";
  const left = simplify(of.left);
  if (isConstant(left) && evaluate(left, around).value === decides) return left;
  const right = simplify(of.right);
  if (isConstant(right) && evaluate(right, around).value === decides) return right;
  const next = { ...of, left, right };
  if (!isConstant(left) || !isConstant(right)) {
    const isLeftOut = (one: Expression): boolean =>
      isConstant(one) && evaluate(one, around).value === !decides;
    if (isLeftOut(left)) return right;
    return isLeftOut(right) ? left : next;
  }
  return { kind: "literal", value: evaluate(next, around) };
}

/** What is behind the first value that is not null is not looked at. */
function firstOf(of: OfKind<"coalesce">, around: Surroundings, simplify: Simplify): Expression {
  const list: Expression[] = [];
  for (const one of of.list) {
    const next = simplify(one);
    const value = isConstant(next) ? evaluate(next, around).value : undefined;
    if (value === null) continue;
    list.push(next);
    if (value !== undefined) break;
  }
  const [first, ...others] = list;
  if (first === undefined) return { kind: "literal", value: NULL };
  return others.length === 0 ? first : { ...of, list };
}

/** Of a CASE only the parts are looked at that may be chosen. */
function chosen(of: OfKind<"case">, around: Surroundings, simplify: Simplify): Expression {
  const whens: (readonly [Expression, Expression])[] = [];
  for (const [when, then] of of.whens) {
    const condition = simplify(when);
    const value = isConstant(condition) ? evaluate(condition, around).value : undefined;
    if (value === false || value === null) continue;
    const result = simplify(then);
    if (value === true) {
      return whens.length === 0 ? result : { ...of, whens, otherwise: result };
    }
    whens.push([condition, result]);
  }
  const otherwise = of.otherwise && simplify(of.otherwise);
  if (whens.length > 0) return { ...of, whens, otherwise };
  return otherwise ?? { kind: "literal", value: NULL };
}
