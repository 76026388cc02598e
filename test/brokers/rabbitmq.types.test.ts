import type * as amqplib from "amqplib";
import type { Channel, ChannelModel, ConfirmChannel } from "amqplib";
import { expectTypeOf, test } from "vitest";
import type { AmqpChannel } from "../../sim/brokers/rabbitmq/channel.ts";
import type { AmqpConnection } from "../../sim/brokers/rabbitmq/connection.ts";
import type { AmqpClient } from "../../sim/brokers/rabbitmq/model.ts";

type Settling = "ack" | "ackAll" | "nack" | "nackAll" | "reject";
type Declaring =
  | `${"assert" | "bind" | "check" | "delete" | "unbind"}${"Queue" | "Exchange"}`
  | "purgeQueue";
type Plain =
  | Settling
  | Declaring
  | "cancel"
  | "consume"
  | "get"
  | "recover"
  | "prefetch"
  | "publish"
  | "sendToQueue"
  | "close";

test("a model channel goes where a producer takes amqplib's", () => {
  expectTypeOf<AmqpChannel>().toExtend<Pick<Channel, Plain>>();
  expectTypeOf<AmqpChannel>().toExtend<Pick<ConfirmChannel, Plain | "waitForConfirms">>();
});

test("a producer's port takes the model and the module amqplib", () => {
  interface ChannelPort extends Pick<ConfirmChannel, Plain | "waitForConfirms"> {
    on(event: string, listener: (error: Error) => void): unknown;
  }
  interface ConnectionPort extends Pick<ChannelModel, "close"> {
    createConfirmChannel(): Promise<ChannelPort>;
    on(event: string, listener: (error: Error) => void): unknown;
  }
  interface AmqpPort {
    connect(url: string): Promise<ConnectionPort>;
  }
  expectTypeOf<AmqpClient>().toExtend<AmqpPort>();
  expectTypeOf<typeof amqplib>().toExtend<AmqpPort>();
});

/** The members by name that amqplib publishes, those of its event emitters among them. */
type Missing<Library, Model> = Exclude<keyof Library & string, keyof Model>;

test("the model's connection and channels have every member that amqplib publishes", () => {
  expectTypeOf<Missing<ChannelModel, AmqpConnection>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Channel, AmqpChannel>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<ConfirmChannel, AmqpChannel>>().toEqualTypeOf<never>();
});
