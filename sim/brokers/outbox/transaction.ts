import { SqlError } from "./sql-error.ts";
import type { Row, RowChange, Table, Values } from "./table.ts";

/** Who takes locks, and waits for the locks of others: a connection. */
export interface Locker {
  /** Whom its statement waits for, since it was executed last. */
  waitsFor: Locker | undefined;
}

/** A statement has to wait, as a rule until another transaction has ended. */
export class Blocked extends Error {
  readonly by: Pick<Transaction, "onEnd">;

  constructor(by: Pick<Transaction, "onEnd">) {
    super("It waits for a lock");
    this.by = by;
  }
}

/** @throws {SqlError} when `other` waits for `one`, be it by way of others */
export function assertNoCircle(one: Locker, other: Locker): void {
  for (let next: Locker | undefined = other; next !== undefined; next = next.waitsFor) {
    if (next === one) throw new SqlError("40P01", "deadlock detected");
  }
}

/** What a transaction had locked and made of each row at some time. */
type Mark = ReadonlyMap<Row, Row["pending"]>;

/**
 * A transaction at the isolation level Read Committed: it has locked what it changed, and others
 * see what was committed before.
 */
export class Transaction {
  /** When it began, in milliseconds since the epoch. */
  readonly beganAt: number;
  readonly consumer: string;
  readonly #locker: Locker;
  readonly #rows = new Map<Row, Table>();
  readonly #savepoints: { readonly name: string; readonly mark: Mark }[] = [];
  readonly #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(beganAt: number, consumer: string, locker: Locker = { waitsFor: undefined }) {
    this.beganAt = beganAt;
    this.consumer = consumer;
    this.#locker = locker;
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
      assertNoCircle(this.#locker, other.#locker);
      this.#locker.waitsFor = other.#locker;
      throw new Blocked(other);
    }
    this.#locker.waitsFor = undefined;
    row.locker = this;
    this.#rows.set(row, table);
  }

  /** Inserts a row, which others see once it is committed. */
  insert(table: Table, values: Values): Row {
    const row: Row = { committed: undefined, locker: this, pending: values };
    table.add(row);
    this.#rows.set(row, table);
    return row;
  }

  /** Remembers how all rows are for this transaction. */
  mark(): Mark {
    return new Map([...this.#rows.keys()].map((row) => [row, row.pending]));
  }

  /** Undoes what was changed since then; rows that were locked since then stay so, or are free. */
  returnTo(mark: Mark, locks: "kept" | "released"): void {
    for (const [row, table] of this.#rows) {
      const isKnown = mark.has(row);
      row.pending = mark.get(row);
      const isNew = row.committed === undefined && !isKnown;
      if (isNew) table.remove(row);
      // What is kept is for the same statement, which begins anew and inserts it again.
      if (isNew && locks === "kept") table.giveBackNumber();
      if (isNew || (!isKnown && locks === "released")) {
        row.locker = undefined;
        this.#rows.delete(row);
      }
    }
    if (locks === "released") this.#wake();
  }

  get hasSavepoints(): boolean {
    return this.#savepoints.length > 0;
  }

  savepoint(name: string): void {
    this.#savepoints.push({ name, mark: this.mark() });
  }

  /** Undoes what was done since the last savepoint, after an error. */
  returnToLast(): void {
    const last = this.#savepoints.at(-1);
    if (last !== undefined) this.returnTo(last.mark, "released");
  }

  /**
   * Undoes what was done since a savepoint, or only forgets it; so are all later ones.
   *
   * @throws {SqlError} when there is none of this name
   */
  endSavepoint(name: string, how: "rollback-to" | "release"): void {
    const at = this.#savepoints.findLastIndex((one) => one.name === name);
    const found = this.#savepoints[at];
    if (found === undefined) throw new SqlError("3B001", `savepoint "${name}" does not exist`);
    this.#savepoints.splice(how === "release" ? at : at + 1);
    if (how === "rollback-to") this.returnTo(found.mark, "released");
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
}
