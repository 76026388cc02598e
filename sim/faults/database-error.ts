/** What a transaction of the metadata database can fail with, as scenario files write it. */
export type DatabaseErrorName = "lock-timeout" | "deadlock" | "pool-exhausted";

interface ErrorShape {
  /** What Python's PostgreSQL driver calls it. */
  readonly name: string;
  /** PostgreSQL's SQLSTATE; undefined where the call did not get as far as the server. */
  readonly code: string | undefined;
  readonly message: string;
  /** Whether the client itself waits, and has not sent anything yet. */
  readonly isOfClient: boolean;
}

/**
 * The shapes of these errors. Whichever strikes, nothing of the transaction is done: it is rolled
 * back as a whole, or was never begun.
 *
 * Source: PostgreSQL 17, "Appendix A. PostgreSQL Error Codes"; psycopg 3, "Connection pools"
 */
export const DATABASE_ERRORS: Readonly<Record<DatabaseErrorName, ErrorShape>> = Object.freeze({
  "lock-timeout": {
    name: "LockNotAvailable",
    code: "55P03",
    message: "canceling statement due to lock timeout",
    isOfClient: false,
  },
  deadlock: {
    name: "DeadlockDetected",
    code: "40P01",
    message: "deadlock detected",
    isOfClient: false,
  },
  "pool-exhausted": {
    name: "PoolTimeout",
    code: undefined,
    message: "couldn't get a connection from the pool",
    isOfClient: true,
  },
});

export const DATABASE_ERROR_NAMES: readonly DatabaseErrorName[] = [
  "lock-timeout",
  "deadlock",
  "pool-exhausted",
];

/**
 * The error of a transaction that waited in vain for a lock or a connection, or was chosen as the
 * victim of a deadlock.
 *
 * Holds: nothing of the transaction was done.
 *
 * @example
 * ```ts
 * import { DatabaseError } from "faultlane/sim";
 *
 * const error = new DatabaseError("deadlock", "store.commit");
 * console.log(error.name, error.code, error.isRetryable); // => DeadlockDetected 40P01 true
 * ```
 */
export class DatabaseError extends Error {
  /** The name of the condition: "LockNotAvailable", "DeadlockDetected" or "PoolTimeout". */
  override readonly name: string;
  /** The SQLSTATE: "55P03", "40P01"; undefined where no connection was to be had. */
  readonly code: string | undefined;
  /** Whether the same transaction may succeed if it is begun again: true for all of them. */
  readonly isRetryable = true;
  /** The site of the call that failed: a key of {@linkcode SITES}. */
  readonly site: string;

  /** Creates the error of a transaction at `site`. */
  constructor(kind: DatabaseErrorName, site: string) {
    const { name, code, message } = DATABASE_ERRORS[kind];
    super(`${message}, at "${site}"`);
    this.name = name;
    this.code = code;
    this.site = site;
  }
}
