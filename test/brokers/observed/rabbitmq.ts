import type { AmqpChannel } from "../../../sim/brokers/rabbitmq/channel.ts";
import type { AmqpConnection } from "../../../sim/brokers/rabbitmq/connection.ts";
import type { AmqpMessage } from "../../../sim/brokers/rabbitmq/message.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { errorFacts, type Observation, type Observed, outcomeOf } from "./observation.ts";
import { FIELDS } from "./rabbitmq-fields.ts";
import { ORDER } from "./rabbitmq-order.ts";
import { PUBLISHING } from "./rabbitmq-publishing.ts";
import { QUEUES } from "./rabbitmq-queues.ts";
import { SLIPS } from "./rabbitmq-slips.ts";
import { CRASHED } from "./rabbitmq-crash.ts";
import { TELLING } from "./rabbitmq-telling.ts";
import { TOPOLOGY } from "./rabbitmq-topology.ts";

type Play = Observation<AmqpClient>["play"];
type Stage = Parameters<Play>[0];

interface Opened {
  readonly connection: AmqpConnection;
  readonly channel: AmqpChannel;
  /** The events of both, and what else was noted, in order. */
  readonly told: unknown[];
}

const CLOSE_ALL = "the node closes all connections";

async function opened({ client }: Stage): Promise<Opened> {
  const connection = await client.connect("amqp://localhost");
  const told: unknown[] = [];
  const note = (what: string) => (error?: Error) =>
    void told.push(error === undefined ? what : [what, errorFacts(error)]);
  connection.on("error", note("connection error"));
  connection.on("close", note("connection close"));
  const channel = await connection.createConfirmChannel();
  channel.on("error", note("channel error"));
  channel.on("close", note("channel close"));
  return { connection, channel, told };
}

/** Runs a script with a channel of its own, and closes the connection if it is still open. */
function withChannel(script: (parts: Opened, stage: Stage) => Promise<unknown>): Play {
  return async (stage) => {
    const parts = await opened(stage);
    const value = structuredClone(await script(parts, stage));
    await parts.connection.close().catch(() => undefined);
    return value;
  };
}

async function consumed(
  { channel }: Opened,
  stage: Stage,
  queue = "orders",
  ms = 300,
): Promise<AmqpMessage[]> {
  const messages: AmqpMessage[] = [];
  await channel.consume(queue, (message) => {
    if (message !== null) messages.push(message);
  });
  await stage.pass(ms);
  return messages;
}

const refs = (messages: readonly AmqpMessage[]): string[] =>
  messages.map(({ content, fields }) => {
    const ref = /ref-\d+/.exec(content.toString())?.[0] ?? "";
    return fields.redelivered ? `${ref} again` : ref;
  });

const closed = (reason: string, code: number, [classId, methodId]: readonly [number, number]) => ({
  name: "Error",
  message: `Channel closed by server: ${reason}`,
  code,
  classId,
  methodId,
});

const failed = (
  method: string,
  reason: string,
  code: number,
  [classId, methodId]: readonly [number, number],
) => ({
  name: "Error",
  message: `Operation failed: ${method}; ${reason}`,
  code,
  classId,
  methodId,
});

const illegal = (message: string) => ({ name: "IllegalOperationError", message });
const NO_REPLY = { name: "Error", message: "Channel ended, no reply will be forthcoming" };

/** A call that the server refuses at the cost of the channel, and what the channel reports. */
function refusal(
  name: string,
  method: string,
  ids: readonly [number, number],
  [code, reason]: readonly [number, string],
  script: (channel: AmqpChannel) => Promise<unknown>,
): Observation<AmqpClient> {
  return {
    name,
    play: withChannel(async ({ channel, told }, stage) => {
      const outcome = await outcomeOf(() => script(channel));
      await stage.pass(100);
      return { outcome, told };
    }),
    real: {
      outcome: failed(method, reason, code, ids),
      told: [["channel error", closed(reason, code, ids)], "channel close"],
    },
  };
}

const missing = (what: string): readonly [number, string] => [
  404,
  `404 (NOT-FOUND) with message "NOT_FOUND - no ${what} in vhost '/'"`,
];
const access = (why: string): readonly [number, string] => [
  403,
  `403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - ${why}"`,
];
const precondition = (why: string): readonly [number, string] => [
  406,
  `406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - ${why}"`,
];

