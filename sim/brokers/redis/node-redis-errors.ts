import { NotModelled } from "../not-modelled.ts";
import { isBuffer } from "../library-buffer.ts";
import { adoptLibraryClass } from "../library-errors.ts";

const LIBRARY = "@redis/client";

type NodeRedisErrorName =
  | "MultiErrorReply"
  | "ClientClosedError"
  | "DisconnectsClientError"
  | "SimpleError"
  | "SocketClosedUnexpectedlyError";

/**
 * An error of node-redis: its `name` is "Error", and what tells it is `instanceof` of the library's
 * class, or the message.
 *
 * Source: \@redis/client 6, errors.ts
 */
export class NodeRedisError extends Error {
  constructor(className: NodeRedisErrorName, message: string) {
    super(message);
    adoptLibraryClass(this, LIBRARY, className);
  }
}

/** The client has not connected, or is closed. */
export function clientClosed(): NodeRedisError {
  return new NodeRedisError("ClientClosedError", "The client is closed");
}

/** The client was destroyed while it waited for the reply. */
export function clientDestroyed(): NodeRedisError {
  return new NodeRedisError("DisconnectsClientError", "Disconnects client");
}

/** The connection broke before the reply; whether the command was executed is unknown. */
export function socketClosed(): NodeRedisError {
  return new NodeRedisError("SocketClosedUnexpectedlyError", "Socket closed unexpectedly");
}

/** The server refused a command; the first word of the message is the error code. */
export function refusedByServer(message: string): NodeRedisError {
  return new NodeRedisError("SimpleError", message);
}

/** Some commands of a transaction failed; it has the replies of all. */
export function multiError(replies: unknown[], errorIndexes: number[]): NodeRedisError {
  const why = `${errorIndexes.length} commands failed`;
  const message = `${why}, see .replies and .errorIndexes for more information`;
  return Object.assign(new NodeRedisError("MultiErrorReply", message), { replies, errorIndexes });
}

/**
 * Returns the words that the library's encoder makes; `from` is the number of the first one. A
 * caller without types may give something else than a list: it reads whatever has a length.
 *
 * @throws {TypeError} for the first word that is neither text nor bytes
 */
export function wordsFrom(words: ArrayLike<unknown>, from: number): readonly unknown[] {
  const isEmpty = !(words.length + from > 0);
  if (isEmpty) throw new NotModelled("a command without words", "brokers.nodeRedis");
  return Array.from(words, (word, at) => {
    if (typeof word === "string" || isBuffer(word)) return word;
    throw new TypeError(
      `"arguments[${from + at}]" must be of type "string | Buffer", got ${typeof word} instead.`,
    );
  });
}
