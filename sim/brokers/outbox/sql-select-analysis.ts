import { NotModelled } from "../not-modelled.ts";
import { childrenOf, hasAggregate } from "./sql-children.ts";
import { SqlError } from "./sql-error.ts";
import type { ParamTypes } from "./sql-param-types.ts";
import type { Expression, Item, Items, SelectStatement, TableName } from "./sql-statement.ts";
import { type KnownSource, StaticScope } from "./sql-static-scope.ts";
import { SEE } from "./sql-tokens.ts";
import { isAssignable } from "./sql-types.ts";
import type { Typed } from "./sql-typed.ts";
import { type Clause, Typing } from "./sql-typing.ts";
import type { SqlType } from "./sql-values.ts";
import type { Table } from "./table.ts";

type TypedItem = Item & { readonly type: SqlType };

/** Whether an item that nothing tells the type of is a text, as in a result. */
type Untold = "is-text" | "unknown-stays";

/** Tells the types of selects, and which parts of a WITH they read. */
export class SelectAnalysis {
  readonly #params: ParamTypes;
  readonly #tableOf: (name: string) => Table;
  readonly #parts = new Map<string, KnownSource["columns"]>();
  readonly #reads = new Map<string, number>();
  readonly #columnsRead = new Map<string, Set<string>>();

  constructor(params: ParamTypes, tableOf: (name: string) => Table) {
    this.#params = params;
    this.#tableOf = tableOf;
  }

  /** Adds a part of a WITH, which later ones see by its name. */
  addPart(name: string, items: Items): void {
    const columns = (items === "*" ? [] : items).map((item) => ({
      ...{ name: item.name, type: item.type ?? "text" },
    }));
    this.#parts.set(name, columns);
    this.#columnsRead.set(name, new Set());
  }

  hasPart(name: string): boolean {
    return this.#parts.has(name);
  }

  readsOf(name: string): number {
    return this.#reads.get(name) ?? 0;
  }

  /** The columns of a part of a WITH that nothing names. */
  unreadOf(name: string): readonly string[] {
    const all = this.#parts.get(name) ?? [];
    const read = this.#columnsRead.get(name);
    return all.map((column) => column.name).filter((column) => read?.has(column) !== true);
  }