const TURNS: Observation<AmqpClient> = {
  name: "two consumers of a channel take turns, as far as they have room",
  play: withChannel(async ({ channel }, stage) => {
    const told: string[] = [];
    await channel.prefetch(1);
    await channel.consume("orders", () => void told.push("first"), { consumerTag: "first" });
    await channel.prefetch(0);
    await channel.consume("orders", () => void told.push("second"), { consumerTag: "second" });
    await stage.publish(5);
    await stage.pass(300);
    return told;
  }),
  real: ["first", "second", "second", "second", "second"],
};

const RECREATED: Observation<AmqpClient> = {
  name: "a queue that is declared again takes no delivery of its predecessor back",
  play: withChannel(async (parts, stage) => {
    const { channel } = parts;
    await stage.publish(1);
    await consumed(parts, stage);
    await channel.deleteQueue("orders");
    await channel.assertQueue("orders");
    channel.nackAll(true);
    await stage.pass(300);
    return (await channel.checkQueue("orders")).messageCount;
  }),
  real: 0,
};

const REFUSALS: readonly Observation<AmqpClient>[] = [
  refusal("checkQueue() of none", "QueueDeclare", [50, 10], missing("queue 'none'"), (channel) =>
    channel.checkQueue("none"),
  ),
  refusal("consume() of none", "BasicConsume", [60, 20], missing("queue 'none'"), (channel) =>
    channel.consume("none", () => undefined),
  ),
  refusal("get() of none", "BasicGet", [60, 70], missing("queue 'none'"), (channel) =>
    channel.get("none"),
  ),
  refusal("purgeQueue() of none", "QueuePurge", [50, 30], missing("queue 'none'"), (channel) =>
    channel.purgeQueue("none"),
  ),
  refusal("bindQueue() to none", "QueueBind", [50, 20], missing("exchange 'none'"), (channel) =>
    channel.bindQueue("orders", "none", "key"),
  ),
  refusal(
    "checkExchange() of none",
    "ExchangeDeclare",
    [40, 10],
    missing("exchange 'none'"),
    (channel) => channel.checkExchange("none"),
  ),
  refusal(
    "bindExchange() of none",
    "ExchangeBind",
    [40, 30],
    missing("exchange 'none'"),
    (channel) => channel.bindExchange("none", "amq.topic", ""),
  ),
  refusal(
    "deleteExchange() of the server's own",
    "ExchangeDelete",
    [40, 20],
    access("deletion of system exchange 'amq.topic' in vhost '/' not allowed"),
    (channel) => channel.deleteExchange("amq.topic"),
  ),
  refusal(
    "assertQueue() with other arguments",
    "QueueDeclare",
    [50, 10],
    precondition(
      "inequivalent arg 'x-dead-letter-exchange' for queue 'declared' in vhost '/': received the value 'x' of type 'longstr' but current is none",
    ),
    async (channel) => {
      await channel.assertQueue("declared");
      return channel.assertQueue("declared", { deadLetterExchange: "x" });
    },
  ),
  refusal(
    "assertQueue() with another durability",
    "QueueDeclare",
    [50, 10],
    precondition(
      "inequivalent arg 'durable' for queue 'declared' in vhost '/': received 'false' but current is 'true'",
    ),
    async (channel) => {
      await channel.assertQueue("declared");
      return channel.assertQueue("declared", { durable: false });
    },
  ),
  refusal(
    "assertExchange() with another type",
    "ExchangeDeclare",
    [40, 10],
    precondition(
      "inequivalent arg 'type' for exchange 'typed' in vhost '/': received 'fanout' but current is 'topic'",
    ),
    async (channel) => {
      await channel.assertExchange("typed", "topic");
      return channel.assertExchange("typed", "fanout");
    },
  ),
  refusal(
    "assertQueue() of a reserved name",
    "QueueDeclare",
    [50, 10],
    access("queue name 'amq.mine' contains reserved prefix 'amq.*'"),
    (channel) => channel.assertQueue("amq.mine"),
  ),
  refusal(
    "consume() beside an exclusive consumer",
    "BasicConsume",
    [60, 20],
    access("queue 'orders' in vhost '/' in exclusive use"),
    async (channel) => {
      await channel.consume("orders", () => undefined, { exclusive: true });
      return channel.consume("orders", () => undefined);
    },
  ),
  refusal(
    "deleteQueue() of one that is not empty",
    "QueueDelete",
    [50, 40],
    precondition("queue 'kept' in vhost '/' not empty"),
    async (channel) => {
      await channel.assertQueue("kept");
      channel.sendToQueue("kept", Buffer.from("kept"));
      await channel.waitForConfirms();
      return channel.deleteQueue("kept", { ifEmpty: true });
    },
  ),
];

