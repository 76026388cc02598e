import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { evaluate, isTrue, type Surroundings } from "./sql-evaluate.ts";
import type { Expression, Items, SelectStatement, Statement } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import { compared, givenValue, NULL, type SqlType, type SqlValue, toType } from "./sql-values.ts";
import type { Row, Table, Values } from "./table.ts";
import type { Transaction } from "./transaction.ts";

/** What a statement returns. */
export interface Outcome {
  readonly command: "SELECT" | "UPDATE" | "DELETE" | "INSERT";
  readonly rowCount: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly fields: readonly { readonly name: string; readonly type: SqlType }[];
  /** The rows of the outbox whose payload the client gets with it. */
  readonly handedOut: readonly (readonly [Row, Values])[];
}

/** What statements are executed on. */
export interface Database {
  tableOf(name: string): Table;
  /** The wall time at the server, in milliseconds since the epoch. */
  readonly wallNow: number;
}

/** The column whose value a row of the outbox is handed out with. */
const PAYLOAD = "payload";

type Seen = readonly [Row, Values];

/**
 * Executes a statement in a transaction.
 *
 * @throws {SqlError} as the server's
 * @throws {Blocked} when a row is locked by another transaction; nothing was changed
 * @throws {NotModelled} for what the model does not have
 */
export function execute(
  statement: Exclude<Statement, { kind: "begin" | "start" | "commit" | "rollback" }>,
  params: readonly unknown[],
  within: { readonly database: Database; readonly transaction: Transaction },
): Outcome {
  const { database, transaction } = within;
  const execution = new Execution(database, transaction, params);
  switch (statement.kind) {
    case "select":
      return execution.select(statement);
    case "update":
      return execution.update(statement);
    case "delete":
      return execution.delete(statement);
    case "insert":
      return execution.insert(statement);
    default:
      return statement satisfies never;
  }
}

class Execution {
  readonly #database: Database;
  readonly #transaction: Transaction;
  readonly #params: readonly unknown[];
  readonly #lists = new Map<SelectStatement, readonly SqlValue[]>();

  constructor(database: Database, transaction: Transaction, params: readonly unknown[]) {
    this.#database = database;
    this.#transaction = transaction;
    this.#params = params;
  }

  select(statement: SelectStatement): Outcome {
    const { items, table: name } = statement;
    if (name === undefined) return this.#outcome("SELECT", undefined, items, [[NO_ROW, new Map()]]);
    const table = this.#database.tableOf(name);
    return this.#outcome("SELECT", table, items, this.#selected(table, statement));
  }

