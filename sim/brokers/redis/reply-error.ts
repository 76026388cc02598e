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

  /** What was refused, as it was sent. */
  declare readonly command?: SentCommand;

  constructor(message: string) {
    super(message);
    adoptLibraryClass(this, "redis-errors", "ReplyError");
    adoptLibraryClass(this, "ioredis", "SimpleError");
  }
}

/** A command and its arguments as texts, but for buffers. */
export interface SentCommand {
  readonly name: string;
  readonly args: readonly (string | Uint8Array)[];
}

/** The connection was closed by its user: an error without a class of its own. */
export function connectionClosed(): Error {
  return new Error("Connection is closed.");
}

export function isConnectionClosed(error: unknown): error is Error {
  return error instanceof Error && error.message === "Connection is closed.";
}

/** A command was cut off from its pipeline, which was answered in part. */
export function abortedByClose(command: SentCommand): Error {
  return new AbortError(command);
}

class AbortError extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "AbortError" });
  }

  readonly command: SentCommand;

  constructor(command: SentCommand) {
    super("Command aborted due to connection close");
    this.command = command;
    adoptLibraryClass(this, "redis-errors", "AbortError");
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
    const limit = `Reached the max retries per request limit (which is ${retries}).`;
    super(`${limit} Refer to "maxRetriesPerRequest" option for details.`, { cause });
    adoptLibraryClass(this, "ioredis", "MaxRetriesPerRequestError");
  }
}

export const NO_STREAM: string =
  "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.";
export const MEANINGLESS: string =
  "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.";
export const WRONG_TYPE: string =
  "WRONGTYPE Operation against a key holding the wrong kind of value";
export const OUT_OF_MEMORY: string = "OOM command not allowed when used memory > 'maxmemory'.";
