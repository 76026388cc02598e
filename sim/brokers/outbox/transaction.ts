import { SqlError } from "./sql-error.ts";
import type { Row, RowChange, Table, Values } from "./table.ts";

/** A statement has to wait until another transaction has ended. */
export class Blocked extends Error {
  readonly by: Transaction;

  constructor(by: Transaction) {
    super("It waits for a row");
    this.by = by;
  }
}

/**
 * A transaction at the isolation level Read Committed: it has locked what it changed, and others
 * see what was committed before.
 */
export class Transaction {
  /** When it began, in milliseconds since the epoch. */
  readonly beganAt: number;
  readonly consumer: string;
  readonly #rows = new Map<Row, Table>();
  readonly #waiting: (() => void)[] = [];
  #waitsFor: Transaction | undefined;
  #isOver = false;

  constructor(beganAt: number, consumer: string) {
    this.beganAt = beganAt;
    this.consumer = consumer;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls `fn` when the transaction has ended. */
  onEnd(fn: () => void): void {
    if (this.#isOver) fn();
    else this.#waiting.push(fn);
  }

  /** Whether another transaction has locked the row. */
  finds({ locker }: Row): Transaction | undefined {
    return locker === this ? undefined : (locker as Transaction | undefined);
  }

  /**
   * Locks a row until the end of the transaction.
   *
   * @throws {Blocked} when another one has locked it
   * @throws {SqlError} when that one waits for this one
   */
  lock(table: Table, row: Row): void {
    const other = this.finds(row);
    if (other !== undefined) {
      this.#assertNoCircle(other);
      this.#waitsFor = other;
      throw new Blocked(other);
    }
    this.#waitsFor = undefined;
    row.locker = this;
    this.#rows.set(row, table);
  }

  /** Inserts a row, which others see once it is committed. */
  insert(table: Table, values: Values): void {
    const row: Row = { committed: undefined, locker: this, pending: values };
    table.add(row);
    this.#rows.set(row, table);
  }

  commit(): void {
    const { consumer } = this;
    const changes: (readonly [Table, RowChange])[] = [];
    this.#end((row, table) => {
      const { committed: before, pending } = row;
      if (pending === undefined) return;
      const after = pending === "deleted" ? undefined : pending;
      row.committed = after;
      if (after === undefined) table.remove(row);
      changes.push([table, { row, before, after, consumer }]);
    });
    // All of it happens at once. A dead letter is there when the row that it was is gone.
    const inserts = changes.filter(([, { before }]) => before === undefined);
    const others = changes.filter(([, { before }]) => before !== undefined);
    for (const [table, change] of [...inserts, ...others]) table.onCommit(change);
    this.#wake();
  }

  rollBack(): void {
    this.#end((row, table) => {
      if (row.committed === undefined) table.remove(row);
    });
    this.#wake();
  }

  #end(settle: (row: Row, table: Table) => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const [row, table] of this.#rows) {
      settle(row, table);
      row.locker = undefined;
      row.pending = undefined;
    }
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #assertNoCircle(other: Transaction): void {
    for (let one: Transaction | undefined = other; one !== undefined; one = one.#waitsFor) {
      if (one === this) throw new SqlError("40P01", "deadlock detected");
    }
  }
}
