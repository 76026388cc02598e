import { isTransportError } from "../library-call.ts";

/** Those of the library's `ServiceBusErrorCode` that the model gives. */
export type ServiceBusErrorCode =
  | "GeneralError"
  | "MessageLockLost"
  | "MessageNotFound"
  | "ServiceCommunicationProblem"
  | "ServiceTimeout"
  | "SessionCannotBeLocked"
  | "SessionLockLost";

/** As `@azure/service-bus` throws it: told apart by `name` and `code`. */
export class ServiceBusError extends Error {
  override readonly name = "ServiceBusError";
  readonly code: ServiceBusErrorCode;
  readonly retryable: boolean;

  constructor(message: string, code: ServiceBusErrorCode) {
    super(message);
    this.code = code;
    this.retryable = code === "ServiceCommunicationProblem" || code === "ServiceTimeout";
  }
}

/** What the network did, in the library's words, once the library has given up. */
export function serviceBusErrorFrom(error: unknown): unknown {
  if (!isTransportError(error)) return error;
  return error.name === "CallTimedOut"
    ? new ServiceBusError("The operation did not complete in the allotted time", "ServiceTimeout")
    : new ServiceBusError("The connection was lost", "ServiceCommunicationProblem");
}

/** What an aborted signal makes of a waiting call. */
export function operationAborted(): Error {
  const error = new Error("The operation was aborted.");
  error.name = "AbortError";
  return error;
}
