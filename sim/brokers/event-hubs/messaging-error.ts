import { isTransportError } from "../library-call.ts";
import { adoptLibraryClass } from "../library-errors.ts";

/** The codes of the library's `MessagingError` that the model uses. */
export type MessagingErrorCode =
  | "DetachForcedError"
  | "InvalidOperationError"
  | "MessageTooLargeError"
  | "MessagingEntityNotFoundError"
  | "OperationTimeoutError"
  | "QuotaExceededError"
  | "ReceiverDisconnectedError"
  | "ServerBusyError"
  | "ServiceUnavailableError";

/** Source: @azure/core-amqp 4, errors.js, retryableErrors */
const RETRYABLE: ReadonlySet<MessagingErrorCode> = new Set<MessagingErrorCode>([
  "DetachForcedError",
  "OperationTimeoutError",
  "ServerBusyError",
  "ServiceUnavailableError",
]);

/** An error of `@azure/event-hubs`; code distinguishes errors by `name` and `code`. */
export class MessagingError extends Error {
  override readonly name = "MessagingError";
  readonly code: MessagingErrorCode;
  readonly retryable: boolean;

  constructor(message: string, code: MessagingErrorCode) {
    super(message);
    this.code = code;
    this.retryable = RETRYABLE.has(code);
    adoptLibraryClass(this, "@azure/core-amqp", "MessagingError");
  }
}

/** Turns a network failure into the library's error; other errors are returned unchanged. */
export function messagingErrorFrom(error: unknown): unknown {
  if (!isTransportError(error)) return error;
  return error.name === "CallTimedOut"
    ? new MessagingError("The operation did not complete in time", "OperationTimeoutError")
    : new MessagingError("The connection was lost", "ServiceUnavailableError");
}

/** A request to the blob storage that got no reply. */
export class RestError extends Error {
  override readonly name = "RestError";
  readonly code = "REQUEST_SEND_ERROR";

  constructor(message: string) {
    super(message);
    adoptLibraryClass(this, "@azure/core-rest-pipeline", "RestError");
  }
}
