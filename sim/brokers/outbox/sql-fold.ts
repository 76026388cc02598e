import { childrenOf } from "./sql-children.ts";
import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import { mapped } from "./sql-mapped.ts";
import type { Expression, RowStatement } from "./sql-statement.ts";
import { NULL, type SqlType } from "./sql-values.ts";

type Simplify = (of: Expression) => Expression;
type OfKind<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/**
 * Computes what needs no row, as a server does when it plans a statement.
 *
 * @throws {SqlError} for what has no value, also where the statement finds no row
 */
export function planned<Of extends RowStatement>(statement: Of, around: Surroundings): Of {
  const simplify: Simplify = (of) => (mayFail(of) ? simplified(of, around) : of);
  const items = <Item extends { readonly of: Expression }>(all: "*" | readonly Item[]) =>
    all === "*" ? all : all.map((one) => ({ ...one, of: simplify(one.of) }));
  const optional = (of: Expression | undefined): Expression | undefined => of && simplify(of);
  const given: RowStatement = statement;
  switch (given.kind) {
    case "select": {
      const shown = items(given.items);
      const where = optional(given.where);
      const orderBy = items(given.orderBy);
      const distinctOn = given.distinctOn.map(simplify);
      const [offset, limit] = [optional(given.offset), optional(given.limit)];
      return { ...statement, items: shown, where, orderBy, distinctOn, offset, limit };
    }
    case "update": {
      const sets = given.sets.map(([column, of]) => [column, simplify(of)] as const);
      const returning = items(given.returning);
      return { ...statement, sets, returning, where: optional(given.where) };
    }
    case "delete": {
      const returning = items(given.returning);
      return { ...statement, returning, where: optional(given.where) };
    }
    case "insert": {
      const from =
        "kind" in given.from
          ? planned(given.from, around)
          : given.from.map((row) => row.map(simplify));
      const returning = items(given.returning);
      const onConflict =
        typeof given.onConflict === "object"
          ? given.onConflict.map(([column, of]) => [column, simplify(of)] as const)
          : given.onConflict;
      return { ...statement, from, returning, onConflict };
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

function simplified(of: Expression, around: Surroundings): Expression {
  const simplify: Simplify = (one) => simplified(one, around);
  switch (of.kind) {
    case "coalesce":
      return firstOf(of, around);
    case "case":
      return chosen(of, around);
    case "exists":
    case "subquery":
      return { ...of, of: planned(of.of, around) };
    case "binary":
      if (of.operator === "and" || of.operator === "or") return decided(of, around);
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
  if (dependsOnSession(next, types)) return next;
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

/** Of AND and OR the rest is not looked at when a part has decided. */
function decided(of: OfKind<"binary">, around: Surroundings): Expression {
  const decides = of.operator === "or";
  const left = simplified(of.left, around);
  if (isConstant(left) && evaluate(left, around).value === decides) return left;
  const right = simplified(of.right, around);
  if (isConstant(right) && evaluate(right, around).value === decides) return right;
  const next = { ...of, left, right };
  if (!isConstant(left) || !isConstant(right)) return next;
  return { kind: "literal", value: evaluate(next, around) };
}

/** What is behind the first value that is not null is not looked at. */
function firstOf(of: OfKind<"coalesce">, around: Surroundings): Expression {
  const list: Expression[] = [];
  for (const one of of.list) {
    const next = simplified(one, around);
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
function chosen(of: OfKind<"case">, around: Surroundings): Expression {
  const whens: (readonly [Expression, Expression])[] = [];
  for (const [when, then] of of.whens) {
    const condition = simplified(when, around);
    const value = isConstant(condition) ? evaluate(condition, around).value : undefined;
    if (value === false || value === null) continue;
    const result = simplified(then, around);
    if (value === true) {
      return whens.length === 0 ? result : { ...of, whens, otherwise: result };
    }
    whens.push([condition, result]);
  }
  const otherwise = of.otherwise && simplified(of.otherwise, around);
  if (whens.length > 0) return { ...of, whens, otherwise };
  return otherwise ?? { kind: "literal", value: NULL };
}
