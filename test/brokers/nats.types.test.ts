import type {
  Consumer,
  ConsumerAPI,
  ConsumerInfo,
  ConsumerMessages,
  DirectStreamAPI,
  JetStreamClient,
  JetStreamManager,
  JsMsg,
  StreamAPI,
} from "@nats-io/jetstream";
import { expectTypeOf, test } from "vitest";
import type { NatsClient, NatsConsumer } from "../../sim/brokers/nats/client.ts";
import type { NatsHeaders } from "../../sim/brokers/nats/headers.ts";
import type { NatsMessage } from "../../sim/brokers/nats/message.ts";
import type { NatsMessages } from "../../sim/brokers/nats/messages.ts";

type Settling = "ack" | "ackAck" | "nak" | "term" | "working";
type Reading =
  | "data"
  | "info"
  | "json"
  | "redelivered"
  | "seq"
  | "sid"
  | "string"
  | "subject"
  | "time"
  | "timestamp";
type Counting = "getProcessed" | "getPending" | "getReceived" | "close" | "closed" | "stop";

test("a model message goes where a producer takes a JsMsg", () => {
  expectTypeOf<NatsMessage>().toExtend<Pick<JsMsg, Settling | Reading>>();
  expectTypeOf<NatsMessages>().toExtend<Pick<ConsumerMessages, Counting>>();
  expectTypeOf<NatsClient>().toExtend<Pick<JetStreamClient, "publish">>();
});

test("a producer's port takes the model and a JetStreamClient", () => {
  type MessagePort = Pick<JsMsg, Settling | Reading>;
  interface MessagesPort extends Pick<ConsumerMessages, Counting> {
    [Symbol.asyncIterator](): AsyncIterator<MessagePort>;
  }
  interface ConsumerPort {
    consume(options: { max_messages: number }): Promise<MessagesPort>;
    fetch(options: { max_messages: number; expires: number }): Promise<MessagesPort>;
    next(options: { expires: number }): Promise<MessagePort | null>;
  }
  interface JetStreamPort extends Pick<JetStreamClient, "publish"> {
    readonly consumers: { get(stream: string, name: string): Promise<ConsumerPort> };
  }
  expectTypeOf<NatsConsumer>().toExtend<ConsumerPort>();
  expectTypeOf<Consumer>().toExtend<ConsumerPort>();
  expectTypeOf<NatsClient>().toExtend<JetStreamPort>();
  expectTypeOf<JetStreamClient>().toExtend<JetStreamPort>();
});

/** The members by name that the library publishes and the model does not have. */
type Missing<Library, Model> = Exclude<keyof Library & string, keyof Model>;
type Managed = Awaited<ReturnType<NatsClient["jetstreamManager"]>>;
type ListerOf<Manager extends { readonly consumers: { list(stream: string): unknown } }> =
  ReturnType<Manager["consumers"]["list"]>;
/** What the server leaves out, or the library's type allows to be left out. */
type LeftOut = "cluster" | "paused" | "pause_remaining" | "push_bound";

test("the model has every member that the library publishes", () => {
  expectTypeOf<Missing<JetStreamClient, NatsClient>>().toEqualTypeOf<never>();
  expectTypeOf<
    Missing<JetStreamClient["consumers"], NatsClient["consumers"]>
  >().toEqualTypeOf<never>();
  expectTypeOf<Missing<JetStreamClient["streams"], NatsClient["streams"]>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Consumer, NatsConsumer>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<ConsumerMessages, NatsMessages>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<JsMsg, NatsMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<JsMsg["info"], NatsMessage["info"]>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<NonNullable<JsMsg["headers"]>, NatsHeaders>>().toEqualTypeOf<never>();
});

test("its manager has every member that the library publishes", () => {
  expectTypeOf<Missing<JetStreamManager, Managed>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<ConsumerAPI, Managed["consumers"]>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<StreamAPI, Managed["streams"]>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<DirectStreamAPI, Managed["direct"]>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<ListerOf<JetStreamManager>, ListerOf<Managed>>>().toEqualTypeOf<never>();
  expectTypeOf<
    Missing<ConsumerInfo, Awaited<ReturnType<NatsConsumer["info"]>>>
  >().toEqualTypeOf<LeftOut>();
});
