import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { evaluate, isTrue } from "./sql-evaluate.ts";
import { sorted } from "./sql-order.ts";
import { isAggregated, type Outer, Scope, type Source } from "./sql-scope.ts";
import type { AdvisoryCall, Expression, SelectStatement, TableName } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import { type SqlType, type SqlValue, toType } from "./sql-values.ts";
import type { Row, Table, Values } from "./table.ts";
import type { Transaction } from "./transaction.ts";

/** What statements are executed on. */
export interface Database {
  tableOf(name: string): Table;
  /** The wall time at the server, in milliseconds since the epoch. */
  readonly wallNow: number;
  advisory(name: AdvisoryCall, key: number): boolean;
  notify(channel: string, payload: string): void;
}

export type Seen = readonly [Row, Values];

/** What a statement reads: a table, or a part of a WITH. */
export interface Relation {
  readonly table: Table | undefined;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  readonly rows: readonly Seen[];
}

export const NO_VALUES: Values = new Map();
/** Stands for the row of a select without a table, and of an insert. */
export const NO_ROW: Row = { committed: undefined, locker: undefined, pending: undefined };

/** The reading part of a statement, with its parameters. */
export class Reading {
  readonly #database: Database;
  readonly #transaction: Transaction;
  readonly #params: readonly unknown[];
  readonly #lists = new Map<SelectStatement, readonly SqlValue[]>();
  readonly #parts = new Map<string, Relation>();
  readonly #changed = new Set<Table>();

  constructor(database: Database, transaction: Transaction, params: readonly unknown[]) {
    this.#database = database;
    this.#transaction = transaction;
    this.#params = params;
  }

  /** Adds a part of a WITH, which later ones see by its name. */
  addPart(name: string, part: Relation, changes: Table | undefined): void {
    this.#parts.set(name, part);
    if (changes !== undefined) this.#changed.add(changes);
  }

