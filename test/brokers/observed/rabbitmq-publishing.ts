import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { type Observation, outcomeOf } from "./observation.ts";

const SOON_MS = 300;

/** Options of a publish that the library cannot write, and what it says of them. */
const UNWRITABLE: readonly (readonly [options: object, error: string, says: string])[] = [
  [{ headers: "text" }, "TypeError", "Object prototype may only be an Object or null"],
  [{ headers: { at: 5n } }, "TypeError", "Unknown type to encode: bigint"],
  [{ headers: { all: [undefined] } }, "TypeError", "Unknown type to encode: undefined"],
  [{ headers: { at: { "!": "date", value: 5 } } }, "TypeError", "Unknown type to encode: date"],
  [{ priority: "high" }, "TypeError", number("priority")],
  [{ priority: 256 }, "RangeError", outOfRange(">= 0 and <= 255", "256")],
  [{ deliveryMode: Number.NaN }, "TypeError", number("deliveryMode")],
  [{ timestamp: new Date(0) }, "TypeError", number("timestamp")],
  [{ timestamp: -1 }, "RangeError", outOfRange(">= 0n and < 2n ** 64n", "-1n")],
  [{ messageId: 5 }, "TypeError", text("messageId")],
  [{ correlationId: "é".repeat(128) }, "TypeError", text("correlationId")],
  [{ contentType: {} }, "TypeError", text("contentType")],
];

function text(name: string): string {
  return `Field '${name}' is the wrong type; must be a string (up to 255 chars)`;
}

function number(name: string): string {
  return `Field '${name}' is the wrong type; must be a number (but not NaN)`;
}

function outOfRange(range: string, received: string): string {
  return `The value of "value" is out of range. It must be ${range}. Received ${received}`;
}

