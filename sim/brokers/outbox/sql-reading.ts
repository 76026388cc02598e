import { spanOf, type Interval } from "./interval.ts";
import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { conditionOf, hold, isBeforeSort, isOfNoRow } from "./sql-conditions.ts";
import { evaluate } from "./sql-evaluate.ts";
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

/** The values of a row by column; those of a part of a WITH are computed when they are asked for. */
export type Cells = Pick<Values, "get">;

export type Seen = readonly [Row, Cells];

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
  readonly #snapshots = new Map<Table, ReturnType<Table["visibleTo"]>>();
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
    const relation = name === undefined ? NO_TABLE : this.relation(name);
    const { table } = relation;
    if (table !== undefined && lock !== undefined) this.assertUnchanged(table);
    const { skipped, most } = isAggregated === true ? ALL_ROWS : this.#countsOf(statement);
    const { gate, sought, parts } = conditionOf(where, table?.columns[0]?.name);
    if (most <= skipped || !hold(gate, this.scopeOf([], outer))) return [];
    for (const one of sought) evaluate(one, this.scopeOf([], outer));
    const { rows } = relation;
    const asked =
      orderBy.length > 0
        ? orderBy
        : distinctOn.map((of) => ({ of, isDescending: false, nulls: "last" as const }));
    // What is the same for each row puts them in no order, and is computed all the same.
    const order = asked.filter(({ of }) => !isOfNoRow(of));
    const unordering = isAggregated === true ? [] : asked.filter(({ of }) => isOfNoRow(of));
    const selected: Seen[] = [];
    const known = new Set<string>();
    const scopeOf = ([, values]: Seen): Scope =>
      this.scopeOf(name === undefined ? [] : [this.#sourceOf(name, values)], outer);
    const key = table?.columns[0]?.name;
    const [first] = order;
    const isOfKey = ({ of }: { readonly of: Expression }): boolean =>
      of.kind === "column" && of.name === key;
    // By its key a server reads a table in order, and no row behind the limit: also where more says
    // the order, unless it locks.
    const isByKey =
      key !== undefined &&
      first !== undefined &&
      (lock === undefined ? isOfKey(first) : order.every(isOfKey));
    const isSorted = isAggregated !== true && order.length > 0 && !isByKey;
    const isFound = (seen: Seen): boolean => hold(parts, scopeOf(seen));
    const inOrder = isByKey ? sorted(rows, order, scopeOf) : rows;
    const compute = (seen: Seen, shown: readonly Pick<Item, "of">[]): void => {
      for (const { of } of shown) evaluate(of, scopeOf(seen));
    };
    const items = statement.items as readonly Item[];
    let ordered = inOrder;
    if (isSorted) {
      const found = rows.filter(isFound);
      const early = items.filter(({ of }) => isBeforeSort(of, statement.limit !== undefined));
      for (const seen of found) compute(seen, [...early, ...unordering]);
      ordered = sorted(found, order, scopeOf);
    }
    for (const seen of ordered) {
      if (selected.length >= most) break;
      if (!isSorted && !isFound(seen)) continue;
      if (isAggregated !== true && !isFirst(distinctOn, scopeOf(seen), known)) continue;
      // A row that is skipped is read, and what it shows is computed.
      if (selected.length < skipped) compute(seen, items);
      if (!isSorted) compute(seen, unordering);
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
    const scopeOf = (values: Cells): Scope =>
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
    for (const scope of this.#shown(scopes, select, none)) {
      yield items.map(({ of }) => evaluate(of, scope));
    }
  }

  /** The rows of a part of a WITH that a server reads as if it were written where it is read. */
  inlined(select: SelectStatement): readonly Seen[] {
    const items = select.items as readonly Item[];
    const found = this.selected(select);
    const scopes = found.map(([, values]) => this.scope(select.table, values));
    const shown = this.#shown(scopes, select, this.scope(select.table, NO_VALUES));
    const isOne = select.isAggregated === true;
    return shown.map((scope, at): Seen => {
      const [row] = (isOne ? undefined : found[at]) ?? [NO_ROW];
      return [row, new ComputedCells(items, scope)];
    });
  }

  #shown(
    scopes: readonly Scope[],
    select: Partial<SelectStatement>,
    none: Scope,
  ): readonly Scope[] {
    if (select.isAggregated !== true) return scopes;
    const { skipped, most } = this.#countsOf(select);
    return [none.over(scopes)].slice(skipped, most);
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
  snapshot(table: Table): ReturnType<Table["visibleTo"]> {
    const known = this.#snapshots.get(table) ?? table.visibleTo(this.#transaction);
    this.#snapshots.set(table, known);
    return known;
  }

  scope(
    name: TableName | undefined,
    values: Cells,
    from?: TableName,
    joined: Cells = NO_VALUES,
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

  #sourceOf({ name, alias }: TableName, values: Cells): Source {
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

  /** What is selected is not computed, unless it is of all rows. */
  #exists(select: SelectStatement, row: Scope): boolean {
    const asked = select.isAggregated === true ? select : { ...select, items: [] };
    return [...this.rowsOf(asked, outerOf(row))].length > 0;
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

/** What is shown of a row, of which only those columns are computed that are asked for. */
class ComputedCells implements Cells {
  readonly #items: readonly Item[];
  readonly #scope: Scope;

  constructor(items: readonly Item[], scope: Scope) {
    this.#items = items;
    this.#scope = scope;
  }

  get(column: string): SqlValue | undefined {
    const item = this.#items.find(({ name }) => name === column);
    return item && evaluate(item.of, this.#scope);
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
  const mark = JSON.stringify(distinctOn.map((of) => likenessOf(evaluate(of, scope))));
  if (known.has(mark)) return false;
  known.add(mark);
  return true;
}

/** What values that compare as equal have in common. */
function likenessOf({ type, value }: SqlValue): unknown {
  return type === "interval" && value !== null ? spanOf(value as Interval) : value;
}