  typing(scope: StaticScope): Typing {
    return new Typing(scope, this.#params, (select, outer) => this.select(select, outer));
  }

  /** @throws {SqlError} for what is no table, and a part that returns nothing */
  sourceOf(name: TableName): KnownSource {
    const part = this.#parts.get(name.name);
    if (part === undefined) return { ...name, columns: this.#tableOf(name.name).columns };
    this.#reads.set(name.name, this.readsOf(name.name) + 1);
    if (part.length === 0) {
      const what = `WITH query "${name.name}" does not have a RETURNING clause`;
      throw new SqlError("0A000", what);
    }
    const names = part.map((column) => column.name);
    if (new Set(names).size < names.length) {
      throw new NotModelled("a part of a WITH with two columns of one name", SEE);
    }
    const read = this.#columnsRead.get(name.name);
    return { ...name, columns: part, read: (column) => void read?.add(column) };
  }

  select(
    statement: SelectStatement,
    outer?: StaticScope,
    untold: Untold = "is-text",
  ): SelectStatement {
    const sources = statement.table === undefined ? [] : [this.sourceOf(statement.table)];
    const scope = new StaticScope(sources, outer);
    const typing = this.typing(scope);
    const given = this.#typedItems(statement.items, scope, typing, "SELECT");
    const where = statement.where && typing.condition(statement.where, "WHERE");
    const sorted: Expression[] = [];
    const orderBy = statement.orderBy.map((one) => {
      const key = keyOf(one.of, given, typing, "ORDER BY");
      sorted.push(key.of);
      return { ...one, of: comparable(key, typing) };
    });
    // A server compares the two before it makes texts of what has no type.
    const distinct = statement.distinctOn.map((of) => keyOf(of, given, typing, "DISTINCT ON"));
    assertDistinct(
      distinct.map(({ of }) => of),
      sorted,
    );
    const distinctOn = distinct.map((key) => comparable(key, typing));
    const offset = counted("OFFSET", statement.offset, typing, scope);
    const limit = counted("LIMIT", statement.limit, typing, scope);
    const items = told(given, typing, untold);
    const all = [...items.map(({ of }) => of), ...orderBy.map(({ of }) => of), ...distinctOn];
    const isAggregated = all.some(hasAggregate);
    this.#assertLock(statement, isAggregated);
    if (isAggregated) assertGrouped(all, scope);
    return { ...statement, items, where, orderBy, distinctOn, offset, limit, isAggregated };
  }

  /** What a statement returns, its stars as columns. */
  items(items: Items, scope: StaticScope, clause: Clause): readonly Item[] {
    const typing = this.typing(scope);
    return told(this.#typedItems(items, scope, typing, clause), typing, "is-text");
  }

  #typedItems(
    items: Items,
    scope: StaticScope,
    typing: Typing,
    clause: Clause,
  ): readonly (Typed & { readonly name: string })[] {
    const all: readonly Item[] = items === "*" ? ALL : items;
    return all.flatMap(({ name, of }) => {
      if (of.kind !== "star") return [{ name, ...typing.typed(of, clause) }];
      if (of.of === undefined && scope.sources.length === 0) {
        throw new SqlError("42601", "SELECT * with no tables specified is not valid");
      }
      return scope.columnsOf(of.of).map((column) => ({
        ...{ name: column.name, type: column.type },
        of: { kind: "column" as const, name: column.name, of: column.alias },
      }));
    });
  }

  /** @throws {SqlError} for rows that cannot be locked */
  #assertLock(
    { lock, lockOf, lockedAs, distinctOn, table }: SelectStatement,
    isOne: boolean,
  ): void {
    if (lock === undefined) return;
    const refused = (what: string): SqlError =>
      new SqlError("0A000", `${lockedAs} is not allowed with ${what}`);
    if (distinctOn.length > 0) throw refused("DISTINCT clause");
    if (isOne) throw refused("aggregate functions");
    if (lockOf !== undefined && table?.alias !== lockOf) {
      const what = `relation "${lockOf}" in ${lockedAs} clause not found in FROM clause`;
      throw new SqlError("42P01", what);
    }
    if (table !== undefined && this.hasPart(table.name)) {
      throw new NotModelled(`${lockedAs} of a part of a WITH`, SEE);
    }
  }
}

const ALL: readonly Item[] = [{ name: "*", of: { kind: "star", of: undefined } }];

/** What nothing tells the type of is a text in a result. */
function told(
  items: readonly (Typed & { readonly name: string })[],
  typing: Typing,
  untold: Untold,
): readonly TypedItem[] {
  return items.map(({ name, of, type }) => {
    if (type.endsWith("[]")) throw new NotModelled("an array as a result", SEE);
    const isText = type === "unknown" && untold === "is-text";
    if (!isText) return { name, of, type: type as SqlType };
    return { name, of: typing.coerced({ of, type }, "text"), type: "text" };
  });
}

/** @throws {NotModelled} for what has no order in the model */
function comparable({ of, type }: Typed, typing: Typing): Expression {
  if (type === "jsonb" || type === "void" || type.endsWith("[]")) {
    throw new NotModelled(`an order of ${type}`, SEE);
  }
  return type === "unknown" ? typing.coerced({ of, type }, "text") : of;
}

/** A name or a number stands for what is selected so; anything else for itself. */
function keyOf(
  of: Expression,
  items: readonly (Typed & { readonly name: string })[],
  typing: Typing,
  clause: "ORDER BY" | "DISTINCT ON",
): Typed {
  if (of.kind === "literal") {
    if (of.value.type !== "integer") {
      throw new SqlError("42601", `non-integer constant in ${clause}`);
    }
    const place = Number(of.value.value);
    const item = items[place - 1];
    if (item !== undefined) return item;
    throw new SqlError("42P10", `${clause} position ${place} is not in select list`);
  }
  if (of.kind === "column" && of.of === undefined) {
    const named = items.filter(({ name }) => name === of.name);
    const [first] = named;
    if (first !== undefined) {
      if (named.every((one) => isSame(one.of, first.of))) return first;
      throw new SqlError("42702", `${clause} "${of.name}" is ambiguous`);
    }
  }
  return typing.typed(of, clause);
}

function isSame(left: Expression, right: Expression): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** @throws {SqlError} for what is no number, and depends on the row */
function counted(
  what: "LIMIT" | "OFFSET",
  of: Expression | undefined,
  typing: Typing,
  scope: StaticScope,
): Expression | undefined {
  if (of === undefined) return undefined;
  const typed = typing.typed(of, what);
  if (typed.type !== "unknown" && !(typed.type !== "text" && isAssignable(typed.type, "bigint"))) {
    const why = `must be type bigint, not type ${typed.type}`;
    throw new SqlError("42804", `argument of ${what} ${why}`);
  }
  const count = typing.coerced(typed, "bigint");
  if (namesOwn(count, scope)) {
    throw new SqlError("42P10", `argument of ${what} must not contain variables`);
  }
  return count;
}

function namesOwn(of: Expression, scope: StaticScope): boolean {
  if (of.kind === "column") return scope.isOwn({ name: of.name, alias: of.of ?? "", type: "text" });
  return childrenOf(of).some((one) => namesOwn(one, scope));
}

/** @throws {SqlError} for what a server does not do with DISTINCT ON */
function assertDistinct(distinctOn: readonly Expression[], orderBy: readonly Expression[]): void {
  if (distinctOn.length === 0) return;
  const wanted = new Set(distinctOn.map((of) => JSON.stringify(of)));
  // The same order twice is one.
  const keys = [...new Set(orderBy.map((of) => JSON.stringify(of)))];
  if (keys.slice(0, wanted.size).every((key) => wanted.has(key))) return;
  const what = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
  throw new SqlError("42P10", what);
}

/** @throws {SqlError} for a column beside an aggregate */
function assertGrouped(all: readonly Expression[], scope: StaticScope): void {
  for (const of of all) {
    if (of.kind === "aggregate") continue;
    if (of.kind === "exists" || of.kind === "subquery" || (of.kind === "in" && "kind" in of.list)) {
      throw new NotModelled("a subquery beside an aggregate", SEE);
    }
    if (of.kind === "column" && namesOwn(of, scope)) {
      const why = "must appear in the GROUP BY clause or be used in an aggregate function";
      throw new SqlError("42803", `column "${of.of}.${of.name}" ${why}`);
    }
    assertGrouped(childrenOf(of), scope);
  }
}
