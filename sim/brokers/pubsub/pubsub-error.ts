import { isTransportError } from "../library-call.ts";
import { adoptLibraryClass } from "../library-errors.ts";

/** The result of a settlement; values of the library's `AckResponses`. */
export type PubSubAckResponse = "SUCCESS" | "INVALID" | "OTHER" | "PERMISSION_DENIED";

/** The error of `ackWithResponse` and its siblings with exactly-once delivery. */
export class PubSubAckError extends Error {
  override readonly name = "AckError";
  readonly errorCode: PubSubAckResponse;

  constructor(errorCode: PubSubAckResponse) {
    // Of a request that is refused as a whole the library says why.
    super(errorCode === "PERMISSION_DENIED" ? `${errorCode} : ${DENIED}` : errorCode);
    this.errorCode = errorCode;
    adoptLibraryClass(this, "@google-cloud/pubsub", "AckError");
  }
}

const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;
const PERMISSION_DENIED = 7;

/** The error with which google-gax ends its retries. */
class PubSubStatusError extends Error {
  override readonly name = "GoogleError";
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(`${code} ${details}`);
    this.code = code;
    this.details = details;
    adoptLibraryClass(this, "google-gax", "GoogleError");
  }
}

const UNAUTHORIZED = "User not authorized to perform this action.";
const DENIED = `${PERMISSION_DENIED} PERMISSION_DENIED: ${UNAUTHORIZED}`;

/** The error when the service account may not publish to a topic: of gRPC, which has no class. */
export function permissionDenied(): Error {
  const note = "Exception occurred in retry method that was not classified as transient";
  return Object.assign(new Error(DENIED), { code: PERMISSION_DENIED, details: UNAUTHORIZED, note });
}

/** What the service ends a stream with, where the library does not try again. */
export class PubSubStreamEnd extends Error {
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

/** The end of the streams of an account that may not consume the subscription any more. */
export function streamDenied(): PubSubStreamEnd {
  return new PubSubStreamEnd(PERMISSION_DENIED, UNAUTHORIZED);
}

export const NOT_FOUND: number = 5;
const CODES = { INVALID_ARGUMENT: 3, NOT_FOUND: 5, ALREADY_EXISTS: 6 } as const;

/** The error with which the service answers a call: of gRPC, without a class. */
export class PubSubServiceError extends Error {
  static {
    Object.defineProperty(this, "name", { value: "Error" });
  }

  readonly code: number;
  readonly details: string;
  readonly metadata: object = {};
  readonly note: string = "Exception occurred in retry method that was not classified as transient";

  constructor(status: keyof typeof CODES, details: string) {
    super(`${CODES[status]} ${status}: ${details}`);
    this.code = CODES[status];
    this.details = details;
  }
}

/** The error of a call about a topic or a subscription that is none. */
export function notFound(path: string): PubSubServiceError {
  const details = `Resource not found (resource=${path.split("/").at(-1) ?? path}).`;
  return new PubSubServiceError("NOT_FOUND", details);
}

/** The error of making a topic or a subscription that is there. */
export function alreadyExists(path: string): PubSubServiceError {
  const name = path.split("/").at(-1) ?? path;
  const details = `Resource already exists in the project (resource=${name}).`;
  return new PubSubServiceError("ALREADY_EXISTS", details);
}

/** The end of the stream of a subscription that is none. */
export function streamNotFound(path: string): PubSubStreamEnd {
  const { code, details } = notFound(path);
  return new PubSubStreamEnd(code, details);
}

/** The library's error for a stream that has ended. */
export function streamStatus({ code, details }: PubSubStreamEnd): Error {
  return Object.assign(new StatusError(details), { code, details, metadata: {} });
}

/** The library does not publish the class. */
class StatusError extends Error {}

/** The error of what is published by a client that was closed. */
export function clientClosed(): Error {
  const details = "Cannot use a closed PubSub object.";
  return Object.assign(new Error(details), { code: 0, details, metadata: null });
}

/** Turns a network failure into the library's error; other errors are returned unchanged. */
export function pubsubErrorFrom(error: unknown): unknown {
  if (!isTransportError(error)) return error;
  return error.name === "CallTimedOut"
    ? new PubSubStatusError(DEADLINE_EXCEEDED, "Total timeout of API google.pubsub.v1 exceeded")
    : new PubSubStatusError(UNAVAILABLE, "The service is currently unavailable");
}
