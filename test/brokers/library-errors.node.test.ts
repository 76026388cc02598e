import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adoptLibraryClass } from "../../sim/brokers/library-errors.ts";
import { PubSubAckError, pubsubErrorFrom } from "../../sim/brokers/pubsub/pubsub-error.ts";
import { operationAborted } from "../../sim/brokers/azure-abort-error.ts";
import { ServiceBusError } from "../../sim/brokers/service-bus/service-bus-error.ts";
import { SqsServiceError } from "../../sim/brokers/sqs/sqs-error.ts";
import { CallTimedOut } from "../../sim/hosts/call.ts";

// The libraries are large: on Node only.

test("errors of the SQS model are instances of the SDK's classes", async () => {
  const sdk = await import("@aws-sdk/client-sqs");
  const missing = new SqsServiceError("QueueDoesNotExist", "no such queue");
  expect(missing).toBeInstanceOf(sdk.SQSServiceException);
  expect(missing).toBeInstanceOf(sdk.QueueDoesNotExist);
  expect(missing).not.toBeInstanceOf(sdk.ReceiptHandleIsInvalid);
  const unavailable = new SqsServiceError("ServiceUnavailable", "try again", "server");
  expect(unavailable).toBeInstanceOf(sdk.SQSServiceException);
  expect(unavailable).toMatchObject({ name: "ServiceUnavailable", $fault: "server" });
});

test("errors of the Service Bus model are instances of the library's classes", async () => {
  const { ServiceBusError: Real } = await import("@azure/service-bus");
  const error = new ServiceBusError("lost", "MessageLockLost");
  expect(error).toBeInstanceOf(Real);
  expect(error).toMatchObject({ code: "MessageLockLost", retryable: false });
  const aborted = operationAborted();
  expect((Object.getPrototypeOf(aborted) as Error).constructor.name).toBe("AbortError");
});

test("errors of the Pub/Sub model are instances of the library's classes", async () => {
  const pubsub = await import("@google-cloud/pubsub");
  expect(new PubSubAckError("INVALID")).toBeInstanceOf(pubsub.AckError);
  const status = pubsubErrorFrom(new CallTimedOut("subscription"));
  expect((Object.getPrototypeOf(status) as Error).constructor.name).toBe("GoogleError");
  expect(status).toMatchObject({ code: 4 });
});

test.each([
  ["nothing", "null"],
  ["a text", '"text"'],
  ["no class of that name", "{}"],
  ["something else of that name", "{ Refused: 1 }"],
  ["a class of that name that is no error", "{ Refused: class {} }"],
])("an error stays what it is where the library exports %s", (_what, exported) => {
  const folder = mkdtempSync(join(tmpdir(), "faultlane-library-"));
  try {
    const library = join(folder, "node_modules", "odd-library");
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, "index.cjs"), `module.exports = ${exported};`);
    createRequire(import.meta.url)(join(library, "index.cjs"));
    const error = new RangeError("refused");
    adoptLibraryClass(error, "odd-library", "Refused");
    expect(Object.getPrototypeOf(error)).toBe(RangeError.prototype);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
