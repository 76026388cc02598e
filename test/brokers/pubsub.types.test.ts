import type {
  AckError,
  AckResponse,
  Message,
  PubSub,
  Subscription,
  SubscriptionOptions,
  Topic,
} from "@google-cloud/pubsub";
import { expectTypeOf, test } from "vitest";
import type { PubSubClient } from "../../sim/brokers/pubsub/pubsub-client.ts";
import type { PubSubAckError, PubSubAckResponse } from "../../sim/brokers/pubsub/pubsub-error.ts";
import type { PubSubMessage } from "../../sim/brokers/pubsub/pubsub-message.ts";
import type { PubSubSubscriptionOptions } from "../../sim/brokers/pubsub/pubsub-named-subscription.ts";
import type { PubSubSubscription } from "../../sim/brokers/pubsub/pubsub-subscription.ts";
import type { PubSubTopic } from "../../sim/brokers/pubsub/pubsub-topic.ts";
import type { OrdersPubSub } from "../check/producers/pubsub/pubsub-producer.ts";

type Settling =
  | "ackId"
  | "id"
  | "attributes"
  | "deliveryAttempt"
  | "received"
  | "length"
  | "ack"
  | "nack"
  | "modAck"
  | "ackWithResponse"
  | "nackWithResponse"
  | "modAckWithResponse";

test("a producer's port is met by the library and by the model", () => {
  expectTypeOf<PubSub>().toExtend<OrdersPubSub>();
  expectTypeOf<PubSubClient>().toExtend<OrdersPubSub>();
});

test("a message settles as the library's does", () => {
  expectTypeOf<PubSubMessage>().toExtend<Pick<Message, Settling>>();
  expectTypeOf<Message["data"]>().toExtend<Uint8Array>();
  expectTypeOf<PubSubMessage["data"]>().toExtend<Uint8Array>();
});

test("a subscription closes and names itself as the library's does", () => {
  expectTypeOf<PubSubSubscription>().toExtend<Pick<Subscription, "isOpen" | "name">>();
  expectTypeOf<PubSubSubscription["close"]>().returns.toEqualTypeOf<Promise<void>>();
});

test("its responses are the library's own words", () => {
  expectTypeOf<PubSubAckResponse>().toExtend<AckResponse>();
  expectTypeOf<PubSubAckError>().toExtend<Pick<AckError, "errorCode" | "message">>();
});

/** The members by name that the library publishes, but for those that it keeps to itself. */
type Missing<Library, Model> = Exclude<keyof Library & string, keyof Model | `${string}_`>;

test("the model has every member that the library publishes", () => {
  expectTypeOf<Missing<PubSub, PubSubClient>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Subscription, PubSubSubscription>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Topic, PubSubTopic>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Message, PubSubMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Message["subSpans"], PubSubMessage["subSpans"]>>().toEqualTypeOf<"parent">();
  expectTypeOf<
    Missing<Message["publishTime"], PubSubMessage["publishTime"]>
  >().toEqualTypeOf<never>();
});

test("the options that the model refuses by name are these", () => {
  expectTypeOf<Missing<SubscriptionOptions, PubSubSubscriptionOptions>>().toEqualTypeOf<
    "batching" | "maxAckDeadline" | "streamingOptions" | "topic" | "useLegacyFlowControl"
  >();
});
