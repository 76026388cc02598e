import type { AdvisoryCall } from "./sql-statement.ts";
import { assertNoCircle, Blocked, type Locker, type Transaction } from "./transaction.ts";

/** A lock, and who waits for it in turn. */
interface Lock {
  owner: Locker;
  /** How often the session has it, and how many of its transactions have. */
  count: number;
  transactions: number;
  readonly turns: Turn[];
}

interface Turn {
  readonly of: Locker;
  readonly wakes: (() => void)[];
}

/**
 * The locks of a server that have a number and no row.
 *
 * Holds: what becomes free is at once that of the one who has waited longest, though it has not
 * executed its statement again yet; nobody gets it in between.
 *
 * Source: PostgreSQL 15, 13.3.5 Advisory Locks; 9.27.10 Advisory Lock Functions
 */
export class AdvisoryLocks {
  readonly #locks = new Map<number, Lock>();

  /**
   * Takes or gives back a lock; returns whether that was done.
   *
   * @throws {Blocked} when it has to wait for another connection; it can be called again
   * @throws {SqlError} when that one waits for this one
   */
  call(name: AdvisoryCall, key: number, owner: Locker, transaction: Transaction): boolean {
    const held = this.#locks.get(key);
    if (name === "pg_advisory_unlock") {
      if (held?.owner !== owner || held.count === 0) return false;
      held.count -= 1;
      this.#free(key, held);
      return true;
    }
    if (held !== undefined && held.owner !== owner) {
      if (name.startsWith("pg_try")) return false;
      throw waiting(held, owner);
    }
    owner.waitsFor = undefined;
    const lock = held ?? { owner, count: 0, transactions: 0, turns: [] };
    this.#locks.set(key, lock);
    if (!name.includes("_xact_")) {
      lock.count += 1;
      return true;
    }
    lock.transactions += 1;
    transaction.onEnd(() => {
      lock.transactions -= 1;
      this.#free(key, lock);
    });
    return true;
  }

  /** Its statement has given up waiting for another one. */
  stopWaiting(owner: Locker): void {
    for (const [key, lock] of this.#locks) {
      const at = lock.turns.findIndex(({ of }) => of === owner);
      if (at >= 0) lock.turns.splice(at, 1);
      if (lock.owner === owner) this.#free(key, lock);
    }
  }

  /** A connection has ended, and has nothing any more. */
  end(owner: Locker): void {
    for (const lock of this.#locks.values()) if (lock.owner === owner) lock.count = 0;
    this.stopWaiting(owner);
  }

  #free(key: number, lock: Lock): void {
    if (lock.count > 0 || lock.transactions > 0 || this.#locks.get(key) !== lock) return;
    const next = lock.turns.shift();
    if (next === undefined) {
      this.#locks.delete(key);
      return;
    }
    lock.owner = next.of;
    for (const wake of next.wakes) wake();
  }
}

/** Queues up for a lock, unless it has done so; returns what tells that its turn has come. */
function waiting(lock: Lock, owner: Locker): Blocked {
  assertNoCircle(owner, lock.owner);
  owner.waitsFor = lock.owner;
  const known = lock.turns.find(({ of }) => of === owner);
  const turn = known ?? { of: owner, wakes: [] };
  if (known === undefined) lock.turns.push(turn);
  return new Blocked({ onEnd: (fn) => void turn.wakes.push(fn) });
}
