import { isTransportError } from "../library-call.ts";
import { adoptLibraryClass } from "../library-errors.ts";

/** The values of the library's `ServiceBusErrorCode` that the model uses. */
export type ServiceBusErrorCode =
  | "GeneralError"
  | "MessageLockLost"
  | "MessageNotFound"
  | "ServiceCommunicationProblem"
  | "ServiceTimeout"
  | "SessionCannotBeLocked"
  | "SessionLockLost"
  | "UnauthorizedAccess";

/** An error of `@azure/service-bus`; code distinguishes errors by `name` and `code`. */
export class ServiceBusError extends Error {
  override readonly name = "ServiceBusError";
  readonly code: ServiceBusErrorCode;
  readonly retryable: boolean;

  constructor(message: string, code: ServiceBusErrorCode) {
    super(message);
    this.code = code;
    this.retryable = code === "ServiceCommunicationProblem" || code === "ServiceTimeout";
    adoptLibraryClass(this, "@azure/service-bus", "ServiceBusError");
  }
}

/** Turns a network failure into the library's error; other errors are returned unchanged. */
export function serviceBusErrorFrom(error: unknown): unknown {
  if (!isTransportError(error)) return error;
  return error.name === "CallTimedOut"
    ? new ServiceBusError("The operation did not complete in the allotted time", "ServiceTimeout")
    : new ServiceBusError("The connection was lost", "ServiceCommunicationProblem");
}