  update(statement: Extract<Statement, { kind: "update" }>): Outcome {
    const table = this.#database.tableOf(statement.table);
    for (const [column] of statement.sets) table.columnOf(column);
    const changed = this.#locked(table, statement.where).map(([row, values]): Seen => {
      const around = this.#around(table, values);
      const next = new Map(values);
      for (const [column, of] of statement.sets) {
        next.set(column, toType(evaluate(of, around), table.columnOf(column).type));
      }
      table.assertRequired(next);
      return [row, next];
    });
    for (const [row, values] of changed) row.pending = values;
    return this.#outcome("UPDATE", table, statement.returning, changed);
  }

  delete(statement: Extract<Statement, { kind: "delete" }>): Outcome {
    const table = this.#database.tableOf(statement.table);
    const gone = this.#locked(table, statement.where);
    for (const [row] of gone) row.pending = "deleted";
    return this.#outcome("DELETE", table, statement.returning, gone);
  }

  insert(statement: Extract<Statement, { kind: "insert" }>): Outcome {
    const table = this.#database.tableOf(statement.table);
    const columns = statement.columns.map((name) => table.columnOf(name));
    const added: Seen[] = [];
    for (const row of this.#rowsToInsert(statement.from)) {
      if (row.length !== columns.length) {
        const more = row.length > columns.length ? "expressions than target columns" : "";
        const less = "target columns than expressions";
        throw new SqlError("42601", `INSERT has more ${more === "" ? less : more}`);
      }
      const given = new Map(columns.map(({ name }, at) => [name, row[at] ?? NULL]));
      const values = table.valuesFrom(given, this.#transaction.beganAt);
      if (!this.#isNew(table, values, statement.ignoresConflicts)) continue;
      this.#transaction.insert(table, values);
      added.push([NO_ROW, values]);
    }
    return this.#outcome("INSERT", table, statement.returning, added);
  }

  #rowsToInsert(
    from: Extract<Statement, { kind: "insert" }>["from"],
  ): readonly (readonly SqlValue[])[] {
    if (!("kind" in from)) {
      const around = this.#around(undefined, new Map());
      return from.map((row) => row.map((one) => evaluate(one, around)));
    }
    const { items, table: name } = from;
    if (name === undefined || typeof items === "string") {
      throw new NotModelled("INSERT ... SELECT without a table or with *", SEE);
    }
    const table = this.#database.tableOf(name);
    return this.#selected(table, from).map(([, values]) => {
      const around = this.#around(table, values);
      return items.map(({ of }) => evaluate(of, around));
    });
  }

  /** @throws {SqlError} when there is a row with this key, and that is no conflict to ignore */
  #isNew(table: Table, values: Values, ignoresConflicts: boolean): boolean {
    const known = table.rowLike(values);
    if (known === undefined) return true;
    if (this.#transaction.finds(known) !== undefined) this.#transaction.lock(table, known);
    if (ignoresConflicts) return false;
    const key = table.columns[0]?.name ?? "";
    const constraint = `${table.name}_pkey`;
    const message = `duplicate key value violates unique constraint "${constraint}"`;
    const detail = `Key (${key})=(${String(values.get(key)?.value)}) already exists.`;
    throw new SqlError("23505", message, { table: table.name, constraint, detail });
  }

  /** The rows of a select, in its order, locked if it locks. */
  #selected(table: Table, { where, orderBy, limit, lock }: SelectStatement): readonly Seen[] {
    const most = this.#limitOf(limit);
    this.#assertCondition(table, where);
    const selected: Seen[] = [];
    for (const seen of this.#sorted(table, orderBy)) {
      if (selected.length >= most) break;
      const [row, values] = seen;
      if (!isTrue(where, this.#around(table, values))) continue;
      if (lock !== undefined) {
        const isTaken = this.#transaction.finds(row) !== undefined;
        if (isTaken && lock === "skip") continue;
        if (isTaken && lock === "nowait") {
          throw new SqlError("55P03", `could not obtain lock on row in relation "${table.name}"`);
        }
        this.#transaction.lock(table, row);
      }
      selected.push(seen);
    }
    return selected;
  }

  #limitOf(limit: Expression | undefined): number {
    if (limit === undefined) return Number.POSITIVE_INFINITY;
    const { value } = toType(evaluate(limit, this.#around(undefined, new Map())), "bigint");
    return value === null ? Number.POSITIVE_INFINITY : Number(value);
  }

  #sorted(table: Table, orderBy: SelectStatement["orderBy"]): readonly Seen[] {
    const all = this.#seen(table);
    if (orderBy.length === 0) return all;
    const keyed = all.map((seen) => {
      const around = this.#around(table, seen[1]);
      return { seen, keys: orderBy.map(({ of }) => evaluate(of, around)) };
    });
    return keyed
      .toSorted((a, b) => {
        for (const [at, { isDescending }] of orderBy.entries()) {
          const order = orderOf(a.keys[at] ?? NULL, b.keys[at] ?? NULL);
          if (order !== 0) return isDescending ? -order : order;
        }
        return 0;
      })
      .map(({ seen }) => seen);
  }

  #seen(table: Table): readonly Seen[] {
    return table.visibleTo(this.#transaction);
  }

  /** Locks all rows that a condition holds for, before any of them is changed. */
  #locked(table: Table, where: Expression | undefined): readonly Seen[] {
    this.#assertCondition(table, where);
    const found = this.#seen(table).filter(([, values]) =>
      isTrue(where, this.#around(table, values)),
    );
    for (const [row] of found) this.#transaction.lock(table, row);
    return found;
  }

  /** @throws {SqlError} for a condition with a wrong type, also where there is no row to try */
  #assertCondition(table: Table, where: Expression | undefined): void {
    isTrue(where, this.#around(table, new Map()));
  }

  #around(table: Table | undefined, values: Values): Surroundings {
    return {
      params: this.#params,
      beganAt: this.#transaction.beganAt,
      wallNow: this.#database.wallNow,
      column(name) {
        const value = values.get(name);
        if (value !== undefined) return value;
        const column = table?.columns.find((one) => one.name === name);
        if (column !== undefined) return { type: column.type, value: null };
        throw new SqlError("42703", `column "${name}" does not exist`);
      },
      listFrom: (select) => this.#listFrom(select),
    };
  }

  #listFrom(select: SelectStatement): readonly SqlValue[] {
    const known = this.#lists.get(select);
    if (known !== undefined) return known;
    const { table: name, items } = select;
    const [item] = typeof items === "string" ? [] : items;
    if (name === undefined || item === undefined) throw new NotModelled("such a subquery", SEE);
    const table = this.#database.tableOf(name);
    const list = this.#selected(table, select).map(([, values]) =>
      evaluate(item.of, this.#around(table, values)),
    );
    this.#lists.set(select, list);
    return list;
  }

  #outcome(
    command: Outcome["command"],
    table: Table | undefined,
    items: Items,
    found: readonly Seen[],
  ): Outcome {
    if (items === "count") {
      const rows = [{ count: String(found.length) }];
      return {
        command,
        rowCount: 1,
        rows,
        fields: [{ name: "count", type: "bigint" }],
        handedOut: [],
      };
    }
    const shown =
      items === "*"
        ? (table?.columns ?? []).map(({ name }) => ({
            name,
            of: { kind: "column", name } as const,
          }))
        : items;
    const values = found.map(([, one]) => {
      const around = this.#around(table, one);
      return shown.map(({ of }) => evaluate(of, around));
    });
    // Also a statement that finds nothing is refused for a column that is none.
    const around = this.#around(table, new Map());
    const first = values[0] ?? shown.map(({ of }) => evaluate(of, around));
    // A change without RETURNING counts its rows, and returns none.
    const rows = (shown.length === 0 ? [] : values).map((row) =>
      Object.fromEntries(shown.map(({ name }, at) => [name, givenValue(row[at] ?? NULL)])),
    );
    const fields = shown.map(({ name, of }, at) => {
      const column = of.kind === "column" ? table?.columnOf(of.name).type : undefined;
      return { name, type: column ?? first[at]?.type ?? "unknown" };
    });
    const isHandedOut = shown.some(({ of }) => of.kind === "column" && of.name === PAYLOAD);
    const handedOut = isHandedOut ? found.filter(([row]) => row !== NO_ROW) : [];
    return { command, rowCount: found.length, rows, fields, handedOut };
  }
}

/** Stands for the row of a select without a table, and of an insert. */
const NO_ROW: Row = { committed: undefined, locker: undefined, pending: undefined };

/** NULLs come last, as a server sorts them. */
function orderOf(a: SqlValue, b: SqlValue): number {
  if (a.value === null || b.value === null)
    return Number(a.value === null) - Number(b.value === null);
  return compared(a, b);
}