/** What a message cannot be published with, how it arrives, and what errors show of themselves. */
export const PUBLISHING: readonly Observation<AmqpClient>[] = [
  {
    name: "what a message cannot be published with",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createChannel();
      const content = Buffer.from("1");
      const failed = async (call: () => unknown): Promise<unknown> => {
        const { name, message } = (await outcomeOf(call)) as Error;
        // The engine's own words are not the same everywhere.
        return [name, message.replace(/ or null(: text|\.)$/, " or null")];
      };
      const five = 5 as unknown as string;
      const seen = [
        await failed(() => channel.sendToQueue(five, content)),
        await failed(() => channel.publish(five, "orders", content)),
      ];
      for (const [options] of UNWRITABLE) {
        seen.push(await failed(() => channel.sendToQueue("orders", content, options)));
      }
      await pass(SOON_MS);
      const { messageCount } = await channel.checkQueue("orders");
      await connection.close();
      return [...seen, messageCount];
    },
    real: [
      ["TypeError", text("routingKey")],
      ["TypeError", text("exchange")],
      ...UNWRITABLE.map(([, error, says]) => [error, says]),
      0,
    ],
  },
  {
    name: "headers arrive as they were when they were published, and without types of their own",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createChannel();
      const headers = {
        ...{ list: [1, { deep: undefined, kept: null }], long: { "!": "int64", value: 5 } },
        ...{ at: { "!": "timestamp", value: 7 }, date: new Date(0), bytes: new Uint8Array([9]) },
      };
      const options = { headers, expiration: 60_000, messageId: null, priority: 1.5, CC: 5 };
      channel.sendToQueue("orders", Buffer.from("1"), options);
      headers.list.push(2);
      await pass(SOON_MS);
      const message = await channel.get("orders", { noAck: true });
      await connection.close();
      return message === false ? message : [message.properties];
    },
    real: [
      {
        headers: {
          list: [1, { kept: null }],
          long: 5,
          at: { "!": "timestamp", value: 7 },
          date: {},
          bytes: { 0: 9 },
          CC: ["5"],
        },
        expiration: "60000",
        priority: 1,
      },
    ],
  },
  {
    name: "carbon copies that are no list, and an answer for which nobody waits, cost the channel",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const seen: unknown[] = [];
      const published: readonly { readonly exchange?: string; readonly [of: string]: unknown }[] = [
        { headers: { CC: "orders" } },
        { headers: { BCC: "orders" } },
        { headers: { CC: 5 } },
        { headers: { CC: true, BCC: {} } },
        { headers: { BCC: { "!": "double", value: 1.5 } } },
        { headers: { CC: null } },
        { replyTo: "amq.rabbitmq.reply-to" },
        { headers: { CC: [] }, replyTo: "amq.rabbitmq.reply-to.of-nobody" },
        { expiration: "soon", headers: { CC: 5 } },
        { expiration: "soon", replyTo: "amq.rabbitmq.reply-to" },
        { exchange: "missing", expiration: "soon", replyTo: "amq.rabbitmq.reply-to" },
      ];
      for (const { exchange = "", ...options } of published) {
        const channel = await connection.createConfirmChannel();
        const told: string[] = [];
        channel.on("error", ({ message }: Error) => told.push(message));
        channel.publish(exchange, "nowhere", Buffer.from("a"), options);
        await pass(SOON_MS);
        seen.push(told);
      }
      await connection.close();
      return seen;
    },
    real: [
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,"CC",longstr}"',
      ],
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,"BCC",longstr}"',
      ],
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,"CC",byte}"',
      ],
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,"CC",bool}"',
      ],
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,"BCC",double}"',
      ],
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,"CC",void}"',
      ],
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - fast reply consumer does not exist"',
      ],
      [],
      [
        "Channel closed by server: 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid expiration 'soon': no_integer\"",
      ],
      [
        'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - fast reply consumer does not exist"',
      ],
      [
        "Channel closed by server: 404 (NOT-FOUND) with message \"NOT_FOUND - no exchange 'missing' in vhost '/'\"",
      ],
    ],
  },
  {
    name: "what is no text in a list of carbon copies is no key, also of a dead letter",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createConfirmChannel();
      await channel.assertExchange("words", "topic");
      await channel.assertQueue("copied");
      await channel.bindQueue("copied", "words", "a.*");
      const headers = { CC: [5, "a.b", null, { a: "a.b" }] };
      channel.publish("words", "none", Buffer.from("1"), { headers });
      const dead = { deadLetterExchange: "words" };
      await channel.assertQueue("dies", dead);
      channel.sendToQueue("dies", Buffer.from("2"), { headers });
      await channel.waitForConfirms();
      const dying = await channel.get("dies");
      if (dying !== false) channel.nack(dying, false, false);
      await pass(SOON_MS);
      const seen: unknown[] = [];
      for (let at = 0; at < 3; at += 1) {
        const got = await channel.get("copied", { noAck: true });
        const deaths = got === false ? [] : (got.properties.headers["x-death"] ?? []);
        const keys = (deaths as readonly object[]).map((death) => ({ ...death, time: 0 }));
        seen.push(got === false ? got : [got.content.toString(), keys]);
      }
      await connection.close();
      return seen;
    },
    real: [
      ["1", []],
      [
        "2",
        [
          {
            count: 1,
            reason: "rejected",
            queue: "dies",
            time: 0,
            exchange: "",
            "routing-keys": ["dies", "a.b"],
          },
        ],
      ],
      false,
    ],
  },
  {
    name: "errors are of no class of their own, connections and channels of the library's",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createConfirmChannel();
      const told: unknown[] = [];
      const tell = (error: unknown): void => {
        const { constructor } = error as Error;
        const keys = Object.keys(error as Error).filter((key) => key !== "stack");
        told.push([constructor.name, keys.toSorted()]);
      };
      await channel.assertQueue("full", {
        maxLength: 1,
        arguments: { "x-overflow": "reject-publish" },
      });
      for (const content of ["1", "2"]) {
        channel.sendToQueue("full", Buffer.from(content), {}, (error) => {
          if (error !== null) tell(error);
        });
      }
      await channel.waitForConfirms().catch(tell);
      channel.on("error", tell);
      await channel.checkQueue("none").catch(tell);
      await pass(SOON_MS);
      await outcomeOf(() => channel.checkQueue("orders").catch(tell));
      await connection.close();
      await connection.createChannel().catch(tell);
      const other = await client.connect("amqp://localhost");
      const plain = await other.createChannel();
      await other.close();
      return [...told, ...[connection, channel, plain].map((one) => one.constructor.name)];
    },
    real: [
      ["Error", []],
      ["Error", []],
      ["Error", ["classId", "code", "methodId"]],
      ["Error", ["classId", "code", "methodId"]],
      ["IllegalOperationError", ["message", "stackAtStateChange"]],
      ["IllegalOperationError", ["message", "stackAtStateChange"]],
      ...["ChannelModel", "ConfirmChannel", "Channel"],
    ],
  },
];
