import { type AwsMetadata, showMessage } from "../aws-request.ts";
import { isTransportError } from "../library-call.ts";
import { adoptLibraryClass } from "../library-errors.ts";

/**
 * An error of the AWS SDK. Code distinguishes errors by `name`, or by `instanceof` of the SDK's own
 * classes, which check `name`, `$fault` and `$metadata`.
 */
export class SqsServiceError extends Error {
  override readonly name: string;
  readonly $fault: "client" | "server";
  $metadata: AwsMetadata;

  constructor(name: string, message: string, fault: "client" | "server" = "client") {
    super(message);
    showMessage(this);
    this.name = name;
    this.$fault = fault;
    this.$metadata = { httpStatusCode: fault === "client" ? 400 : 503 };
    adoptLibraryClass(this, "@aws-sdk/client-sqs", name, "SQSServiceException");
  }
}

/** Turns a network failure into the SDK's error; other errors are returned unchanged. */
export function sqsErrorFrom(error: unknown): unknown {
  if (!isTransportError(error)) return error;
  return error.name === "CallTimedOut"
    ? new SqsServiceError("TimeoutError", "Connection timed out", "server")
    : new SqsServiceError("ServiceUnavailable", "Service is unavailable, try again", "server");
}
