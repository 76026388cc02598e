import type { SqlDialect } from "./dialect.ts";
import type { SqlStatement } from "./statements.ts";

/** A parameter of a statement. */
export type SqlParam = string | number | null;

/** A row of a result, by column name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * The port between {@linkcode SqlStateBackend} and a database client.
 *
 * Holds, as the author's duty: the schema is up to date before the first statement runs, and each
 * statement is a transaction of its own.
 */
export interface SqlDriver {
  /** Which statements and which schema the database understands. */
  readonly dialect: SqlDialect;
  /** Runs a query and returns its rows. */
  rows(statement: SqlStatement, params: readonly SqlParam[]): Promise<readonly SqlRow[]>;
  /** Runs a statement that writes, and returns how many rows it wrote or deleted. */
  changes(statement: SqlStatement, params: readonly SqlParam[]): Promise<number>;
  /** Yields to the event loop between two batches of a sweep. */
  pause(): Promise<void>;
  /** Returns the SHA-256 of `text` in hexadecimal digits. */
  digest(text: string): string;
  /** Brings the schema up to date; otherwise the first statement does. */
  migrate(): Promise<void>;
  /** Releases the connections. */
  close(): Promise<void>;
}
