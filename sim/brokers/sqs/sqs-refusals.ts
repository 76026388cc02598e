import { SqsServiceError } from "./sqs-error.ts";

/** How many entries a batch has at most, and how many messages one receive returns. */
export const BATCH_MAX = 10;
const WRONG_ID =
  "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.";
const BATCH_ID = /^[\w-]{1,80}$/;

/** The error of a batch entry that a disturbance refuses. */
export function internalError(): SqsServiceError {
  return new SqsServiceError("InternalError", "We encountered an internal error", "server");
}

/** The error of an account whose right to use the queue was taken away. */
export function accessDenied(): SqsServiceError {
  const error = new SqsServiceError("AccessDenied", "Access to the resource is denied.");
  error.$metadata = { ...error.$metadata, httpStatusCode: 403 };
  return error;
}

export function missing(name: string): SqsServiceError {
  const message = `The request must contain the parameter ${name}.`;
  return new SqsServiceError("MissingParameter", message);
}

export function brokenBatch(
  entries: readonly { readonly Id?: string }[],
  command: string,
): SqsServiceError | undefined {
  if (entries.length === 0) {
    return new SqsServiceError(
      "EmptyBatchRequest",
      `There should be at least one ${command}RequestEntry in the request.`,
    );
  }
  if (entries.length > BATCH_MAX) {
    const message = `Maximum number of entries per request are ${BATCH_MAX}. You have sent ${entries.length}.`;
    return new SqsServiceError("TooManyEntriesInBatchRequest", message);
  }
  const unnamed = entries.findIndex(({ Id }) => Id === undefined);
  // Source: github.com/aws/aws-sdk-js/issues/2388
  if (unnamed !== -1) return missing(`${command}RequestEntry.${unnamed + 1}.Id`);
  const ids = entries.map(({ Id = "" }) => Id);
  const repeated = ids.find((id, at) => ids.indexOf(id) < at);
  if (repeated !== undefined) {
    return new SqsServiceError("BatchEntryIdsNotDistinct", `Id ${repeated} repeated.`);
  }
  if (ids.every((id) => BATCH_ID.test(id))) return undefined;
  return new SqsServiceError("InvalidBatchEntryId", WRONG_ID);
}

export function assertWithin(name: string, value: number, min: number, max: number): void {
  if (!(value >= min && value <= max)) throw outOfRange(name, value, min, max);
}

export function outOfRange(name: string, value: number, min: number, max: number): SqsServiceError {
  const message = `Value ${value} for parameter ${name} is invalid. Reason: Must be between ${min} and ${max}.`;
  return new SqsServiceError("InvalidParameterValue", message);
}

export function invalidHandle(handle: string): SqsServiceError {
  const message = `The input receipt handle "${handle}" is not a valid receipt handle.`;
  return new SqsServiceError("ReceiptHandleIsInvalid", message);
}

export function uuidFrom(space: "0" | "1", count: number): string {
  return `${space}0000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
}

export function sequenceText(sequence: number): string {
  return String(sequence).padStart(20, "0");
}
