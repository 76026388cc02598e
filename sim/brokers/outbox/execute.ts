import { NotModelled } from "../not-modelled.ts";
import { assertConflictOf, duplicate } from "./insert-conflicts.ts";
import { SqlError } from "./sql-error.ts";
import { conditionOf, hold, isVolatile, sidesOf, untilFailure } from "./sql-conditions.ts";
import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import { planned } from "./sql-fold.ts";
import {
  type Cells,
  type Database,
  NO_ROW,
  NO_VALUES,
  Reading,
  type Relation,
  type Seen,
} from "./sql-reading.ts";
import type {
  Expression,
  Item,
  Items,
  RowStatement,
  SelectStatement,
  Sets,
  TableName,
  WithStatement,
} from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import {
  BY_DEFAULT,
  givenValue,
  NULL,
  type SqlType,
  type SqlValue,
  writtenValue,
} from "./sql-values.ts";
import type { Row, Table, Values } from "./table.ts";
import type { Transaction } from "./transaction.ts";

/** What a statement returns. */
export interface Outcome {
  readonly command: "SELECT" | "UPDATE" | "DELETE" | "INSERT";
  readonly rowCount: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The same rows as lists: two columns may have one name. */
  readonly lists: readonly (readonly unknown[])[];
  /** Returns them as lists of what the server has written. */
  readonly written: () => readonly (readonly (string | null)[])[];
  readonly fields: readonly { readonly name: string; readonly type: SqlType }[];
  /** The rows of the outbox whose payload the client gets with it. */
  readonly handedOut: readonly (readonly [Row, Cells])[];
  /** The same rows with the types of their columns, and what they are rows of. */
  readonly seen: readonly (readonly [Row, Values])[];
}

/** The column whose value a row of the outbox is handed out with. */
const PAYLOAD = "payload";

/**
 * Executes a statement whose expressions have types in a transaction.
 *
 * @throws {SqlError} as the server's
 * @throws {Blocked} when a row is locked by another transaction; nothing was changed
 * @throws {NotModelled} for what the model does not have
 */
export function execute(
  statement: RowStatement | WithStatement,
  params: readonly SqlValue[],
  within: { readonly database: Database; readonly transaction: Transaction },
): Outcome {
  const { database, transaction } = within;
  const execution = new Execution(database, transaction, params);
  if (statement.kind !== "with") return execution.run(execution.plan(statement));
  const parts = statement.parts.map((part) => ({
    ...part,
    of: execution.plan(part.of, part.isInlined === true ? part.unread : []),
  }));
  const last = execution.plan(statement.of);
  for (const part of parts) execution.addPart(part);
  return execution.run(last);
}

class Execution {
  readonly #database: Database;
  readonly #transaction: Transaction;
  readonly #reading: Reading;

  constructor(database: Database, transaction: Transaction, params: readonly SqlValue[]) {
    this.#database = database;
    this.#transaction = transaction;
    this.#reading = new Reading(database, transaction, params);
  }

