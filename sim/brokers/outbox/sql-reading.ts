import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { evaluate, isTrue } from "./sql-evaluate.ts";
import { sorted } from "./sql-order.ts";
import { type Outer, Scope, type Source } from "./sql-scope.ts";
import type {
  AdvisoryCall,
  Expression,
  Item,
  SelectStatement,
  TableName,
} from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import { NULL, type SqlType, type SqlValue } from "./sql-values.ts";
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
const ALL_ROWS = { skipped: 0, most: Number.POSITIVE_INFINITY };
/** Stands for the row of a select without a table, and of an insert. */
export const NO_ROW: Row = { committed: undefined, locker: undefined, pending: undefined };

/** What a select without a table reads: one row of no columns. */
const NO_TABLE: Relation = { table: undefined, columns: [], rows: [[NO_ROW, NO_VALUES]] };

/** The reading part of a statement, with its parameters. */
export class Reading {
  readonly #database: Database;
  readonly #transaction: Transaction;
  readonly #params: readonly SqlValue[];
  readonly #lists = new Map<SelectStatement, readonly SqlValue[]>();
  readonly #parts = new Map<string, Relation>();
  /** What a statement sees of a table throughout, whatever it changes itself. */
  readonly #snapshots = new Map<Table, readonly Seen[]>();
  readonly #changed = new Set<Table>();

  constructor(database: Database, transaction: Transaction, params: readonly SqlValue[]) {
    this.#database = database;
    this.#transaction = transaction;
    this.#params = params;
  }

  /** Adds a part of a WITH, which later ones see by its name. */
  addPart(name: string, part: Relation, changes: Table | undefined): void {
    this.#parts.set(name, part);
    if (changes !== undefined) this.#changed.add(changes);
  }

  /**
   * The rows of a select, in its order, locked if it locks; those of which an aggregate is made are
   * all that are found.
   */
  selected(statement: SelectStatement, outer?: Outer): readonly Seen[] {
    const { table: name, where, orderBy, lock, distinctOn, isAggregated } = statement;
    const { table, rows } = name === undefined ? NO_TABLE : this.relation(name);
    if (table !== undefined && lock !== undefined) this.assertUnchanged(table);
    const { skipped, most } = isAggregated === true ? ALL_ROWS : this.#countsOf(statement);
    if (most <= skipped) return [];
    const order =
      orderBy.length > 0
        ? orderBy
        : distinctOn.map((of) => ({ of, isDescending: false, nulls: "last" as const }));
    const selected: Seen[] = [];
    const known = new Set<string>();
    const scopeOf = ([, values]: Seen): Scope =>
      this.scopeOf(name === undefined ? [] : [this.#sourceOf(name, values)], outer);
    const isSorted = isAggregated !== true && order.length > 0;
    const isFound = (seen: Seen): boolean => isTrue(where, scopeOf(seen));
    // Without an order, a row behind the limit is not looked at.
    const ordered = isSorted ? sorted(rows.filter(isFound), order, scopeOf) : rows;
    for (const seen of ordered) {
      if (selected.length >= most) break;
      if (!isSorted && !isFound(seen)) continue;
      if (isAggregated !== true && !isFirst(distinctOn, scopeOf(seen), known)) continue;
      const [row] = seen;
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

  /** The values of all rows that a select returns. */
  rowsOf(select: SelectStatement, outer?: Outer): Iterable<readonly SqlValue[]> {
    const { table: name, items } = select;
    const scopeOf = (values: Values): Scope =>
      this.scopeOf(name === undefined ? [] : [this.#sourceOf(name, values)], outer);
    const scopes = this.selected(select, outer).map(([, values]) => scopeOf(values));
    return this.shownOf(items as readonly Item[], scopes, select, scopeOf(NO_VALUES));
  }

  /** What is shown of rows that were selected: of all of them one where it is an aggregate. */
  *shownOf(
    items: readonly Item[],
    scopes: readonly Scope[],
    select: Partial<SelectStatement>,
    none: Scope,
  ): Iterable<readonly SqlValue[]> {
    const isOne = select.isAggregated === true;
    const { skipped, most } = isOne ? this.#countsOf(select) : ALL_ROWS;
    const shown = isOne ? [none.over(scopes)].slice(skipped, most) : scopes;
    for (const scope of shown) yield items.map(({ of }) => evaluate(of, scope));
  }

  #countsOf({ offset, limit }: Partial<SelectStatement>): typeof ALL_ROWS {
    const skipped = this.#numberOf("OFFSET", offset) ?? 0;
    const most = (this.#numberOf("LIMIT", limit) ?? Number.POSITIVE_INFINITY) + skipped;
    return { skipped, most };
  }

  relation({ name }: TableName): Relation {
    const part = this.#parts.get(name);
    if (part !== undefined) return part;
    const table = this.#database.tableOf(name);
    const { columns } = table;
    return { table, columns, rows: this.snapshot(table) };
  }

  /** @throws {NotModelled} for a table of which another part of the statement may have changed rows */
  assertUnchanged(table: Table): void {
    if (!this.#changed.has(table)) return;
    throw new NotModelled("locking rows of a table that another part of WITH changes", SEE);
  }

  /** The rows of a table as the statement sees them: taken before it changes any of them. */
  snapshot(table: Table): readonly Seen[] {
    const known = this.#snapshots.get(table) ?? table.visibleTo(this.#transaction);
    this.#snapshots.set(table, known);
    return known;
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

  #sourceOf({ name, alias }: TableName, values: Values): Source {
    const { columns } = this.#parts.get(name) ?? this.#database.tableOf(name);
    return { alias, columns, values };
  }

  /** @throws {SqlError} for fewer rows than none */
  #numberOf(what: "LIMIT" | "OFFSET", of: Expression | undefined): number | undefined {
    if (of === undefined) return undefined;
    const { value } = evaluate(of, this.scopeOf([]));
    if (value === null) return undefined;
    if (Number(value) >= 0) return Number(value);
    throw new SqlError(what === "LIMIT" ? "2201W" : "2201X", `${what} must not be negative`);
  }

  #exists(select: SelectStatement, row: Scope): boolean {
    return [...this.rowsOf(select, outerOf(row))].length > 0;
  }

  /** What does not depend on the row is computed once for a statement. */
  #listFrom(select: SelectStatement, row: Scope): readonly SqlValue[] {
    const known = this.#lists.get(select);
    if (known !== undefined) return known;
    let dependsOnRow = false;
    const outer = outerOf(row, () => (dependsOnRow = true));
    const list = [...this.rowsOf(select, outer)].map(([first = NULL]) => first);
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

/** Whether it is the first row of those that are alike. */
function isFirst(distinctOn: readonly Expression[], scope: Scope, known: Set<string>): boolean {
  if (distinctOn.length === 0) return true;
  const mark = JSON.stringify(distinctOn.map((of) => evaluate(of, scope).value));
  if (known.has(mark)) return false;
  known.add(mark);
  return true;
}
