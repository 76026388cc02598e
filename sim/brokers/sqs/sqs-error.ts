import { isTransportError } from "../library-call.ts";

/**
 * An error as the AWS SDK throws it: told apart by `name`, and by `instanceof` of the SDK's own
 * classes, which look at `name`, `$fault` and `$metadata`.
 */
export class SqsServiceError extends Error {
  override readonly name: string;
  readonly $fault: "client" | "server";
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(name: string, message: string, fault: "client" | "server" = "client") {
    super(message);
    this.name = name;
    this.$fault = fault;
    this.$metadata = { httpStatusCode: fault === "client" ? 400 : 503 };
  }
}

/** The caller gave its request up: what an aborted signal makes of `send`. */
export function requestAborted(): Error {
  const error = new Error("Request aborted");
  error.name = "AbortError";
  return error;
}

/** What the network did, in the SDK's words, once the SDK has given up. */
export function sqsErrorFrom(error: unknown): unknown {
  if (!isTransportError(error)) return error;
  return error.name === "CallTimedOut"
    ? new SqsServiceError("TimeoutError", "Connection timed out", "server")
    : new SqsServiceError("ServiceUnavailable", "Service is unavailable, try again", "server");
}
