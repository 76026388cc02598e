import { adoptLibraryClass } from "../library-errors.ts";

/** What an error is about; `detail` names the values. */
interface SqlErrorFields {
  readonly severity?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly detail?: string;
}

/**
 * An error of the server, with the fields of pg's `DatabaseError` that the model knows: `code` is
 * the SQLSTATE.
 *
 * Source: PostgreSQL 15, "PostgreSQL Error Codes"; pg 8.23, pg-protocol/src/messages.ts
 */
export class SqlError extends Error {
  static {
    // Where the library is not installed.
    Object.defineProperty(this, "name", { value: "DatabaseError" });
  }

  /** Whether it is one, though it may be of the library's class. */
  static isOne(error: unknown): error is SqlError {
    return error instanceof Error && #isOfModel in error && error.#isOfModel;
  }

  readonly #isOfModel: boolean = true;
  override readonly name: string = "error";
  readonly severity: string;
  readonly code: string;
  readonly table: string | undefined;
  readonly column: string | undefined;
  readonly constraint: string | undefined;
  readonly detail: string | undefined;

  constructor(code: string, message: string, about: SqlErrorFields = {}) {
    super(message);
    this.code = code;
    this.severity = about.severity ?? "ERROR";
    this.table = about.table;
    this.column = about.column;
    this.constraint = about.constraint;
    this.detail = about.detail;
    adoptLibraryClass(this, "pg", "DatabaseError");
  }
}

/** What a query rejects with when its connection is lost, and every later one of the connection. */
export class ConnectionEnded extends Error {
  static {
    // The library has no class for it.
    Object.defineProperty(this, "name", { value: "Error" });
  }

  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}
