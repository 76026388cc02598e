import { adoptLibraryClass } from "../library-errors.ts";
import type { AmqpMethod } from "./amqp-method.ts";

const REPLY_NAMES = {
  320: "CONNECTION-FORCED",
  403: "ACCESS-REFUSED",
  404: "NOT-FOUND",
  405: "RESOURCE-LOCKED",
  406: "PRECONDITION-FAILED",
  503: "COMMAND-INVALID",
  530: "NOT-ALLOWED",
  540: "NOT-IMPLEMENTED",
} as const;

export type ReplyCode = keyof typeof REPLY_NAMES;

/** The codes that cost the connection; the others cost the channel. */
const CONNECTION_CODES: ReadonlySet<ReplyCode> = new Set([320, 503, 530, 540]);

/** The server refuses a method, and closes the channel or the connection for it. */
export class Refused extends Error {
  readonly code: ReplyCode;

  constructor(code: ReplyCode, why: string) {
    super(`${REPLY_NAMES[code].replaceAll("-", "_")} - ${why}`);
    this.code = code;
  }

  get costsConnection(): boolean {
    return CONNECTION_CODES.has(this.code);
  }

  /** The reason as amqplib writes it. */
  get reason(): string {
    return `${this.code} (${REPLY_NAMES[this.code]}) with message "${this.message}"`;
  }
}

/** The error of amqplib for a close by the server: of no class of its own. */
interface ServerClosed extends Error {
  readonly code: number;
  /** The method for which the server closed the channel. */
  readonly classId?: number;
  readonly methodId?: number;
}

/**
 * The error of a channel's `error` event.
 *
 * Source: amqplib 2, channel.js, accept
 */
export function channelClosed({ code, reason }: Refused, method: AmqpMethod): ServerClosed {
  return methodRefused(code, `Channel closed by server: ${reason}`, method);
}

/**
 * The error with which the refused method itself rejects.
 *
 * Source: amqplib 2, channel.js, convertCloseFrameToError
 */
export function operationFailed({ code, reason }: Refused, method: AmqpMethod): ServerClosed {
  return methodRefused(code, `Operation failed: ${method.name}; ${reason}`, method);
}

/**
 * The error of a connection's `error` and `close` events.
 *
 * Source: amqplib 2, connection.js, channel0
 */
export function connectionClosed({ code, reason }: Refused): ServerClosed {
  return Object.assign(new Error(`Connection closed: ${reason}`), { code });
}

function methodRefused(
  code: number,
  text: string,
  { classId, methodId }: AmqpMethod,
): ServerClosed {
  return Object.assign(new Error(text), { code, classId, methodId });
}

/** The server rejected a message, because its queue is full. */
export class MessageNacked extends Error {}

/**
 * The error with which a publisher is told.
 *
 * Source: amqplib 2, channel.js, handleConfirm
 */
export function nacked(): Error {
  return new Error("message nacked");
}

/** A method was called on a closed channel or connection. Code tells it by its name. */
class IllegalOperationError extends Error {
  static {
    const value = "IllegalOperationError";
    Object.defineProperty(this.prototype, "name", { value, configurable: true });
  }

  /** What ended the channel or connection, and where; the place is the simulator's. */
  readonly stackAtStateChange: string;

  constructor(message: string) {
    super(message);
    this.stackAtStateChange = `Stack capture: ${message}`;
    Object.defineProperty(this, "message", { enumerable: true });
    adoptLibraryClass(this, "amqplib", "IllegalOperationError");
  }
}

/** What a socket reports whose other end knows nothing of it any more, or is gone. */
export function connectionReset(): Error {
  const facts = { errno: -104, code: "ECONNRESET", syscall: "read" };
  return Object.assign(new Error("read ECONNRESET"), facts);
}

export function illegalOperation(message: string): Error {
  return new IllegalOperationError(message);
}

export function preconditionFailed(why: string): Refused {
  return new Refused(406, why);
}

export function notFound(what: string): Refused {
  return new Refused(404, `no ${what} in vhost '/'`);
}
