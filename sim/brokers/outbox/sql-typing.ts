import { NotModelled } from "../not-modelled.ts";
import { childrenOf, hasAggregate } from "./sql-children.ts";
import { SqlError } from "./sql-error.ts";
import { functionFor, intervalPartType } from "./sql-function-types.ts";
import { operatorFor } from "./sql-operators.ts";
import { type ParamTypes, readAs } from "./sql-param-types.ts";
import { binary, type Expression, type SelectStatement } from "./sql-statement.ts";
import type { StaticScope } from "./sql-static-scope.ts";
import { SEE } from "./sql-tokens.ts";
import { isNull, type Typed, typesOf } from "./sql-typed.ts";
import {
  type AnyType,
  assertedCommonType,
  canBeCast,
  commonTypeOf,
  isAssignable,
} from "./sql-types.ts";
import { FALSE, isNumber, NULL, type SqlType, TRUE } from "./sql-values.ts";

/** A part of a statement, which says what may stand in it. */
export type Clause =
  | ("SELECT" | "ORDER BY" | "DISTINCT ON")
  | ("WHERE" | "LIMIT" | "OFFSET" | "VALUES" | "RETURNING" | "UPDATE" | "FILTER");

type OfKind<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** What is typed where a select stands inside of an expression. */
type TypeSelect = (select: SelectStatement, outer: StaticScope) => SelectStatement;

/**
 * Tells the types of expressions, as a server does before it looks at any row: the result is the
 * same expression, in which each text and each parameter has its type.
 */
export class Typing {
  readonly #scope: StaticScope;
  readonly #params: ParamTypes;
  readonly #select: TypeSelect;
  #clause: Clause = "SELECT";

  constructor(scope: StaticScope, params: ParamTypes, select: TypeSelect) {
    this.#scope = scope;
    this.#params = params;
    this.#select = select;
  }

  /** @throws {SqlError} for what has no type, or a wrong one */
  typed(of: Expression, clause: Clause): Typed {
    const before = this.#clause;
    this.#clause = clause;
    const typed = this.#typed(of);
    this.#clause = before;
    return typed;
  }

  /** A condition, whose value is true, false or unknown. */
  condition(of: Expression, clause: "WHERE" | "FILTER"): Expression {
    return this.#truth(clause, this.typed(of, clause));
  }

  /** What a column is set to. */
  assigned(given: Typed, column: { readonly name: string; readonly type: SqlType }): Expression {
    const { type } = given;
    if (type === "unknown" || isAssignable(type, column.type)) {
      return this.coerced(given, column.type);
    }
    const what = `column "${column.name}" is of type ${column.type}`;
    throw new SqlError("42804", `${what} but expression is of type ${type}`);
  }

  /** The same value as one of another type, which it can be taken for. */
  coerced({ of, type }: Typed, wanted: AnyType): Expression {
    if (type === wanted) return of;
    if (type === "unknown" && of.kind === "literal") {
      return { kind: "literal", value: readAs(of.value, wanted) };
    }
    if (type === "unknown" && of.kind === "param") {
      this.#params.tell(of, wanted);
      return { kind: "param", index: of.index };
    }
    if (type === "character varying[]" && wanted === "text[]") return of;
    if (wanted.endsWith("[]") || type.endsWith("[]")) {
      throw new NotModelled(`${type} as ${wanted}`, SEE);
    }
    return { kind: "cast", of, type: wanted as SqlType };
  }

