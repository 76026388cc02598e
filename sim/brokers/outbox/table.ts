import { SqlError } from "./sql-error.ts";
import type { SqlType, SqlValue } from "./sql-values.ts";

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly type: SqlType;
  readonly isRequired: boolean;
  /** What it has where an INSERT says nothing: the next number, the time, or a value. */
  readonly byDefault: "number" | "now" | SqlValue | undefined;
}

/** The values of a row, by column. */
export type Values = ReadonlyMap<string, SqlValue>;

/** A row: what is committed, and what the transaction that has locked it has made of it. */
export interface Row {
  committed: Values | undefined;
  locker: object | undefined;
  /** Undefined where the row is only locked. */
  pending: Values | "deleted" | undefined;
}

/** A change of a row that was committed; undefined stands for no row. */
export interface RowChange {
  readonly row: Row;
  readonly before: Values | undefined;
  readonly after: Values | undefined;
  /** Whose connection it was. */
  readonly consumer: string;
}

/** A table with its rows, in the order in which they were inserted; the first column is its key. */
export class Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly onCommit: (change: RowChange) => void;
  readonly #rows: Row[] = [];
  #numbers = 0;

  constructor(name: string, columns: readonly Column[], onCommit: (change: RowChange) => void) {
    this.name = name;
    this.columns = columns;
    this.onCommit = onCommit;
  }

  /** The rows that a transaction sees, with what they are for it. */
  visibleTo(transaction: object): readonly (readonly [Row, Values])[] {
    return this.#rows.flatMap((row) => {
      const values = seenBy(row, transaction);
      return values === undefined ? [] : [[row, values] as const];
    });
  }

  /** @throws {SqlError} when there is no such column */
  columnOf(name: string): Column {
    const column = this.columns.find((one) => one.name === name);
    if (column !== undefined) return column;
    throw new SqlError("42703", `column "${name}" of relation "${this.name}" does not exist`);
  }

  /** @throws {SqlError} when a statement gives a column its value that numbers its rows itself */
  assertGiven(column: string, doing: "insert" | "update"): void {
    if (this.columnOf(column).byDefault !== "number") return;
    const message =
      doing === "insert"
        ? `cannot insert a non-DEFAULT value into column "${column}"`
        : `column "${column}" can only be updated to DEFAULT`;
    const detail = `Column "${column}" is an identity column defined as GENERATED ALWAYS.`;
    throw new SqlError("428C9", message, { detail });
  }

  /** @throws {SqlError} when a column that must have a value has none */
  valuesFrom(given: Pick<Values, "get">, now: number): Values {
    const values = new Map<string, SqlValue>();
    for (const column of this.columns) {
      const { name } = column;
      values.set(name, given.get(name) ?? this.#defaultOf(column, now));
    }
    this.assertRequired(values);
    return values;
  }

  /** @throws {SqlError} when a column that must have a value has none */
  assertRequired(values: Values): void {
    for (const { name, isRequired } of this.columns) {
      if (!isRequired || values.get(name)?.value !== null) continue;
      const what = `null value in column "${name}" of relation "${this.name}"`;
      const fields = { table: this.name, column: name };
      throw new SqlError("23502", `${what} violates not-null constraint`, fields);
    }
  }

  /** The value of the key in these values. */
  keyIn(values: Values | undefined): unknown {
    return values?.get(this.columns[0]?.name ?? "")?.value;
  }

  /** Returns a row, other than one, that may have the key of these values, locked or not. */
  rowLike(values: Values, transaction: object, other?: Row): Row | undefined {
    const wanted = this.keyIn(values);
    return this.#rows.find((row) => {
      if (row === other) return false;
      const { committed, locker, pending } = row;
      // What another transaction makes of it may come to be, or not.
      const own = seenBy(row, transaction);
      const states = locker === transaction ? [own] : [committed, pending];
      return states.some((one) => typeof one === "object" && this.keyIn(one) === wanted);
    });
  }

  add(row: Row): void {
    this.#rows.push(row);
  }

  /** The last row that was added is as if it had never been. */
  giveBackNumber(): void {
    if (this.columns.some(({ byDefault }) => byDefault === "number")) this.#numbers -= 1;
  }

  remove(row: Row): void {
    this.#rows.splice(this.#rows.indexOf(row), 1);
  }

  #defaultOf({ byDefault, type }: Column, now: number): SqlValue {
    if (byDefault === undefined) return { type, value: null };
    if (byDefault === "now") return { type: "timestamp with time zone", value: now };
    if (byDefault !== "number") return byDefault;
    this.#numbers += 1;
    return { type, value: this.#numbers };
  }
}

function seenBy({ committed, locker, pending }: Row, transaction: object): Values | undefined {
  if (locker !== transaction || pending === undefined) return committed;
  return pending === "deleted" ? undefined : pending;
}