  /** The rows of a select, in its order, locked if it locks. */
  selected(name: TableName, statement: SelectStatement, outer?: Outer): readonly Seen[] {
    const { where, orderBy, limit, offset, lock, distinctOn } = statement;
    const { table, rows } = this.relation(name);
    assertLock(statement);
    for (const { refusal } of orderBy) {
      if (refusal !== undefined) throw new SqlError(refusal.code, refusal.message);
    }
    if (table === undefined && lock !== undefined) {
      throw new NotModelled("FOR UPDATE of a part of a WITH", SEE);
    }
    assertDistinct(statement);
    const skipped = this.#numberOf("OFFSET", offset) ?? 0;
    const most = (this.#numberOf("LIMIT", limit) ?? Number.POSITIVE_INFINITY) + skipped;
    this.assertCondition(name, where, undefined, outer);
    const order =
      orderBy.length > 0
        ? orderBy
        : distinctOn.map((of) => ({
            ...{ of, isDescending: false, nulls: "last" as const, refusal: undefined },
          }));
    const selected: Seen[] = [];
    const known = new Set<string>();
    const ordered = sorted(rows, order, ([, values]) => this.#scopeIn(name, values, outer));
    for (const seen of ordered) {
      if (selected.length >= most) break;
      const [row, values] = seen;
      const scope = this.#scopeIn(name, values, outer);
      if (!isTrue(where, scope) || !isFirst(distinctOn, scope, known)) continue;
      if (table !== undefined && lock !== undefined) {
        const isTaken = this.#transaction.finds(row) !== undefined;
        if (isTaken && lock === "skip") continue;
        if (isTaken && lock === "nowait") {
          throw new SqlError("55P03", `could not obtain lock on row in relation "${table.name}"`);
        }
        this.#transaction.lock(table, row);
      }
      selected.push(seen);
    }
    return selected.slice(skipped);
  }

  /** @throws {NotModelled} for a table that another part of the statement has changed */
  relation({ name }: TableName): Relation {
    const part = this.#partOf(name);
    if (part !== undefined) return part;
    const table = this.#database.tableOf(name);
    if (this.#changed.has(table)) {
      throw new NotModelled("a table that another part of WITH changes", SEE);
    }
    const { columns } = table;
    return { table, columns, rows: table.visibleTo(this.#transaction) };
  }

  /** @throws {SqlError} for a condition with a wrong type, also where there is no row to try */
  assertCondition(
    name: TableName,
    where: Expression | undefined,
    from?: TableName,
    outer?: Outer,
  ): void {
    if (outer === undefined) isTrue(where, this.scope(name, NO_VALUES, from, NO_VALUES));
    else isTrue(where, this.#scopeIn(name, NO_VALUES, outer));
  }

  scope(
    name: TableName | undefined,
    values: Values,
    from?: TableName,
    joined: Values = NO_VALUES,
  ): Scope {
    const sources: Source[] = [];
    for (const [one, its] of [[name, values] as const, [from, joined] as const]) {
      if (one !== undefined) sources.push(this.#sourceOf(one, its));
    }
    return this.scopeOf(sources);
  }

  scopeOf(sources: readonly Source[], outer?: Outer): Scope {
    const around = {
      params: this.#params,
      beganAt: this.#transaction.beganAt,
      wallNow: this.#database.wallNow,
      listFrom: (select: SelectStatement, row: Scope) => this.#listFrom(select, row),
      exists: (select: SelectStatement, row: Scope) => this.#exists(select, row),
      advisory: (name: AdvisoryCall, key: number) => this.#database.advisory(name, key),
      notify: (channel: string, payload: string) => this.#database.notify(channel, payload),
    };
    return new Scope(sources, around, outer);
  }

  #scopeIn(name: TableName, values: Values, outer: Outer | undefined): Scope {
    return this.scopeOf([this.#sourceOf(name, values)], outer);
  }

  #sourceOf({ name, alias }: TableName, values: Values): Source {
    const { columns } = this.#partOf(name) ?? this.#database.tableOf(name);
    return { alias, name, columns, values };
  }

  /** @throws {SqlError} for a part that changes rows and returns none of them */
  #partOf(name: string): Relation | undefined {
    const part = this.#parts.get(name);
    if (part?.columns.length !== 0) return part;
    throw new SqlError("0A000", `WITH query "${name}" does not have a RETURNING clause`);
  }

  /** @throws {SqlError} for fewer rows than none */
  #numberOf(what: "LIMIT" | "OFFSET", of: Expression | undefined): number | undefined {
    if (of === undefined) return undefined;
    if (of.kind === "column") {
      throw new SqlError("42P10", `argument of ${what} must not contain variables`);
    }
    const { value } = toType(evaluate(of, this.scopeOf([])), "bigint");
    if (value === null) return undefined;
    if (Number(value) >= 0) return Number(value);
    throw new SqlError(what === "LIMIT" ? "2201W" : "2201X", `${what} must not be negative`);
  }

  #exists(select: SelectStatement, row: Scope): boolean {
    const { table: name } = select;
    return name === undefined || this.selected(name, select, outerOf(row)).length > 0;
  }

  /** What does not depend on the row is computed once for a statement. */
  #listFrom(select: SelectStatement, row: Scope): readonly SqlValue[] {
    const known = this.#lists.get(select);
    if (known !== undefined) return known;
    const { table: name, items } = select;
    const [item] = typeof items === "string" ? [] : items;
    if (name === undefined || item === undefined) throw new NotModelled("such a subquery", SEE);
    let dependsOnRow = false;
    const outer = outerOf(row, () => (dependsOnRow = true));
    const scopes = this.selected(name, select, outer).map(([, values]) =>
      this.#scopeIn(name, values, outer),
    );
    const isOne = isAggregated([item]);
    const none = this.#scopeIn(name, NO_VALUES, outer);
    const list = (isOne ? [none.over(scopes)] : scopes).map((scope) => evaluate(item.of, scope));
    if (!dependsOnRow) this.#lists.set(select, list);
    return list;
  }
}

function outerOf(row: Scope, onUse: () => void = () => undefined): Outer {
  return {
    column(name, of) {
      const found = row.visible(name, of);
      if (found !== undefined) onUse();
      return found;
    },
  };
}

/** @throws {SqlError} for rows that cannot be locked */
function assertLock({ table, items, lock, lockOf }: SelectStatement): void {
  if (lock === undefined) return;
  if (lockOf !== undefined && table?.alias !== lockOf) {
    const message = `relation "${lockOf}" in FOR UPDATE clause not found in FROM clause`;
    throw new SqlError("42P01", message);
  }
  if (items === "*" || !isAggregated(items)) return;
  throw new SqlError("0A000", "FOR UPDATE is not allowed with aggregate functions");
}

/** @throws {SqlError} for what a server does not do with DISTINCT ON */
function assertDistinct({ distinctOn, orderBy, lock }: SelectStatement): void {
  if (distinctOn.length === 0) return;
  if (lock !== undefined) {
    throw new SqlError("0A000", "FOR UPDATE is not allowed with DISTINCT clause");
  }
  const wanted = new Set(distinctOn.map((of) => JSON.stringify(of)));
  const first = orderBy.slice(0, wanted.size);
  if (first.every(({ of }) => wanted.has(JSON.stringify(of)))) return;
  const what = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
  throw new SqlError("42P10", what);
}

/** Whether it is the first row of those that are alike. */
function isFirst(distinctOn: readonly Expression[], scope: Scope, known: Set<string>): boolean {
  if (distinctOn.length === 0) return true;
  const mark = JSON.stringify(distinctOn.map((of) => evaluate(of, scope).value));
  if (known.has(mark)) return false;
  known.add(mark);
  return true;
}
