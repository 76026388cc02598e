import { adoptLibraryClass } from "./library-errors.ts";

/**
 * Returns the error with which the Azure SDK rejects a call whose signal was aborted.
 *
 * Source: @azure/abort-controller, AbortError
 */
export function operationAborted(): Error {
  const error = new Error("The operation was aborted.");
  adoptLibraryClass(error, "@azure/abort-controller", "AbortError");
  error.name = "AbortError";
  return error;
}
