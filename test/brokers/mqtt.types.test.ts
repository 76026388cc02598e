import type * as library from "mqtt";
import { expectTypeOf, test } from "vitest";
import type { MqttModelClient, MqttModule } from "../../sim/brokers/mqtt/model.ts";

/** The members by name that the library publishes and the model does not have. */
type Missing<Library, Model> = Exclude<keyof Library & string, keyof Model>;

test("what a producer author may call is there, or is refused by name", () => {
  expectTypeOf<Missing<library.MqttClient, MqttModelClient>>().toEqualTypeOf<never>();
});

test("the module lacks what has no state: errors, constants and validation", () => {
  expectTypeOf<Missing<typeof library, MqttModule>>().toEqualTypeOf<
    | "default"
    | "ErrorWithReasonCode"
    | "ErrorWithSubackPacket"
    | "MQTTJS_VERSION"
    | "ReasonCodes"
    | "applyMixin"
    | "nextTick"
  >();
});

test("results of the model go where those of the library do", () => {
  type Subscribed = Awaited<ReturnType<MqttModelClient["subscribeAsync"]>>[number];
  expectTypeOf<Subscribed["topic"]>().toEqualTypeOf<library.ISubscriptionGrant["topic"]>();
  expectTypeOf<Subscribed["qos"]>().toEqualTypeOf<library.ISubscriptionGrant["qos"]>();
  type States = "connected" | "disconnecting" | "reconnecting" | "queueQoSZero";
  expectTypeOf<MqttModelClient>().toExtend<Pick<library.MqttClient, States>>();
});
