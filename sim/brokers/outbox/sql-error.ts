import { adoptLibraryClass } from "../library-errors.ts";

/**
 * An error of the server, with the fields of pg's `DatabaseError` that the model knows: `code` is
 * the SQLSTATE.
 *
 * Source: PostgreSQL 15, "PostgreSQL Error Codes"; pg 8.23, pg-protocol/src/messages.ts
 */
export class SqlError extends Error {
  override readonly name: string = "error";
  readonly severity: string;
  readonly code: string;

  constructor(code: string, message: string, severity = "ERROR") {
    super(message);
    this.code = code;
    this.severity = severity;
    adoptLibraryClass(this, "pg", "DatabaseError");
  }
}

/** What a query rejects with when its connection is lost, and every later one of the connection. */
export class ConnectionEnded extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}
