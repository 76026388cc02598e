import type { Consumer, ConsumerMessages, JetStreamClient, JsMsg } from "@nats-io/jetstream";
import { expectTypeOf, test } from "vitest";
import type { NatsClient, NatsConsumer } from "../../sim/brokers/nats/client.ts";
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