/** A settlement of a tag that is not out. */
function unknownTag(name: "ack" | "nack" | "reject", methodId: number): Observation<AmqpClient> {
  const [code, reason] = precondition("unknown delivery tag 7");
  return {
    name: `${name}() of an unknown tag`,
    play: withChannel(async ({ channel, told }, stage) => {
      channel[name]({ fields: { deliveryTag: 7 } });
      const waiting = [outcomeOf(() => channel.checkQueue("orders"))];
      waiting.push(outcomeOf(() => channel.checkQueue("orders")));
      const outcomes = await Promise.all(waiting);
      await stage.pass(100);
      return { outcomes, told };
    }),
    real: {
      outcomes: [closed(reason, code, [60, methodId]), NO_REPLY],
      told: [["channel error", closed(reason, code, [60, methodId])], "channel close"],
    },
  };
}

/** A call that costs the connection. */
function connectionRefusal(
  name: string,
  reason: string,
  code: number,
  script: (channel: AmqpChannel) => Promise<unknown>,
): Observation<AmqpClient> {
  const error = { name: "Error", message: `Connection closed: ${reason}`, code };
  return {
    name,
    play: withChannel(async ({ channel, told }, stage) => {
      const outcome = await outcomeOf(() => script(channel));
      await stage.pass(100);
      return { outcome, told };
    }),
    real: {
      outcome: NO_REPLY,
      told: [["connection error", error], "channel close", ["connection close", error]],
    },
  };
}

const CLOSING: readonly Observation<AmqpClient>[] = [
  {
    name: "connection.close() overtakes the acks of the same turn",
    async play(stage) {
      await stage.publish(3);
      const first = await opened(stage);
      const messages = await consumed(first, stage);
      for (const message of messages) first.channel.ack(message);
      await first.connection.close();
      await stage.pass(300);
      return refs(await consumed(await opened(stage), stage));
    },
    real: ["ref-000001 again", "ref-000002 again", "ref-000003 again"],
  },
  {
    name: "connection.close() a moment after the acks loses none",
    async play(stage) {
      await stage.publish(3);
      const first = await opened(stage);
      for (const message of await consumed(first, stage)) first.channel.ack(message);
      await stage.pass(100);
      await first.connection.close();
      await stage.pass(300);
      return refs(await consumed(await opened(stage), stage));
    },
    real: [],
  },
  {
    name: "channel.close() before connection.close() loses no acks",
    async play(stage) {
      await stage.publish(3);
      const first = await opened(stage);
      for (const message of await consumed(first, stage)) first.channel.ack(message);
      await first.channel.close();
      await first.connection.close();
      await stage.pass(300);
      return refs(await consumed(await opened(stage), stage));
    },
    real: [],
  },
  {
    name: "channel.close() and connection.close() together: the first never settles",
    async play(stage) {
      const { channel, connection, told } = await opened(stage);
      void channel.close().then(() => told.push("channel.close() resolved"));
      void connection.close().then(() => told.push("connection.close() resolved"));
      told.push(await outcomeOf(() => channel.ack({ fields: { deliveryTag: 1 } })));
      await stage.pass(500);
      return told;
    },
    real: [
      illegal("Channel closing"),
      "channel close",
      "connection close",
      "connection.close() resolved",
    ],
  },
  {
    name: "calls during and after connection.close()",
    async play(stage) {
      const { channel, connection } = await opened(stage);
      const calls = (): Promise<unknown> =>
        Promise.all([
          outcomeOf(() => channel.ack({ fields: { deliveryTag: 1 } })),
          outcomeOf(() => channel.checkQueue("orders")),
          outcomeOf(() => channel.close()),
          outcomeOf(() => connection.close()),
          outcomeOf(() => connection.createChannel()),
        ]);
      const ended = connection.close();
      const during = await calls();
      await ended;
      return { during, after: await calls() };
    },
    real: {
      during: Array.from({ length: 5 }, () => illegal("Connection closing")),
      after: [
        ...Array.from({ length: 3 }, () => illegal("Channel closed")),
        illegal("Connection closed (by client)"),
        illegal("Connection closed (by client)"),
      ],
    },
  },
  {
    name: "an operator's close is reported by close alone, with code 320",
    async play(stage) {
      const { told } = await opened(stage);
      await stage.operate(CLOSE_ALL);
      await stage.pass(1_000);
      return (told as [string, { code: number; message: string }][]).map((one) =>
        Array.isArray(one) ? [one[0], one[1].code, one[1].message.split(" with ")[0]] : one,
      );
    },
    real: [
      "channel close",
      ["connection close", 320, "Connection closed: 320 (CONNECTION-FORCED)"],
    ],
  },
  {
    name: "a consumer that throws costs the channel",
    async play(stage) {
      await stage.publish(1);
      const { channel, told } = await opened(stage);
      await channel.consume("orders", () => {
        throw new Error("mine");
      });
      await stage.pass(300);
      return told;
    },
    real: [["channel error", { name: "Error", message: "mine", code: 541 }], "channel close"],
  },
  {
    name: "a channel's error without a listener costs the connection",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const told: unknown[] = [];
      connection.on("error", (error: Error) => told.push(["connection error", error.message]));
      connection.on("close", (error?: Error) => told.push(["connection close", error?.message]));
      const channel = await connection.createChannel();
      channel.on("close", () => told.push("channel close"));
      channel.ack({ fields: { deliveryTag: 7 } });
      await pass(300);
      return told;
    },
    real: ["connection error", "channel close", "connection close"].map((what) =>
      what === "channel close"
        ? what
        : [what, `Channel closed by server: ${precondition("unknown delivery tag 7")[1]}`],
    ),
  },
];

