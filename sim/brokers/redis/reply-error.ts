import { adoptLibraryClass } from "../library-errors.ts";

/**
 * The server refused a command; the first word of the message is the error code.
 *
 * Source: redis-errors, ReplyError, as ioredis rejects with it
 */
export class ReplyError extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "ReplyError", configurable: true });
  }

  constructor(message: string) {
    super(message);
    adoptLibraryClass(this, "redis-errors", "ReplyError");
  }
}

/** The connection was closed by its user. */
export class ConnectionClosed extends Error {
  override readonly name = "Error";

  constructor() {
    super("Connection is closed.");
  }
}

/**
 * No reply arrived after all retries; whether the command was executed is unknown.
 *
 * Source: ioredis 6, MaxRetriesPerRequestError
 */
export class MaxRetriesPerRequestError extends Error {
  override readonly name = "MaxRetriesPerRequestError";

  constructor(retries: number, cause: unknown) {
    super(`Reached the max retries per request limit (which is ${retries}).`, { cause });
    adoptLibraryClass(this, "ioredis", "MaxRetriesPerRequestError");
  }
}