  #typed(of: Expression): Typed {
    switch (of.kind) {
      case "literal":
        return { of, type: of.value.type };
      case "param": {
        const param = { ...of };
        return { of: param, type: this.#params.typeOf(param) };
      }
      case "column": {
        const { name, alias, type } = this.#scope.column(of.name, of.of);
        return { of: { kind: "column", name, of: alias }, type };
      }
      case "call":
        return { of, type: "timestamp with time zone" };
      case "star":
        throw new NotModelled("* as a value", SEE);
      case "function":
        return this.#function(of);
      case "coalesce": {
        const list = of.list.map((one) => this.#typed(one));
        const type = assertedCommonType("COALESCE", typesOf(list));
        return { of: { ...of, list: list.map((one) => this.coerced(one, type)) }, type };
      }
      case "case":
        return this.#case(of);
      case "concat":
        return this.#concat(of);
      case "json": {
        const [left, right] = [this.#typed(of.of), this.#typed(of.at)];
        const found = operatorFor(of.operator, left.type, right.type);
        const [inside, at] = [this.coerced(left, found.left), this.coerced(right, found.right)];
        return { of: { ...of, of: inside, at }, type: found.result };
      }
      case "aggregate":
        return this.#aggregate(of);
      case "advisory":
      case "notify":
        return this.#effect(of);
      case "interval":
        return this.#interval(of);
      case "exists":
        return { of: { ...of, of: this.#select(of.of, this.#scope) }, type: "boolean" };
      case "subquery": {
        const select = this.#select(of.of, this.#scope);
        return { of: { ...of, of: select }, type: onlyColumnOf(select, ONE_COLUMN) };
      }
      case "cast":
        return { of: this.#cast(this.#typed(of.of), of.type), type: of.type };
      case "array": {
        const type = `${of.type}[]` as const;
        return { of: this.#cast(this.#typed(of.of), type), type };
      }
      case "negative":
        return this.#negative(of);
      case "not":
        return { of: { ...of, of: this.#truth("NOT", this.#typed(of.of)) }, type: "boolean" };
      case "is-null":
        return { of: { ...of, of: this.#typed(of.of).of }, type: "boolean" };
      case "is-distinct":
        return this.#distinct(of);
      case "any":
        return this.#any(of);
      case "in":
        return "kind" in of.list ? this.#inSelect(of, of.list) : this.#in(of, of.list);
      case "binary":
        return this.#binary(of);
      default:
        return of satisfies never;
    }
  }

  #binary(of: OfKind<"binary">): Typed {
    const { operator } = of;
    const left = this.#typed(of.left);
    if (operator === "and" || operator === "or") {
      const what = operator.toUpperCase();
      const first = this.#truth(what, left);
      const second = this.#truth(what, this.#typed(of.right));
      return { of: { ...of, left: first, right: second }, type: "boolean" };
    }
    return this.#operated(of, left, this.#typed(of.right));
  }

  #operated(of: OfKind<"binary">, left: Typed, right: Typed): Typed {
    const found = operatorFor(of.operator, left.type, right.type);
    const operands = [this.coerced(left, found.left), this.coerced(right, found.right)] as const;
    return { of: { ...of, left: operands[0], right: operands[1] }, type: found.result };
  }

  #concat(of: OfKind<"concat">): Typed {
    const [left, right] = [this.#typed(of.left), this.#typed(of.right)];
    const found = operatorFor("||", left.type, right.type);
    const operands = [this.coerced(left, found.left), this.coerced(right, found.right)] as const;
    return { of: { ...of, left: operands[0], right: operands[1] }, type: found.result };
  }

  /** A server asks for NULL alone where it is written. */
  #distinct(of: OfKind<"is-distinct">): Typed {
    const { isNegated } = of;
    const [left, right] = [this.#typed(of.left), this.#typed(of.right)];
    const other = isNull(right.of) ? left : isNull(left.of) ? right : undefined;
    if (other !== undefined) {
      return { of: { kind: "is-null", of: other.of, isNegated: !isNegated }, type: "boolean" };
    }
    const found = operatorFor("=", left.type, right.type);
    const operands = [this.coerced(left, found.left), this.coerced(right, found.right)] as const;
    return { of: { ...of, left: operands[0], right: operands[1] }, type: "boolean" };
  }

  /** The operand is compared with each value as a column would be. */
  #case(of: OfKind<"case">): Typed {
    const base = of.of === undefined ? undefined : this.#typed(of.of);
    const operand: Typed | undefined =
      base?.type === "unknown" ? { of: this.coerced(base, "text"), type: "text" } : base;
    const whens = of.whens.map(([when, then]) => {
      const given = this.#typed(when);
      const condition = operand === undefined ? given : this.#operated(EQUAL, operand, given);
      return [this.#truth("CASE/WHEN", condition), this.#typed(then)] as const;
    });
    const otherwise = of.otherwise === undefined ? NOTHING : this.#typed(of.otherwise);
    const results = [otherwise, ...whens.map(([, then]) => then)];
    const type = assertedCommonType("CASE", typesOf(results));
    const last = this.coerced(otherwise, type);
    const chosen = whens.map(([when, then]) => [when, this.coerced(then, type)] as const);
    return { of: { kind: "case", of: undefined, whens: chosen, otherwise: last }, type };
  }

  /**
   * A list of values that name no column is an array of one type, where there is one; every other
   * value is compared by itself.
   */
  #in(of: OfKind<"in">, listed: readonly Expression[]): Typed {
    const operator = of.isNegated ? "<>" : "=";
    let value = this.#typed(of.of);
    const list = listed.map((one) => this.#typed(one));
    if (of.isArray === true) return this.#inArray(of, value, list, "ARRAY");
    const isPlain = (one: Typed): boolean => !this.#namesColumn(one.of);
    const plain = list.filter(isPlain);
    const type = plain.length > 1 ? commonTypeOf(typesOf([value, ...plain])) : undefined;
    const compared: Expression[] = [];
    if (type !== undefined) {
      const elements = plain.map((one): Typed => ({ of: this.coerced(one, type), type }));
      const found = operatorFor(operator, value.type, type);
      const left = this.coerced(value, found.left);
      if (value.of.kind === "param") value = { of: left, type: found.left };
      const right = elements.map((one) => this.coerced(one, found.right));
      compared.push({ ...of, of: left, list: right });
    }
    for (const one of type === undefined ? list : list.filter((other) => !isPlain(other))) {
      const found = operatorFor(operator, value.type, one.type);
      const [left, right] = [this.coerced(value, found.left), this.coerced(one, found.right)];
      compared.push(binary(operator, left, right));
    }
    const joins = of.isNegated ? "and" : "or";
    const joined = compared.reduce((one, other) => binary(joins, one, other));
    return { of: joined, type: "boolean" };
  }

  #inArray(of: OfKind<"in">, value: Typed, list: readonly Typed[], what: string): Typed {
    const type = assertedCommonType(what, typesOf(list));
    const elements = list.map((one): Typed => ({ of: this.coerced(one, type), type }));
    const found = operatorFor("=", value.type, type);
    const left = this.coerced(value, found.left);
    const right = elements.map((one) => this.coerced(one, found.right));
    return { of: { ...of, of: left, list: right }, type: "boolean" };
  }

  #inSelect(of: OfKind<"in">, list: SelectStatement): Typed {
    const isArray = of.isArray === true;
    const before = isArray ? this.#typed(of.of) : undefined;
    const select = this.#select(list, this.#scope);
    const ofArray = isArray ? onlyColumnOf(select, ONE_COLUMN) : undefined;
    const value = before ?? this.#typed(of.of);
    const type = ofArray ?? onlyColumnOf(select, "subquery has too many columns");
    const found = operatorFor("=", value.type, type);
    if (found.right !== type) throw new NotModelled(`${value.type} beside ${type}`, SEE);
    return { of: { ...of, of: this.coerced(value, found.left), list: select }, type: "boolean" };
  }

  #any(of: OfKind<"any">): Typed {
    const [value, array] = [this.#typed(of.of), this.#typed(of.array)];
    if (array.type === "unknown" && of.isUnnested === true) {
      throw new NotModelled("unnest() of what is no array", SEE);
    }
    if (array.type !== "unknown" && !array.type.endsWith("[]")) {
      if (of.isUnnested === true) throw new NotModelled("unnest() of what is no array", SEE);
      throw new SqlError("42809", "op ANY/ALL (array) requires array on right side");
    }
    const element = array.type === "unknown" ? array.type : (array.type.slice(0, -2) as SqlType);
    const found = operatorFor("=", value.type, element);
    const left = this.coerced(value, found.left);
    const elements =
      array.type === "unknown" ? (`${found.right as SqlType}[]` as const) : array.type;
    return { of: { ...of, of: left, array: this.coerced(array, elements) }, type: "boolean" };
  }

  #function(of: OfKind<"function">): Typed {
    const list = of.list.map((one) => this.#typed(one));
    if (of.name === "least" || of.name === "greatest") {
      const type = assertedCommonType(of.name.toUpperCase(), typesOf(list));
      if (type === "jsonb" && list.length > 1) throw new NotModelled("an order of jsonb", SEE);
      return { of: { ...of, list: list.map((one) => this.coerced(one, type)) }, type };
    }
    const found = functionFor(of.name, typesOf(list));
    const given = list.map((one, at) => this.#argument(one, found.takes[at]));
    return { of: { ...of, list: given }, type: found.result };
  }

  /** A function that takes anything tells no type. */
  #argument(given: Typed, taken: AnyType | undefined): Expression {
    return taken === undefined ? given.of : this.coerced(given, taken);
  }

  #aggregate(of: OfKind<"aggregate">): Typed {
    const given = of.of === undefined ? undefined : this.#typed(of.of);
    const where = of.where === undefined ? undefined : this.condition(of.where, "FILTER");
    const { takes, result } = functionFor(of.name, given === undefined ? [] : [given.type]);
    const inside = given === undefined ? undefined : this.#argument(given, takes[0]);
    const parts = [inside, where].filter((one) => one !== undefined);
    if (parts.some((one) => this.#namesOuter(one))) {
      throw new NotModelled("an aggregate of columns around its select", SEE);
    }
    if (inside !== undefined && hasAggregate(inside)) {
      throw new SqlError("42803", "aggregate function calls cannot be nested");
    }
    if (!["SELECT", "ORDER BY", "DISTINCT ON"].includes(this.#clause)) {
      const message = `aggregate functions are not allowed in ${this.#clause}`;
      throw new SqlError("42803", message);
    }
    return { of: { ...of, of: inside, where, type: result }, type: result };
  }

  #effect(of: OfKind<"advisory" | "notify">): Typed {
    if (of.kind === "advisory") {
      const key = this.#typed(of.of);
      const { takes, result } = functionFor(of.name, [key.type]);
      return { of: { ...of, of: this.#argument(key, takes[0]) }, type: result };
    }
    const given = [this.#typed(of.channel), this.#typed(of.payload)] as const;
    const { takes, result } = functionFor("pg_notify", typesOf(given));
    const channel = this.#argument(given[0], takes[0]);
    return { of: { ...of, channel, payload: this.#argument(given[1], takes[1]) }, type: result };
  }

  #interval(of: OfKind<"interval">): Typed {
    const parts = of.parts.map(([name, part]) => [name, this.#typed(part)] as const);
    const names = parts.map(([name]) => name);
    const twice = names.find((name, at) => names.indexOf(name) < at);
    if (twice !== undefined) {
      throw new SqlError("42601", `argument name "${twice}" used more than once`);
    }
    const takes = parts.map(([name, { type }]) => intervalPartType(name, type));
    if (takes.includes(undefined)) {
      const shown = parts.map(([name, { type }]) => `${name} => ${type}`).join(", ");
      throw new SqlError("42883", `function make_interval(${shown}) does not exist`);
    }
    const given = parts.map(
      ([name, part], at) => [name, this.coerced(part, takes[at] ?? "integer")] as const,
    );
    return { of: { ...of, parts: given }, type: "interval" };
  }

  #negative(of: OfKind<"negative">): Typed {
    const { of: inside, type } = this.#typed(of.of);
    if (type === "unknown") throw new SqlError("42725", "operator is not unique: - unknown");
    if (!isNumber(type as SqlType) && type !== "interval") {
      throw new SqlError("42883", `operator does not exist: - ${type}`);
    }
    return { of: { ...of, of: inside }, type };
  }

  #cast(given: Typed, wanted: AnyType): Expression {
    if (given.type !== "unknown" && !canBeCast(given.type, wanted)) {
      throw new SqlError("42846", `cannot cast type ${given.type} to ${wanted}`);
    }
    return this.coerced(given, wanted);
  }

  /** @throws {SqlError} when the argument of `what` is no boolean */
  #truth(what: string, given: Typed): Expression {
    if (given.type === "boolean" || given.type === "unknown") return this.coerced(given, "boolean");
    const why = `must be type boolean, not type ${given.type}`;
    throw new SqlError("42804", `argument of ${what} ${why}`);
  }

  #namesColumn(of: Expression): boolean {
    if (of.kind === "column") return true;
    return childrenOf(of).some((one) => this.#namesColumn(one));
  }

  /** Whether all columns that it names are of selects around its own. */
  #namesOuter(of: Expression): boolean {
    if (of.kind === "column") {
      return !this.#scope.isOwn({ name: of.name, alias: of.of ?? "", type: "unknown" });
    }
    return childrenOf(of).some((one) => this.#namesOuter(one));
  }
}

const EQUAL: OfKind<"binary"> = {
  kind: "binary",
  operator: "=",
  left: { kind: "literal", value: TRUE },
  right: { kind: "literal", value: FALSE },
};
const NOTHING: Typed = { of: { kind: "literal", value: NULL }, type: "unknown" };
const ONE_COLUMN = "subquery must return only one column";

/** @throws {SqlError} for a select of several columns */
function onlyColumnOf({ items }: SelectStatement, message: string): SqlType {
  const [item, ...others] = items === "*" ? [] : items;
  if (item?.type === undefined || others.length > 0) throw new SqlError("42601", message);
  return item.type;
}
