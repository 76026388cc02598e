import type { AmqpChannel } from "../../../sim/brokers/rabbitmq/channel.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Play = Observation<AmqpClient>["play"];
type Call = (channel: AmqpChannel) => unknown;

const SOON_MS = 30;
const CONTENT = Buffer.from("x");
/** What only a caller without types can give. */
const NONE = undefined as never;
const FIVE = 5 as never;

/** What comes of calls, each on a connection of its own, and why the server closed the channel. */
function called(...calls: readonly Call[]): Play {
  return async ({ client, pass }) => {
    const told: unknown[] = [];
    for (const call of calls) {
      const connection = await client.connect("amqp://localhost");
      connection.on("error", () => undefined);
      const channel = await connection.createConfirmChannel();
      const reasons: unknown[] = [];
      channel.on("error", ({ message }: Error) => void reasons.push(worded(message)));
      const outcome = await outcomeOf(() => call(channel));
      await pass(SOON_MS);
      const { message } = (outcome ?? {}) as { readonly message?: string };
      told.push([message === undefined ? outcome : worded(message), ...reasons]);
      await connection.close().catch(() => undefined);
    }
    return structuredClone(told);
  };
}

/** A text without what the server makes up, and without what all of its kind have. */
function worded(message: string): string {
  return message
    .replace(/'amq\.gen-.*?'/, "a made name")
    .replace(
      /^(?:Operation failed: (\w+)|Channel closed by server); \d+ .*? with message "/,
      "$1: ",
    )
    .replace(/^Channel closed by server: \d+ .*? with message "/, "closed: ")
    .replace(/"$/, "");
}

/** What is refused: as the method's own error, and as the channel's. */
function refused(method: string, reason: string): readonly string[] {
  return [`${method}: ${reason}`, `closed: ${reason}`];
}

const NO_LAST = "NOT_FOUND - no previously declared queue";
const NO_NUMBER = "Field 'deliveryTag' is the wrong type; must be a number (but not NaN)";
const NO_TABLE = "Field 'arguments' is the wrong type; must be an object";
const NEGATIVE =
  'The value of "value" is out of range. It must be >= 0n and < 2n ** 64n. Received -1n';
const UNKNOWN = "closed: PRECONDITION_FAILED - unknown delivery tag 0";

function missing(field: string): readonly [string] {
  return [`Missing value for mandatory field '${field}'`];
}

function tagged(tag: unknown): { readonly fields: { readonly deliveryTag: number } } {
  return { fields: { deliveryTag: tag as number } };
}

/** Declares a queue, and counts what reaches it by the keys. */
async function reached(
  channel: AmqpChannel,
  bind: () => Promise<unknown>,
  keys: readonly string[],
): Promise<number> {
  await channel.assertQueue("mine");
  await bind();
  for (const key of keys) channel.publish("amq.direct", key, CONTENT);
  await channel.waitForConfirms();
  const { messageCount } = await channel.purgeQueue("mine");
  await channel.deleteQueue("mine");
  return messageCount;
}

const LAST: Observation<AmqpClient> = {
  name: "a method that names no queue means the one that was declared last",
  play: called(
    (channel) => channel.get(),
    (channel) => channel.consume("", () => undefined),
    (channel) => channel.purgeQueue(""),
    (channel) => channel.deleteQueue(),
    (channel) => channel.bindQueue("", "amq.direct", ""),
    (channel) => channel.unbindQueue("", "amq.direct", ""),
    (channel) => channel.checkQueue(NONE),
    async (channel) => {
      await channel.assertQueue("mine");
      await channel.checkQueue("orders");
      await channel.checkQueue("mine");
      await channel.consume(undefined, () => undefined);
      const { consumerCount } = await channel.checkQueue("mine");
      return [consumerCount, await channel.get(""), await channel.purgeQueue()];
    },
    async (channel) => {
      await channel.checkQueue("mine");
      await channel.deleteQueue("");
      return channel.get("");
    },
    (channel) =>
      reached(channel, () => channel.bindQueue("", "amq.direct", ""), ["mine", "mine", ""]),
    (channel) => reached(channel, () => channel.bindQueue(NONE, "amq.direct", "k"), ["mine", "k"]),
    (channel) => reached(channel, () => channel.bindQueue("mine", "amq.direct"), ["", "", "mine"]),
    (channel) =>
      reached(channel, async () => {
        await channel.bindQueue("mine", "amq.direct", "mine");
        await channel.unbindQueue("", "amq.direct");
      }, ["mine"]),
  ),
  real: [
    refused("BasicGet", NO_LAST),
    refused("BasicConsume", NO_LAST),
    refused("QueuePurge", NO_LAST),
    refused("QueueDelete", NO_LAST),
    refused("QueueBind", NO_LAST),
    refused("QueueUnbind", NO_LAST),
    refused("QueueDeclare", "NOT_FOUND - no queue '' in vhost '/'"),
    [[1, false, { messageCount: 0 }]],
    refused("BasicGet", "NOT_FOUND - no queue 'mine' in vhost '/'"),
    ...[[2], [1], [2], [0]],
  ],
};

const MISSING: Observation<AmqpClient> = {
  name: "what a method cannot be written without",
  play: called(
    (channel) => channel.cancel(NONE),
    (channel) => channel.checkExchange(NONE),
    (channel) => channel.deleteExchange(NONE),
    (channel) => channel.assertExchange(NONE),
    (channel) => channel.bindExchange("mine", NONE),
    (channel) => channel.unbindExchange(NONE, "mine"),
    (channel) => channel.bindQueue("orders", NONE),
    (channel) => channel.unbindQueue("orders", NONE),
    (channel) => channel.bindQueue("orders", "amq.fanout", "", FIVE),
    (channel) => channel.unbindExchange("orders.dead", "amq.fanout", "", FIVE),
    (channel) => channel.bindQueue("orders", "amq.headers", "", null).then(() => "bound"),
    async (channel) => {
      channel.publish(undefined, "mine", CONTENT);
      channel.publish("", undefined, CONTENT);
      await channel.waitForConfirms();
    },
  ),
  real: [
    missing("consumerTag"),
    missing("exchange"),
    missing("exchange"),
    missing("exchange"),
    missing("source"),
    missing("destination"),
    missing("exchange"),
    missing("exchange"),
    [NO_TABLE],
    [NO_TABLE],
    ["bound"],
    ["nothing"],
  ],
};

const TAGS: Observation<AmqpClient> = {
  name: "delivery tags that are none",
  play: called(
    (channel) => channel.ack(tagged("1")),
    (channel) => channel.nack(tagged(Number.NaN)),
    (channel) => channel.reject(tagged(null)),
    async (channel) => {
      // The engine's own words are not the same everywhere.
      const { name } = (await outcomeOf(() => channel.ack(tagged(1.5)))) as Error;
      return name;
    },
    (channel) => channel.nack(tagged(-1)),
    (channel) => channel.reject(tagged(undefined)),
    (channel) => channel.ack(tagged(undefined)),
    (channel) => channel.nack(tagged(undefined)),
    (channel) => channel.reject(tagged(0)),
  ),
  real: [
    [NO_NUMBER],
    [NO_NUMBER],
    [NO_NUMBER],
    ["RangeError"],
    [NEGATIVE],
    missing("deliveryTag"),
    ["nothing", UNKNOWN],
    ["nothing", UNKNOWN],
    ["nothing", UNKNOWN],
  ],
};

const NULLS: Observation<AmqpClient> = {
  name: "options of null are none, and so is a prefetch",
  play: called(
    async (channel) => (await channel.assertQueue("mine", null)).queue,
    async (channel) => typeof (await channel.consume("mine", () => undefined, null)).consumerTag,
    (channel) => channel.get("mine", null),
    (channel) => channel.deleteQueue("mine", null),
    (channel) => channel.assertExchange("ours", "direct", null),
    (channel) => channel.deleteExchange("ours", null),
    (channel) => channel.sendToQueue("nobody", CONTENT, null),
    (channel) => channel.prefetch(null),
    (channel) => channel.prefetch(Number.NaN),
    (channel) => channel.prefetch("" as never),
  ),
  real: [
    ...[["mine"], ["string"], [false], [{ messageCount: 0 }], [{ exchange: "ours" }], [{}], [true]],
    ...[[{}], [{}], [{}]],
  ],
};

const invalid = (name: string, why: string): readonly string[] =>
  refused(
    "QueueDeclare",
    `PRECONDITION_FAILED - invalid arg '${name}' for queue 'mine' in vhost '/': ${why}`,
  );

const alternate = (type: string): readonly string[] =>
  refused(
    "ExchangeDeclare",
    `PRECONDITION_FAILED - invalid type '${type}' for arg 'alternate-exchange' in exchange 'ours' in vhost '/'`,
  );

const matched = (given: string): readonly string[] =>
  refused("QueueBind", `PRECONDITION_FAILED - Invalid x-match field ${given}; expected longstr`);

const declaredWith =
  (name: string, value: unknown): Call =>
  (channel) =>
    channel.assertQueue("mine", { arguments: { [name]: value } });

const boundWith =
  (match: unknown): Call =>
  (channel) =>
    channel.bindQueue("orders", "amq.headers", "", { "x-match": match });

const acceptedWith =
  (name: string, value: unknown): Call =>
  async (channel) => {
    await channel.assertQueue("mine", { arguments: { [name]: value } });
    return channel.deleteQueue("mine");
  };

const ARGUMENTS: Observation<AmqpClient> = {
  name: "arguments of a type that they do not have",
  play: called(
    declaredWith("x-queue-type", 5),
    declaredWith("x-queue-type", null),
    declaredWith("x-queue-mode", true),
    (channel) => channel.assertQueue("mine", { queueMode: "odd" }),
    declaredWith("x-overflow", 5),
    (channel) => channel.assertExchange("ours", "fanout", { alternateExchange: FIVE }),
    (channel) => channel.assertExchange("ours", "fanout", { alternateExchange: null as never }),
    (channel) =>
      channel.assertExchange("ours", "fanout", { arguments: { "alternate-exchange": {} } }),
    boundWith(1),
    boundWith(true),
    boundWith(null),
    ...[undefined, "default", "lazy"].map((value) => acceptedWith("x-queue-mode", value)),
    ...[undefined, "min-masters", "client-local", "random"].map((value) =>
      acceptedWith("x-queue-master-locator", value),
    ),
  ),
  real: [
    invalid("x-queue-type", "{unacceptable_type,byte}"),
    invalid("x-queue-type", "{unacceptable_type,void}"),
    invalid("x-queue-mode", "{unacceptable_type,bool}"),
    invalid("x-queue-mode", "\"unsupported queue mode 'odd'\""),
    invalid("x-overflow", "{unacceptable_type,byte}"),
    alternate("byte"),
    alternate("void"),
    alternate("table"),
    matched("type byte (value 1)"),
    matched("type bool (value true)"),
    matched("type void (value undefined)"),
    ...Array.from({ length: 7 }, () => [{ messageCount: 0 }]),
  ],
};

const mode = (value: number): string =>
  `closed: PRECONDITION_FAILED - invalid message: {delivery_mode_unknown,${value}}`;

const sentWith =
  (deliveryMode: number): Call =>
  (channel) => {
    channel.sendToQueue("nobody", CONTENT, { deliveryMode });
    return channel.waitForConfirms();
  };

const NAMES: Observation<AmqpClient> = {
  name: "names that are the server's, a type that is not given, and modes that are none",
  play: called(
    async (channel) => {
      const { queue } = await channel.assertQueue("", { exclusive: true });
      return channel.assertQueue(queue, { exclusive: true });
    },
    async (channel) => {
      const { queue } = await channel.assertQueue("", { exclusive: true });
      return (await channel.checkQueue(queue)).consumerCount;
    },
    async (channel) => {
      await channel.assertExchange("ours");
      return channel.assertExchange("ours", "direct");
    },
    (channel) => channel.deleteExchange("ours"),
    async (channel) => {
      const { queue } = await channel.assertQueue("or\r\nders");
      return queue;
    },
    sentWith(0),
    sentWith(3),
    sentWith(1),
  ),
  real: [
    refused(
      "QueueDeclare",
      "ACCESS_REFUSED - queue name a made name contains reserved prefix 'amq.*'",
    ),
    ...[[0], [{ exchange: "ours" }], [{}], ["orders"]],
    ["channel closed", mode(0)],
    ["channel closed", mode(3)],
    [[undefined]],
  ],
};

/** What authors without types, or with a name too few, are told. */
export const SLIPS: readonly Observation<AmqpClient>[] = [
  ...[LAST, MISSING, TAGS, NULLS, ARGUMENTS, NAMES],
];