const CONSUMING: readonly Observation<AmqpClient>[] = [
  {
    name: "a second consumer of a channel is woken, and has a prefetch of its own",
    play: withChannel(async (parts, stage) => {
      await stage.publish(4);
      await parts.channel.prefetch(2);
      const first = await consumed(parts, stage);
      const second = await consumed(parts, stage);
      return [refs(first), refs(second)];
    }),
    real: [
      ["ref-000001", "ref-000002"],
      ["ref-000003", "ref-000004"],
    ],
  },
  {
    name: "cancel() resolves with the tag, known or not",
    play: withChannel(async ({ channel }) => {
      await channel.consume("orders", () => undefined, { consumerTag: "mine" });
      return [await channel.cancel("mine"), await channel.cancel("other")];
    }),
    real: [{ consumerTag: "mine" }, { consumerTag: "other" }],
  },
  {
    name: "the server names what has no name",
    play: withChannel(async ({ channel }) => {
      const { queue } = await channel.assertQueue("", { exclusive: true });
      const { consumerTag } = await channel.consume(queue, () => undefined);
      return [queue.split("-")[0], consumerTag.split("-")[0]];
    }),
    real: ["amq.gen", "amq.ctag"],
  },
  {
    name: "an exclusive queue goes with its connection",
    async play(stage) {
      const first = await opened(stage);
      await first.channel.assertQueue("private", { exclusive: true });
      await first.connection.close();
      const { channel } = await opened(stage);
      return ((await outcomeOf(() => channel.checkQueue("private"))) as { code: number }).code;
    },
    real: 404,
  },
  {
    name: "get(), recover() and purgeQueue()",
    play: withChannel(async ({ channel }, stage) => {
      await stage.publish(2);
      const none = await channel.get("orders.dead");
      const got = await channel.get("orders");
      await channel.recover();
      const again = await channel.get("orders");
      const purged = await channel.purgeQueue("orders");
      return [none, got !== false && got.fields, again !== false && again.fields, purged];
    }),
    real: [
      false,
      { deliveryTag: 1, redelivered: false, exchange: "", routingKey: "orders", messageCount: 1 },
      { deliveryTag: 2, redelivered: true, exchange: "", routingKey: "orders", messageCount: 1 },
      { messageCount: 1 },
    ],
  },
  {
    name: "deleteQueue() cancels the consumers; of none it is no error",
    play: withChannel(async ({ channel, told }, stage) => {
      await channel.assertQueue("short");
      channel.on("cancel", ({ consumerTag }: { consumerTag: string }) =>
        told.push(["cancel", consumerTag]),
      );
      const note = (message: unknown): void => void told.push(message);
      await channel.consume("short", note, { consumerTag: "mine" });
      const deleted = await channel.deleteQueue("short");
      await stage.pass(100);
      return [deleted, await channel.deleteQueue("none"), told];
    }),
    real: [{ messageCount: 0 }, { messageCount: 0 }, [null, ["cancel", "mine"]]],
  },
];

