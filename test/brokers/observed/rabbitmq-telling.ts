import type { AmqpChannel } from "../../../sim/brokers/rabbitmq/channel.ts";
import type { AmqpConnection } from "../../../sim/brokers/rabbitmq/connection.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { type Observation, outcomeOf } from "./observation.ts";

const SOON_MS = 300;
const EXPIRY_MS = 200;

type Play = Observation<AmqpClient>["play"];

interface Opened {
  readonly connection: AmqpConnection;
  readonly channel: AmqpChannel;
  /** What the connection and the channel have told, in order. */
  readonly told: unknown[];
}

function note(told: unknown[], what: string): (said?: unknown) => void {
  return (said) => {
    const words = said instanceof Error ? said.message : said;
    told.push(words === undefined ? what : [what, words]);
  };
}

async function opened(
  client: AmqpClient,
  events: readonly string[] = ["error", "close", "ack", "nack"],
): Promise<Opened> {
  const connection = await client.connect("amqp://localhost");
  const told: unknown[] = [];
  connection.on("error", note(told, "connection error"));
  connection.on("close", note(told, "connection close"));
  const channel = await connection.createConfirmChannel();
  for (const event of events) channel.on(event, note(told, `channel ${event}`));
  return { connection, channel, told };
}

/** Each provokes one callback or listener that throws. */
const THROWING: Readonly<Record<string, (channel: AmqpChannel, fail: () => never) => unknown>> = {
  delivery: (channel, fail) => channel.consume("orders", fail),
  cancel: async (channel, fail) => {
    await channel.assertQueue("brief");
    await channel.consume("brief", fail);
    // The cancellation comes ahead of the reply, which then may not come.
    await channel.deleteQueue("brief").catch(() => undefined);
  },
  ack: (channel, fail) => channel.sendToQueue("orders.dead", Buffer.from("1"), {}, fail),
  return: (channel, fail) => {
    channel.on("return", fail);
    channel.sendToQueue("nowhere", Buffer.from("1"), { mandatory: true });
  },
  close: (channel, fail) => {
    channel.on("close", fail);
    return channel.close();
  },
};

function throwingAt(event: string, isHeard: boolean): Play {
  return async ({ client, publish, pass }) => {
    if (event === "delivery") await publish(1);
    const { connection, channel, told } = await opened(client, ["error", "close"]);
    if (isHeard) channel.on("handler-error", note(told, "heard"));
    const fail = (): never => {
      throw new TypeError("thrown");
    };
    await THROWING[event]?.(channel, fail);
    await pass(SOON_MS);
    const seen = structuredClone(told);
    await connection.close().catch(() => undefined);
    return seen;
  };
}

const CHANNEL_LOST = [["channel error", "thrown"], "channel close"];
const CONNECTION_LOST = [
  ["connection error", "thrown"],
  "channel close",
  ["connection close", "thrown"],
];
const CLOSED_BEFORE = [
  "channel close",
  ["connection error", "thrown"],
  ["connection close", "thrown"],
];

/** What comes of a callback or listener that throws. */
const THROWN: readonly Observation<AmqpClient>[] = [
  ...Object.entries({
    delivery: CHANNEL_LOST,
    return: CHANNEL_LOST,
    cancel: CONNECTION_LOST,
    ack: CONNECTION_LOST,
    close: CLOSED_BEFORE,
  }).map(([event, real]) => ({
    name: `what throws at ${event}`,
    play: throwingAt(event, false),
    real,
  })),
  ...["delivery", "return", "cancel", "ack"].map((event) => ({
    name: `what throws at ${event}, with somebody who listens for it`,
    play: throwingAt(event, true),
    real: [["heard", "thrown"]],
  })),
];

/** What channels and connections tell, and in which order. */
export const TELLING: readonly Observation<AmqpClient>[] = [
  ...THROWN,
  {
    name: "events of confirms come behind their callbacks",
    async play({ client }) {
      const { connection, channel, told } = await opened(client);
      await channel.assertQueue("one", {
        arguments: { "x-max-length": 1, "x-overflow": "reject-publish" },
      });
      for (const text of ["1", "2"]) {
        channel.sendToQueue("one", Buffer.from(text), {}, note(told, `callback ${text}`));
        await outcomeOf(() => channel.waitForConfirms());
      }
      const seen = structuredClone(told);
      await connection.close();
      return seen;
    },
    real: [
      ["callback 1", null],
      ["channel ack", { deliveryTag: 1, multiple: false }],
      ["callback 2", "message nacked"],
      ["channel nack", { deliveryTag: 2, multiple: true, requeue: true }],
    ],
  },
  ...["channel", "connection"].map((which) => ({
    name: `a ${which} that is closed with confirms and methods open`,
    play: (async ({ client, pass }) => {
      const { connection, channel, told } = await opened(client);
      channel.sendToQueue("orders", Buffer.from("1"), {}, note(told, "callback"));
      void outcomeOf(() => channel.checkQueue("orders")).then(note(told, "checked"));
      void outcomeOf(() => channel.waitForConfirms()).then(note(told, "waited"));
      await (which === "channel" ? channel : connection).close();
      await pass(SOON_MS);
      const seen = structuredClone(told);
      if (which === "channel") await connection.close();
      return seen;
    }) satisfies Play,
    real: [
      ["callback", "channel closed"],
      "channel close",
      ...(which === "connection" ? ["connection close"] : []),
      ["checked", { name: "Error", message: "Channel ended, no reply will be forthcoming" }],
      ["waited", { name: "Error", message: "channel closed" }],
    ],
  })),
  {
    name: "a limit of the whole channel that is raised and lowered under way",
    async play({ client, publish, pass }) {
      await publish(6);
      const { connection, channel } = await opened(client);
      const tags: number[] = [];
      const seen: number[] = [];
      await channel.prefetch(2, true);
      await channel.consume("orders", (message) => {
        if (message !== null) tags.push(message.fields.deliveryTag);
      });
      for (const limit of [4, 1]) {
        await pass(SOON_MS);
        seen.push(tags.length);
        await channel.prefetch(limit, true);
      }
      channel.ack({ fields: { deliveryTag: 1 } });
      await pass(SOON_MS);
      seen.push(tags.length);
      channel.ackAll();
      await pass(SOON_MS);
      await connection.close();
      return [...seen, tags.length];
    },
    real: [2, 4, 4, 5],
  },
  {
    name: "what expires behind a message goes when that is taken",
    async play({ client, pass }) {
      const { connection, channel } = await opened(client);
      await channel.assertQueue("mixed", {
        deadLetterExchange: "",
        deadLetterRoutingKey: "orders.dead",
      });
      channel.sendToQueue("mixed", Buffer.from("stays"));
      channel.sendToQueue("mixed", Buffer.from("goes"), { expiration: EXPIRY_MS });
      await channel.waitForConfirms();
      await pass(2 * EXPIRY_MS);
      const before = await channel.checkQueue("mixed");
      await channel.get("mixed");
      const after = await channel.checkQueue("mixed");
      const dead = await channel.get("orders.dead", { noAck: true });
      await connection.close();
      return [before.messageCount, after.messageCount, dead && dead.content.toString()];
    },
    real: [2, 0, "goes"],
  },
];
