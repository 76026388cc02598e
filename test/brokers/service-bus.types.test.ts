import type {
  ServiceBusClient as LibraryClient,
  ServiceBusErrorCode as LibraryErrorCode,
  ServiceBusReceivedMessage,
  ServiceBusReceiver as LibraryReceiver,
  ServiceBusSender as LibrarySender,
  ServiceBusSessionReceiver,
} from "@azure/service-bus";
import { expectTypeOf, test } from "vitest";
import type { ServiceBusClient } from "../../sim/brokers/service-bus/service-bus-client.ts";
import type { ServiceBusErrorCode } from "../../sim/brokers/service-bus/service-bus-error.ts";
import type { ServiceBusMessage } from "../../sim/brokers/service-bus/service-bus-message.ts";
import type { ServiceBusReceiver } from "../../sim/brokers/service-bus/service-bus-receiver.ts";
import type { ServiceBusSender } from "../../sim/brokers/service-bus/service-bus-sender.ts";
import type { OrdersBus } from "../check/producers/service-bus/orders-bus.ts";

type Settling =
  | "completeMessage"
  | "abandonMessage"
  | "deferMessage"
  | "deadLetterMessage"
  | "renewMessageLock"
  | "entityPath"
  | "identifier"
  | "isClosed"
  | "receiveMode"
  | "close";

type Fields =
  | "body"
  | "messageId"
  | "sessionId"
  | "lockToken"
  | "deliveryCount"
  | "enqueuedTimeUtc"
  | "lockedUntilUtc"
  | "state";

test("a producer's port is met by the library and by the model", () => {
  expectTypeOf<LibraryClient>().toExtend<OrdersBus>();
  expectTypeOf<ServiceBusClient>().toExtend<OrdersBus>();
});

test("a receiver settles as the library's does, and a session receiver renews its session", () => {
  expectTypeOf<ServiceBusReceiver>().toExtend<Pick<LibraryReceiver, Settling>>();
  expectTypeOf<ServiceBusReceiver>().toExtend<
    Pick<ServiceBusSessionReceiver, "sessionId" | "sessionLockedUntilUtc" | "renewSessionLock">
  >();
});

test("a message has the library's fields", () => {
  expectTypeOf<ServiceBusMessage>().toExtend<Pick<ServiceBusReceivedMessage, Fields>>();
});

test("its error codes are the library's own", () => {
  expectTypeOf<ServiceBusErrorCode>().toExtend<LibraryErrorCode>();
});

/** The members by name that the library publishes and the model does not have. */
type Missing<Library, Model> = Exclude<keyof Library & string, keyof Model>;
/** Those that the library's type does not allow to be left out. */
type Required<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};

test("the model has every member that the library publishes", () => {
  expectTypeOf<Missing<LibraryClient, ServiceBusClient>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<LibraryReceiver, ServiceBusReceiver>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<ServiceBusSessionReceiver, ServiceBusReceiver>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<LibrarySender, ServiceBusSender>>().toEqualTypeOf<never>();
  expectTypeOf<
    Missing<Required<ServiceBusReceivedMessage>, ServiceBusMessage>
  >().toEqualTypeOf<never>();
});