const MESSAGES: readonly Observation<AmqpClient>[] = [
  {
    name: "content is a Buffer",
    play: withChannel(async (parts, stage) => {
      await stage.publish(1);
      const [message] = await consumed(parts, stage);
      const { content } = message as AmqpMessage;
      return [Buffer.isBuffer(content), content.toString("base64").slice(0, 8)];
    }),
    real: [true, "eyJyZWYi"],
  },
  {
    name: "publish() takes a Buffer alone",
    play: withChannel(({ channel }) =>
      outcomeOf(() => channel.publish("", "orders", new Uint8Array(2) as Buffer)),
    ),
    real: { name: "TypeError", message: "content is not a buffer" },
  },
  {
    name: "the properties of a message",
    play: withChannel(async (parts, stage) => {
      await parts.channel.assertQueue("other");
      const options = {
        persistent: true,
        contentType: "application/json",
        expiration: 60_000,
        headers: { attempt: 2 },
        unknown: 1,
      };
      parts.channel.sendToQueue("other", Buffer.from("x"), options);
      const [message] = await consumed(parts, stage, "other");
      parts.channel.ack(message as AmqpMessage);
      await stage.pass(100);
      const { properties } = message as AmqpMessage;
      return Object.entries(properties).map(([name, value]) => [name, value ?? "unset"]);
    }),
    real: [
      ["contentType", "application/json"],
      ["contentEncoding", "unset"],
      ["headers", { attempt: 2 }],
      ["deliveryMode", 2],
      ["priority", "unset"],
      ["correlationId", "unset"],
      ["replyTo", "unset"],
      ["expiration", "60000"],
      ["messageId", "unset"],
      ["timestamp", "unset"],
      ["type", "unset"],
      ["userId", "unset"],
      ["appId", "unset"],
      ["clusterId", "unset"],
    ],
  },
  {
    name: "x-death counts per queue and reason",
    play: withChannel(async ({ channel }, stage) => {
      await channel.assertExchange("dying", "fanout");
      await channel.assertQueue("died");
      await channel.bindQueue("died", "dying", "");
      await channel.assertQueue("dies", { deadLetterExchange: "dying" });
      channel.sendToQueue("dies", Buffer.from("x"), { headers: { mine: 1 } });
      const seen: unknown[] = [];
      for (let n = 0; n < 2; n += 1) {
        await stage.pass(100);
        const alive = await channel.get("dies");
        if (alive !== false) channel.nack(alive, false, false);
        await stage.pass(100);
        const dead = await channel.get("died");
        if (dead === false) return "no dead letter";
        channel.ack(dead);
        const { headers } = dead.properties;
        const deaths = headers["x-death"] as { time: object }[];
        seen.push([
          { ...headers, "x-death": deaths.map(({ time, ...death }) => [death, Object.keys(time)]) },
          dead.fields.exchange,
          dead.fields.routingKey,
        ]);
        channel.sendToQueue("dies", dead.content, { headers });
      }
      await stage.pass(100);
      await channel.deleteQueue("dies");
      return seen;
    }),
    real: [1, 2].map((count) => [
      {
        mine: 1,
        "x-death": [
          [
            { count, reason: "rejected", queue: "dies", exchange: "", "routing-keys": ["dies"] },
            ["!", "value"],
          ],
        ],
        "x-first-death-exchange": "",
        "x-first-death-queue": "dies",
        "x-first-death-reason": "rejected",
      },
      "dying",
      "dies",
    ]),
  },
  {
    name: "what goes nowhere is returned if it is mandatory, and confirmed",
    play: withChannel(async ({ channel, told }) => {
      channel.on("return", ({ fields }: { fields: object }) => told.push(fields));
      channel.publish("", "nowhere", Buffer.from("x"), { mandatory: true }, () =>
        told.push("confirmed"),
      );
      await channel.waitForConfirms();
      return told;
    }),
    real: [
      { replyCode: 312, replyText: "NO_ROUTE", exchange: "", routingKey: "nowhere" },
      "confirmed",
    ],
  },
  {
    name: "waitForConfirms() of a channel that closed with messages under way",
    play: withChannel(async ({ channel, told }) => {
      channel.publish("nowhere", "a", Buffer.from("x"), {}, (error) => told.push(error?.message));
      const first = await outcomeOf(() => channel.waitForConfirms());
      return [first, await outcomeOf(() => channel.waitForConfirms()), told.slice(1)];
    }),
    real: [
      { name: "Error", message: "channel closed" },
      { name: "Error", message: "channel closed" },
      ["channel closed", "channel close"],
    ],
  },
  {
    name: "what a topic exchange routes",
    play: withChannel(async ({ channel }) => {
      await channel.assertExchange("topics", "topic");
      await channel.assertQueue("eu");
      await channel.bindQueue("eu", "topics", "orders.*.eu");
      await channel.bindQueue("eu", "topics", "all.#");
      for (const key of ["orders.1.eu", "orders.eu", "orders.1.us", "all", "all.1.2"]) {
        channel.publish("topics", key, Buffer.from(key));
      }
      await channel.waitForConfirms();
      const keys: string[] = [];
      for (let got = await channel.get("eu"); got !== false; got = await channel.get("eu")) {
        keys.push(got.fields.routingKey);
        channel.ack(got);
      }
      return keys;
    }),
    real: ["orders.1.eu", "all", "all.1.2"],
  },
];