  /** @throws {SqlError} for what has no value, whatever the rows */
  plan(statement: RowStatement, unread: readonly string[] = []): RowStatement {
    return planned(statement, this.#reading.scopeOf([]), unread);
  }

  run(statement: RowStatement): Outcome {
    switch (statement.kind) {
      case "select":
        return this.select(statement);
      case "update":
        return this.update(statement);
      case "delete":
        return this.delete(statement);
      case "insert":
        return this.insert(statement);
      default:
        return statement satisfies never;
    }
  }

  /**
   * Adds a part of a WITH, which later ones see by its name: a select is executed when its first
   * row is asked for, unless it does something.
   */
  addPart({ name, of, isInlined }: WithStatement["parts"][number]): void {
    if (of.kind === "select" && of.lock === undefined && !hasEffect(of)) {
      const run = (): readonly Seen[] =>
        isInlined === true ? this.#reading.inlined(of) : this.run(of).seen;
      const columns = (of.items as readonly Item[]).map(fieldOf);
      this.#reading.addPart(name, new Deferred(columns, run), undefined);
      return;
    }
    const { fields, seen } = this.run(of);
    const changes = of.kind === "select" ? undefined : this.#database.tableOf(of.table.name);
    this.#reading.addPart(name, { table: undefined, columns: fields, rows: seen }, changes);
  }

  select(statement: SelectStatement): Outcome {
    const { table, items, isAggregated } = statement;
    const found = this.#reading.selected(statement);
    const shown = this.#shownOf(table, items, found, statement);
    return outcomeOf("SELECT", items, found, shown, isAggregated);
  }

  update(statement: Extract<RowStatement, { kind: "update" }>): Outcome {
    const { table: name, from, sets, where } = statement;
    const table = this.#database.tableOf(name.name);
    const found = this.#locked(table, name, from, where);
    return this.#changed("UPDATE", statement, found, ([row, values, joined]) => {
      const scope = this.#reading.scope(name, values, from, joined);
      const next = this.#withSets(table, values, sets, scope);
      this.#change(table, row, next);
      return next;
    });
  }

  delete(statement: Extract<RowStatement, { kind: "delete" }>): Outcome {
    const table = this.#database.tableOf(statement.table.name);
    const found = this.#locked(table, statement.table, statement.from, statement.where);
    return this.#changed("DELETE", statement, found, ([row, values]) => {
      row.pending = "deleted";
      return values;
    });
  }

  insert(statement: Extract<RowStatement, { kind: "insert" }>): Outcome {
    const table = this.#database.tableOf(statement.table.name);
    assertConflictOf(table, statement.conflictOn);
    this.#reading.snapshot(table);
    const added: Seen[] = [];
    const shown: (readonly SqlValue[])[] = [];
    const touched = new Set<Row>();
    // Each row is there, and shown, before the next one is computed.
    const add = (seen: Seen): void => {
      added.push(seen);
      shown.push(...this.#shownOf(statement.table, statement.returning, [seen]));
    };
    for (const row of this.#rowsToInsert(statement.from)) {
      const get = (name: string): SqlValue | undefined => {
        const at = statement.columns.indexOf(name);
        const value = at < 0 ? BY_DEFAULT : (row(at) ?? NULL);
        return value === BY_DEFAULT ? undefined : value;
      };
      const values = table.valuesFrom({ get }, this.#transaction.beganAt);
      const known = this.#conflicting(table, values, statement.onConflict);
      if (known === undefined) {
        touched.add(this.#transaction.insert(table, values));
        add([NO_ROW, values]);
      } else if (typeof statement.onConflict === "object") {
        if (touched.has(known)) {
          const message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
          throw new SqlError("21000", message);
        }
        touched.add(known);
        add(this.#replaced(statement.table, known, values, statement.onConflict));
      }
    }
    return outcomeOf("INSERT", statement.returning, added, shown);
  }

  /** @throws {SqlError} when another row has its key; rows are changed one after the other */
  #change(table: Table, row: Row, values: Values): void {
    const before = typeof row.pending === "object" ? row.pending : row.committed;
    // What keeps its key is in nobody's way: the table is searched for few changes alone.
    const isMoved = table.keyIn(before) !== table.keyIn(values);
    const known = isMoved ? table.rowLike(values, this.#transaction, row) : undefined;
    if (known !== undefined) {
      if (this.#transaction.finds(known) !== undefined) this.#transaction.lock(table, known);
      throw duplicate(table, values);
    }
    row.pending = values;
  }

  /** Changes the row that is in the way of an INSERT. */
  #replaced(name: TableName, row: Row, excluded: Values, sets: Sets): Seen {
    const table = this.#database.tableOf(name.name);
    const before = row.pending === undefined ? row.committed : row.pending;
    if (before === undefined || before === "deleted") throw new NotModelled("such a conflict", SEE);
    const { columns } = table;
    const sources = [
      { alias: name.alias, columns, values: before },
      { alias: "excluded", columns, values: excluded },
    ];
    const next = this.#withSets(table, before, sets, this.#reading.scopeOf(sources));
    this.#change(table, row, next);
    return [row, next];
  }

  #withSets(table: Table, before: Values, sets: Sets, scope: Surroundings): Values {
    const next = new Map(before);
    for (const [column, of] of sets) {
      next.set(column, evaluate(of, scope));
    }
    table.assertRequired(next);
    return next;
  }

  /** The values of each row by their places; one row alone is computed as it is asked for. */
  *#rowsToInsert(from: Extract<RowStatement, { kind: "insert" }>["from"]): Iterable<ValueAt> {
    if ("kind" in from) {
      for (const row of this.#reading.rowsOf(from)) yield (at) => row[at];
      return;
    }
    const scope = this.#reading.scopeOf([]);
    const computed = (of: Expression | undefined): SqlValue | undefined =>
      of && evaluate(of, scope);
    const isAlone = from.length === 1;
    for (const one of from) {
      const row = isAlone ? undefined : one.map(computed);
      yield (at) => (row === undefined ? computed(one[at]) : row[at]);
    }
  }

  /**
   * Returns the row that has this key, locked.
   *
   * @throws {SqlError} when there is one, and nothing is said of conflicts
   */
  #conflicting(
    table: Table,
    values: Values,
    onConflict: "nothing" | Sets | undefined,
  ): Row | undefined {
    const known = table.rowLike(values, this.#transaction);
    if (known === undefined) return undefined;
    const isTaken = this.#transaction.finds(known) !== undefined;
    if (isTaken || typeof onConflict === "object") this.#transaction.lock(table, known);
    if (onConflict !== undefined) return known;
    throw duplicate(table, values);
  }

  /** Locks all rows that a condition holds for, before any of them is changed. */
  #locked(
    table: Table,
    name: TableName,
    from: TableName | undefined,
    where: Expression | undefined,
  ): Found {
    this.#reading.assertUnchanged(table);
    const { gate, sought, parts } = conditionOf(where, table.columns[0]?.name);
    const scope = this.#reading.scopeOf([]);
    if (!hold(gate, scope)) return { rows: [] };
    if (from === undefined) for (const one of sought) evaluate(one, scope);
    const other = from && this.#reading.relation(from);
    // What is about one of two tables is asked before they are joined.
    const { columns } = table;
    const joinedAs = from && other && { alias: from.alias, columns: other.columns };
    const sides = sidesOf(parts, { alias: name.alias, columns }, joinedAs);
    const others = (other?.rows ?? [[NO_ROW, NO_VALUES] as const]).filter(
      ([, values]) => from === undefined || hold(sides.other, this.#reading.scope(from, values)),
    );
    const isOwn = ([, values]: Seen): boolean => hold(sides.own, this.#reading.scope(name, values));
    const { found: own, failure } = untilFailure(this.#reading.snapshot(table), isOwn);
    // Two tables are joined before any row is changed.
    if (from !== undefined && failure !== undefined) throw failure;
    const rows = own.flatMap(([row, values]): Joined[] => {
      const joined = others.find(([, its]) =>
        hold(sides.both, this.#reading.scope(name, values, from, its)),
      );
      return joined === undefined ? [] : [[row, values, joined[1]]];
    });
    for (const [row] of rows) this.#transaction.lock(table, row);
    return { rows, failure };
  }

  /** Changes rows: each is changed, and shown beside what it is joined with, before the next one. */
  #changed(
    command: "UPDATE" | "DELETE",
    { table, from, returning }: Extract<RowStatement, { kind: "update" | "delete" }>,
    { rows, failure }: Found,
    change: (found: Joined) => Values,
  ): Outcome {
    const changed: Seen[] = [];
    const shown: (readonly SqlValue[])[] = [];
    for (const found of rows) {
      const [row, , joined] = found;
      const seen: Seen = [row, change(found)];
      changed.push(seen);
      shown.push(
        ...this.#shownOf(table, returning, [seen], {}, from, new Map<Row, Cells>([[row, joined]])),
      );
    }
    if (failure !== undefined) throw failure;
    return outcomeOf(command, returning, changed, shown);
  }

  #shownOf(
    name: TableName | undefined,
    items: Items,
    found: readonly Seen[],
    cut: Partial<SelectStatement> = {},
    from?: TableName,
    joined: ReadonlyMap<Row, Cells> = new Map(),
  ): readonly (readonly SqlValue[])[] {
    const scopes = found.map(([row, one]) => this.#reading.scope(name, one, from, joined.get(row)));
    const none = this.#reading.scope(name, NO_VALUES);
    return [...this.#reading.shownOf(items as readonly Item[], scopes, cut, none)];
  }
}

/** What is told of a statement; `all` is what it shows of each row. */
function outcomeOf(
  command: Outcome["command"],
  items: Items,
  found: readonly Seen[],
  all: readonly (readonly SqlValue[])[],
  isOne = false,
): Outcome {
  const shown = items as readonly Item[];
  const fields = shown.map(fieldOf);
  // A change without RETURNING counts its rows, and returns none.
  const returned = shown.length === 0 && command !== "SELECT" ? [] : all;
  const lists = returned.map((row) => fields.map((_, at) => givenValue(row[at] ?? NULL)));
  const written = (): readonly (readonly (string | null)[])[] =>
    returned.map((row) => fields.map((_, at) => writtenValue(row[at] ?? NULL)));
  const rows = lists.map((row) =>
    Object.fromEntries(fields.map((field, at) => [field.name, row[at]])),
  );
  const seen = returned.map((row, at): readonly [Row, Values] => {
    const cells = fields.map((field, index) => [field.name, row[index] ?? NULL] as const);
    return [isOne ? NO_ROW : (found[at]?.[0] ?? NO_ROW), new Map(cells)];
  });
  const isHandedOut = shown.some(({ of }) => of.kind === "column" && of.name === PAYLOAD);
  const handedOut = isHandedOut ? found.filter(([row]) => row !== NO_ROW) : [];
  return { command, rowCount: all.length, rows, lists, written, fields, handedOut, seen };
}

/** Returns the value at a place of a row; undefined where there is none. */
type ValueAt = (place: number) => SqlValue | undefined;

/** A row that is changed, and what it is joined with. */
type Joined = readonly [row: Row, values: Values, joined: Cells];

/** The rows that are to be changed, up to the first of which the condition fails. */
interface Found {
  readonly rows: readonly Joined[];
  readonly failure?: SqlError | undefined;
}

/** The rows of a part of a WITH, once they are asked for. */
class Deferred implements Relation {
  readonly table = undefined;
  readonly columns: Relation["columns"];
  readonly #run: () => readonly Seen[];
  #rows: readonly Seen[] | undefined;

  constructor(columns: Relation["columns"], run: () => readonly Seen[]) {
    this.columns = columns;
    this.#run = run;
  }

  get rows(): readonly Seen[] {
    this.#rows ??= this.#run();
    return this.#rows;
  }
}

function fieldOf({ name, type = "text" }: Item): { readonly name: string; readonly type: SqlType } {
  return { name, type };
}

/** Whether computing it does something that another part may see. */
function hasEffect({ items, where, orderBy }: SelectStatement): boolean {
  const all = [...(items as readonly Item[]).map(({ of }) => of), ...orderBy.map(({ of }) => of)];
  return [...all, ...(where === undefined ? [] : [where])].some(isVolatile);
}
