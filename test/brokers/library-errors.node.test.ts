import { expect, test } from "vitest";
import { PubSubAckError, pubsubErrorFrom } from "../../sim/brokers/pubsub/pubsub-error.ts";
import {
  operationAborted,
  ServiceBusError,
} from "../../sim/brokers/service-bus/service-bus-error.ts";
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