/** What amqplib showed on a RabbitMQ node. */
/** Clients decide by these what they ask for. */
const CAPABILITIES: Observation<AmqpClient> = {
  name: "what a node says that it is and can do",
  async play({ client }) {
    const connection = await client.connect("amqp://localhost");
    // The name of its cluster is a host's.
    const { capabilities, cluster_name, ...texts } = connection.connection.serverProperties;
    await connection.close();
    const known = Object.entries(capabilities as Readonly<Record<string, boolean>>);
    const sorted = known.toSorted(([one], [two]) => (one < two ? -1 : 1));
    return [texts, typeof cluster_name, sorted];
  },
  real: [
    {
      ...{ product: "RabbitMQ", version: "3.10.8", platform: "Erlang/OTP 25.2.3" },
      copyright: "Copyright (c) 2007-2022 VMware, Inc. or its affiliates.",
      information: "Licensed under the MPL 2.0. Website: https://rabbitmq.com",
    },
    "string",
    [
      ["authentication_failure_close", true],
      ["basic.nack", true],
      ["connection.blocked", true],
      ["consumer_cancel_notify", true],
      ["consumer_priorities", true],
      ["direct_reply_to", true],
      ["exchange_exchange_bindings", true],
      ["per_consumer_qos", true],
      ["publisher_confirms", true],
    ],
  ],
};

export const RABBITMQ: Observed<AmqpClient> = {
  server: "RabbitMQ 3.10.8 with amqplib 2.3.1",
  observations: [
    ...CLOSING,
    ...CONSUMING,
    ...MESSAGES,
    ...REFUSALS,
    ...QUEUES,
    TOPOLOGY,
    ...FIELDS,
    ...ORDER,
    ...PUBLISHING,
    ...TELLING,
    ...SLIPS,
    ...CRASHED,
    TURNS,
    CAPABILITIES,
    RECREATED,
    unknownTag("ack", 80),
    unknownTag("nack", 120),
    unknownTag("reject", 90),
    connectionRefusal(
      "consume() with a tag that is taken",
      `530 (NOT-ALLOWED) with message "NOT_ALLOWED - attempt to reuse consumer tag 'mine'"`,
      530,
      async (channel) => {
        await channel.consume("orders", () => undefined, { consumerTag: "mine" });
        return channel.consume("orders", () => undefined, { consumerTag: "mine" });
      },
    ),
    connectionRefusal(
      "assertExchange() with an unknown type",
      `503 (COMMAND-INVALID) with message "COMMAND_INVALID - unknown exchange type 'nonsense'"`,
      503,
      (channel) => channel.assertExchange("mine", "nonsense"),
    ),
  ],
};
