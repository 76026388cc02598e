import type { AmqpChannel } from "../../../sim/brokers/rabbitmq/channel.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { type Observation, outcomeOf } from "./observation.ts";

const SOON_MS = 300;
const FIVE = 5 as unknown as string;

type Call = (channel: Omit<AmqpChannel, "waitForConfirms">) => Promise<unknown>;

const CALLS: Readonly<Record<string, Call>> = {
  assertQueue: (channel) => channel.assertQueue(FIVE),
  checkQueue: (channel) => channel.checkQueue(FIVE),
  long: (channel) => channel.checkQueue("é".repeat(128)),
  bindQueue: (channel) => channel.bindQueue("orders", FIVE, ""),
  checkExchange: (channel) => channel.checkExchange(FIVE),
  get: (channel) => channel.get(FIVE),
  cancel: (channel) => channel.cancel(FIVE),
  prefetch: (channel) => channel.prefetch("x" as unknown as number),
};

const FIELD_OF: Readonly<Record<string, string>> = {
  ...{ assertQueue: "queue", checkQueue: "queue", long: "queue", get: "queue" },
  ...{ bindQueue: "exchange", checkExchange: "exchange", cancel: "consumerTag" },
  prefetch: "prefetchCount",
};
const NO_TEXT = "must be a string (up to 255 chars)";

const OTHER_TYPES: readonly Observation<AmqpClient>[] = Object.entries(CALLS).map(
  ([name, call]) => ({
    name: `a field of another type: ${name}`,
    play: async ({ client, pass }) => {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createChannel();
      const refusal = await outcomeOf(() => call(channel));
      let later: unknown = "waits";
      void outcomeOf(() => channel.checkQueue("orders")).then((outcome) => (later = outcome));
      await pass(SOON_MS);
      const before = later;
      await connection.close();
      await pass(SOON_MS);
      return [refusal, before, later];
    },
    real: [
      {
        name: "TypeError",
        message: `Field '${FIELD_OF[name] ?? ""}' is the wrong type; ${
          name === "prefetch" ? "must be a number (but not NaN)" : NO_TEXT
        }`,
      },
      "waits",
      { name: "Error", message: "Channel ended, no reply will be forthcoming" },
    ],
  }),
);

/** What calls of a channel cannot write, and what becomes of the channel. */
export const FIELDS: readonly Observation<AmqpClient>[] = [
  ...OTHER_TYPES,
  {
    name: "numbers that have no room",
    play: async ({ client }) => {
      const connection = await client.connect("amqp://localhost");
      const told: unknown[] = [];
      for (const count of [-1, 65_536]) {
        const channel = await connection.createChannel();
        told.push(await outcomeOf(() => channel.prefetch(count)));
      }
      const channel = await connection.createChannel();
      const publish = (options: object): Promise<unknown> =>
        outcomeOf(() => channel.sendToQueue("orders", Buffer.from("x"), options));
      for (const options of [{ priority: 256 }, { priority: -1 }, { timestamp: -1 }]) {
        told.push(await publish(options));
      }
      await connection.close();
      return told;
    },
    real: [
      noRoom(">= 0 and <= 65535", "-1"),
      noRoom(">= 0 and <= 65535", "65536"),
      noRoom(">= 0 and <= 255", "256"),
      noRoom(">= 0 and <= 255", "-1"),
      noRoom(">= 0n and < 2n ** 64n", "-1n"),
    ],
  },
];

function noRoom(range: string, received: string): object {
  const message = `The value of "value" is out of range. It must be ${range}. Received ${received}`;
  return { name: "RangeError", message, code: "ERR_OUT_OF_RANGE" };
}
