import { isTransportError } from "../library-call.ts";

/** What a settlement came to, in the words of `AckResponses`. */
export type PubSubAckResponse = "SUCCESS" | "INVALID" | "OTHER";

/** As `ackWithResponse` and its siblings reject on a subscription with exactly-once delivery. */
export class PubSubAckError extends Error {
  override readonly name = "AckError";
  readonly errorCode: PubSubAckResponse;

  constructor(errorCode: PubSubAckResponse) {
    super(errorCode);
    this.errorCode = errorCode;
  }
}

const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;
const PERMISSION_DENIED = 7;

/** A gRPC status as an error, as google-gax throws it. */
class PubSubStatusError extends Error {
  override readonly name = "GoogleError";
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(`${code} ${details}`);
    this.code = code;
    this.details = details;
  }
}

/** The service account may not publish to that topic, or not any more. */
export function permissionDenied(): Error {
  return new PubSubStatusError(PERMISSION_DENIED, "User not authorized to perform this action.");
}

/** What the network did, in the library's words, once the library has given up. */
export function pubsubErrorFrom(error: unknown): unknown {
  if (!isTransportError(error)) return error;
  return error.name === "CallTimedOut"
    ? new PubSubStatusError(DEADLINE_EXCEEDED, "Total timeout of API google.pubsub.v1 exceeded")
    : new PubSubStatusError(UNAVAILABLE, "The service is currently unavailable");
}
