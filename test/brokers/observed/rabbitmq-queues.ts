import type { AmqpChannel } from "../../../sim/brokers/rabbitmq/channel.ts";
import type { QueueOptions } from "../../../sim/brokers/rabbitmq/declaration.ts";
import type { AmqpGetMessage, AmqpMessage } from "../../../sim/brokers/rabbitmq/message.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Play = Observation<AmqpClient>["play"];
type Stage = Parameters<Play>[0];

/** The headers of a message, of a dead letter perhaps. */
interface DeadHeaders {
  readonly CC?: readonly string[];
  readonly "x-death"?: readonly { readonly "routing-keys": readonly string[] }[];
}

const SOON_MS = 150;
const QUORUM = { "x-queue-type": "quorum" };
/** Where a test's dead letters go. */
const PARKED = { deadLetterExchange: "", deadLetterRoutingKey: "parked" };

/** Runs a script with a channel of its own, and a queue for dead letters. */
function withChannel(script: (channel: AmqpChannel, stage: Stage) => Promise<unknown>): Play {
  return async (stage) => {
    const connection = await stage.client.connect("amqp://localhost");
    connection.on("error", () => undefined);
    const channel = await connection.createConfirmChannel();
    channel.on("error", () => undefined);
    await channel.assertQueue("parked");
    const value = structuredClone(await script(channel, stage));
    await connection.close().catch(() => undefined);
    return value;
  };
}

async function sent(channel: AmqpChannel, queue: string, texts: string): Promise<void> {
  for (const text of texts) channel.sendToQueue(queue, Buffer.from(text));
  await channel.waitForConfirms();
}

function words({ content, fields }: AmqpMessage | AmqpGetMessage): string {
  return `${content.toString()}${fields.redelivered ? " again" : ""}`;
}

async function drained(channel: AmqpChannel, queue: string): Promise<AmqpGetMessage[]> {
  const messages: AmqpGetMessage[] = [];
  for (let got = await channel.get(queue); got !== false; got = await channel.get(queue)) {
    messages.push(got);
    channel.ack(got);
  }
  return messages;
}

/** The text of dead letters with their headers, but for the time. */
async function parked(channel: AmqpChannel): Promise<unknown[]> {
  return (await drained(channel, "parked")).map(({ content, properties }) => {
    const { "x-death": deaths = [], ...headers } = properties.headers as Record<string, unknown[]>;
    const told = (deaths as Record<string, unknown>[]).map(({ time: _time, ...death }) => death);
    return [content.toString(), { ...headers, "x-death": told }, properties["expiration"] ?? null];
  });
}

/** What comes of a declaration that is not right, or not that of before. */
function declared(...all: readonly QueueOptions[]): Play {
  return async (stage) => {
    const outcomes: unknown[] = [];
    for (const options of all) {
      const play = withChannel((channel) => outcomeOf(() => channel.assertQueue("mine", options)));
      const outcome = (await play(stage)) as { readonly message?: string };
      outcomes.push(outcome.message ?? outcome);
    }
    return outcomes;
  };
}

/** A name that is none has the server name the queue. */
const UNNAMED: Observation<AmqpClient> = {
  name: "queues whose name is none",
  play: withChannel(async (channel) => {
    const seen: unknown[] = [];
    for (const name of [null, 0, false, Number.NaN, undefined, ""]) {
      const { queue } = await channel.assertQueue(name as null, { exclusive: true });
      seen.push(queue.startsWith("amq.gen-"));
    }
    return seen;
  }),
  real: Array.from({ length: 6 }, () => true),
};

const LEAVING: readonly Observation<AmqpClient>[] = [
  {
    name: "a queue's time to live makes dead letters",
    play: withChannel(async (channel, stage) => {
      await channel.assertQueue("waiting", { messageTtl: 200, ...PARKED });
      await sent(channel, "waiting", "ab");
      const { messageCount } = await channel.checkQueue("waiting");
      await stage.pass(200 + SOON_MS);
      return [messageCount, await parked(channel)];
    }),
    real: [
      2,
      [
        [
          "a",
          {
            "x-first-death-exchange": "",
            "x-first-death-queue": "waiting",
            "x-first-death-reason": "expired",
            "x-death": [
              {
                count: 1,
                reason: "expired",
                queue: "waiting",
                exchange: "",
                "routing-keys": ["waiting"],
              },
            ],
          },
          null,
        ],
        [
          "b",
          {
            "x-first-death-exchange": "",
            "x-first-death-queue": "waiting",
            "x-first-death-reason": "expired",
            "x-death": [
              {
                count: 1,
                reason: "expired",
                queue: "waiting",
                exchange: "",
                "routing-keys": ["waiting"],
              },
            ],
          },
          null,
        ],
      ],
    ],
  },
  {
    name: "a message's time to live counts once it is the first of its queue",
    play: withChannel(async (channel, stage) => {
      await channel.assertQueue("waiting", PARKED);
      channel.sendToQueue("waiting", Buffer.from("long"), { expiration: "500" });
      channel.sendToQueue("waiting", Buffer.from("short"), { expiration: 100 });
      await stage.pass(300);
      const { messageCount } = await channel.checkQueue("waiting");
      await stage.pass(200 + SOON_MS);
      return [messageCount, await parked(channel)];
    }),
    real: [
      2,
      [
        [
          "long",
          {
            "x-first-death-exchange": "",
            "x-first-death-queue": "waiting",
            "x-first-death-reason": "expired",
            "x-death": [
              {
                count: 1,
                reason: "expired",
                queue: "waiting",
                exchange: "",
                "routing-keys": ["waiting"],
                "original-expiration": "500",
              },
            ],
          },
          null,
        ],
        [
          "short",
          {
            "x-first-death-exchange": "",
            "x-first-death-queue": "waiting",
            "x-first-death-reason": "expired",
            "x-death": [
              {
                count: 1,
                reason: "expired",
                queue: "waiting",
                exchange: "",
                "routing-keys": ["waiting"],
                "original-expiration": "100",
              },
            ],
          },
          null,
        ],
      ],
    ],
  },
  {
    name: "a retry goes round by a queue where it expires",
    play: withChannel(async (channel, stage) => {
      await channel.assertQueue("later", {
        messageTtl: 100,
        deadLetterExchange: "",
        deadLetterRoutingKey: "work",
      });
      await channel.assertQueue("work", {
        deadLetterExchange: "",
        deadLetterRoutingKey: "later",
      });
      const seen: unknown[] = [];
      await channel.consume("work", (message) => {
        if (message === null) return;
        const deaths = (message.properties.headers["x-death"] ?? []) as Record<string, unknown>[];
        seen.push(deaths.map(({ queue, reason, count }) => [queue, reason, count]));
        if (seen.length < 3) channel.nack(message, false, false);
        else channel.ack(message);
      });
      await sent(channel, "work", "a");
      await stage.pass(800);
      return seen;
    }),
    real: [
      [],
      [
        ["later", "expired", 1],
        ["work", "rejected", 1],
      ],
      [
        ["later", "expired", 2],
        ["work", "rejected", 2],
      ],
    ],
  },
  {
    name: "an expiration that is none costs the channel",
    play: async (stage) => {
      const told: unknown[] = [];
      for (const expiration of ["soon", "-5", "1.5", "99999999999999"]) {
        const play = withChannel(async (channel) => {
          channel.on("error", (error: Error) => void told.push(error.message));
          channel.sendToQueue("parked", Buffer.from("a"), { expiration });
          await stage.pass(SOON_MS);
        });
        await play(stage).catch(() => undefined);
      }
      return told;
    },
    real: [
      "Channel closed by server: 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid expiration 'soon': no_integer\"",
      "Channel closed by server: 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid expiration '-5': {value_negative,-5}\"",
      'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - invalid expiration \'1.5\': {leftover_string,".5"}"',
      "Channel closed by server: 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid expiration '99999999999999': {value_too_large,99999999999999}\"",
    ],
  },
  {
    name: "a queue that is too long drops its first messages",
    play: withChannel(async (channel) => {
      await channel.assertQueue("short", { maxLength: 2, ...PARKED });
      await sent(channel, "short", "abcd");
      return [(await drained(channel, "short")).map(words), await parked(channel)];
    }),
    real: [
      ["c", "d"],
      [
        [
          "a",
          {
            "x-first-death-exchange": "",
            "x-first-death-queue": "short",
            "x-first-death-reason": "maxlen",
            "x-death": [
              {
                count: 1,
                reason: "maxlen",
                queue: "short",
                exchange: "",
                "routing-keys": ["short"],
              },
            ],
          },
          null,
        ],
        [
          "b",
          {
            "x-first-death-exchange": "",
            "x-first-death-queue": "short",
            "x-first-death-reason": "maxlen",
            "x-death": [
              {
                count: 1,
                reason: "maxlen",
                queue: "short",
                exchange: "",
                "routing-keys": ["short"],
              },
            ],
          },
          null,
        ],
      ],
    ],
  },
  {
    name: "a queue that is too long refuses what comes, if so declared",
    play: withChannel(async (channel) => {
      await channel.assertQueue("short", { maxLength: 1, overflow: "reject-publish" });
      const told: unknown[] = [];
      for (const text of "abc") {
        channel.sendToQueue("short", Buffer.from(text), {}, (error) => {
          told.push([text, error?.message ?? "confirmed"]);
        });
      }
      const waited = await outcomeOf(() => channel.waitForConfirms());
      return [told, waited, (await drained(channel, "short")).map(words)];
    }),
    real: [
      [
        ["a", "confirmed"],
        ["b", "message nacked"],
        ["c", "message nacked"],
      ],
      { name: "Error", message: "message nacked" },
      ["a"],
    ],
  },
  {
    name: "what is got from a quorum queue tells also that it was never given back",
    play: withChannel(async (channel, stage) => {
      await channel.assertQueue("counted", { arguments: QUORUM });
      await sent(channel, "counted", "a");
      const seen: unknown[] = [];
      for (let round = 0; round < 3; round += 1) {
        const message = await channel.get("counted");
        if (message === false) break;
        seen.push([words(message), message.properties.headers]);
        channel.nack(message);
        await stage.pass(200);
      }
      return seen;
    }),
    real: [
      ["a", { "x-delivery-count": 0 }],
      ["a again", { "x-delivery-count": 1 }],
      ["a again", { "x-delivery-count": 2 }],
    ],
  },
  {
    name: "a quorum queue counts what is given back, and gives up",
    play: withChannel(async (channel, stage) => {
      const limit = { ...QUORUM, "x-delivery-limit": 2 };
      await channel.assertQueue("counted", { ...PARKED, arguments: limit });
      await sent(channel, "counted", "a");
      const seen: unknown[] = [];
      await channel.consume("counted", (message) => {
        if (message === null) return;
        seen.push([words(message), message.properties.headers]);
        channel.nack(message);
      });
      await stage.pass(1_000);
      return [seen, await parked(channel)];
    }),
    real: [
      [
        ["a", {}],
        ["a again", { "x-delivery-count": 1 }],
        ["a again", { "x-delivery-count": 2 }],
      ],
      [
        [
          "a",
          {
            "x-first-death-exchange": "",
            "x-first-death-queue": "counted",
            "x-first-death-reason": "delivery_limit",
            "x-death": [
              {
                count: 1,
                reason: "delivery_limit",
                queue: "counted",
                exchange: "",
                "routing-keys": ["counted"],
              },
            ],
          },
          null,
        ],
      ],
    ],
  },
  {
    name: "a queue that nobody uses expires",
    play: withChannel(async (channel, stage) => {
      await channel.assertQueue("brief", { expires: 300 });
      const { consumerTag } = await channel.consume("brief", () => undefined);
      await stage.pass(600);
      const used = await outcomeOf(() => channel.checkQueue("brief"));
      await channel.cancel(consumerTag);
      await stage.pass(700);
      const { message } = (await outcomeOf(() => channel.checkQueue("brief"))) as Error;
      return [used, message];
    }),
    real: [
      { queue: "brief", messageCount: 0, consumerCount: 1 },
      "Operation failed: QueueDeclare; 404 (NOT-FOUND) with message \"NOT_FOUND - no queue 'brief' in vhost '/'\"",
    ],
  },
];

const SERVING: readonly Observation<AmqpClient>[] = [
  {
    name: "messages of a higher priority come first, if the queue has priorities",
    play: withChannel(async (channel) => {
      await channel.assertQueue("ranked", { maxPriority: 5 });
      for (const queue of ["ranked", "parked"]) {
        for (const priority of [1, 5, 0, 9, undefined]) {
          channel.sendToQueue(queue, Buffer.from(`${priority}`), { priority });
        }
      }
      await channel.waitForConfirms();
      const ranked = (await drained(channel, "ranked")).map(words);
      return [ranked, (await drained(channel, "parked")).map(words)];
    }),
    real: [
      ["5", "9", "1", "0", "undefined"],
      ["1", "5", "0", "9", "undefined"],
    ],
  },
  {
    name: "a single active consumer is served alone until it goes",
    play: withChannel(async (channel, stage) => {
      await channel.assertQueue("single", { arguments: { "x-single-active-consumer": true } });
      const seen: string[] = [];
      for (const consumerTag of ["first", "second"]) {
        const onMessage = (message: AmqpMessage | null): void => {
          if (message !== null) seen.push(`${consumerTag} ${words(message)}`);
        };
        await channel.consume("single", onMessage, { consumerTag });
      }
      await sent(channel, "single", "ab");
      await stage.pass(SOON_MS);
      await channel.cancel("first");
      await sent(channel, "single", "c");
      await stage.pass(SOON_MS);
      return seen;
    }),
    real: ["first a", "first b", "second c"],
  },
  {
    name: "a consumer of a higher priority is served first, as far as it has room",
    play: withChannel(async (channel, stage) => {
      await channel.prefetch(1);
      const seen: string[] = [];
      for (const priority of [1, 10]) {
        const onMessage = (message: AmqpMessage | null): void => {
          if (message !== null) seen.push(`${priority} ${words(message)}`);
        };
        await channel.consume("parked", onMessage, { priority });
      }
      await sent(channel, "parked", "a");
      await sent(channel, "parked", "bc");
      await stage.pass(SOON_MS);
      return seen;
    }),
    real: ["10 a", "1 b"],
  },
  {
    name: "a prefetch of the whole channel counts all its consumers",
    play: withChannel(async (channel, stage) => {
      await channel.prefetch(3, true);
      await sent(channel, "parked", "abcdef");
      const held: AmqpMessage[] = [];
      for (const _consumer of [1, 2]) {
        await channel.consume("parked", (message) => {
          if (message !== null) held.push(message);
        });
      }
      await stage.pass(SOON_MS);
      const before = held.map(words);
      channel.ackAll();
      await stage.pass(SOON_MS);
      return [before, held.map(words)];
    }),
    real: [
      ["a", "b", "c"],
      ["a", "b", "c", "d", "e", "f"],
    ],
  },
  {
    name: "what waits in the queue comes ahead of the reply to consume()",
    play: withChannel(async (channel, stage) => {
      await sent(channel, "parked", "ab");
      await stage.pass(SOON_MS);
      const told: string[] = [];
      await channel.consume("parked", (message) => {
        if (message !== null) told.push(words(message));
      });
      told.push("consume() is over");
      return told;
    }),
    real: ["a", "b", "consume() is over"],
  },
];

const ROUTING: readonly Observation<AmqpClient>[] = [
  {
    name: "what a headers exchange routes",
    play: withChannel(async (channel) => {
      await channel.assertExchange("labels", "headers");
      await channel.assertQueue("any");
      await channel.bindQueue("parked", "labels", "", { a: 1, b: "x" });
      await channel.bindQueue("any", "labels", "", { "x-match": "any", a: 1, b: "y" });
      for (const headers of [{ a: 1, b: "x" }, { b: "y" }, { c: 1 }, { a: 1, b: "x", c: 2 }]) {
        channel.publish("labels", "", Buffer.from(JSON.stringify(headers)), { headers });
      }
      await channel.waitForConfirms();
      const all = (await drained(channel, "parked")).map(words);
      return [all, (await drained(channel, "any")).map(words)];
    }),
    real: [
      ['{"a":1,"b":"x"}', '{"a":1,"b":"x","c":2}'],
      ['{"a":1,"b":"x"}', '{"b":"y"}', '{"a":1,"b":"x","c":2}'],
    ],
  },
  {
    name: "what has no route goes to the alternate exchange",
    play: withChannel(async (channel) => {
      await channel.assertExchange("rest", "fanout");
      await channel.bindQueue("parked", "rest", "");
      await channel.assertExchange("main", "direct", { alternateExchange: "rest" });
      channel.publish("main", "nowhere", Buffer.from("a"), { mandatory: true });
      await channel.waitForConfirms();
      return (await drained(channel, "parked")).map(({ fields }) => fields);
    }),
    real: [
      {
        deliveryTag: 1,
        redelivered: false,
        exchange: "main",
        routingKey: "nowhere",
        messageCount: 0,
      },
    ],
  },
  {
    name: "carbon copies go to further queues, and blind ones are not seen",
    play: withChannel(async (channel) => {
      await channel.assertQueue("blind");
      channel.sendToQueue("parked", Buffer.from("a"), { CC: ["orders"], BCC: "blind" });
      await channel.waitForConfirms();
      const queues = ["parked", "orders", "blind"].map((queue) => drained(channel, queue));
      return (await Promise.all(queues)).flat().map(({ fields, properties }) => {
        return [fields.routingKey, properties.headers];
      });
    }),
    real: [
      ["parked", { CC: ["orders"] }],
      ["parked", { CC: ["orders"] }],
      ["parked", { CC: ["orders"] }],
    ],
  },
  {
    name: "dead letters go by their copies' keys, too, unless the queue gives them one",
    play: withChannel(async (channel, stage) => {
      await channel.assertExchange("dead", "direct");
      for (const key of ["first", "copied", "blind"]) {
        await channel.assertQueue(key);
        await channel.bindQueue(key, "dead", key);
      }
      const seen: unknown[] = [];
      for (const deadLetterRoutingKey of [undefined, "first"]) {
        const queue = `dies-${seen.length}`;
        await channel.assertQueue(queue, { deadLetterExchange: "dead", deadLetterRoutingKey });
        const copies = { CC: ["copied"], BCC: ["blind"] };
        channel.sendToQueue(queue, Buffer.from("a"), copies);
        await channel.waitForConfirms();
        for (const name of ["copied", "blind"]) await channel.purgeQueue(name);
        channel.nack((await channel.get(queue)) as AmqpGetMessage, false, false);
        await stage.pass(SOON_MS);
        const told: unknown[] = [];
        for (const name of ["first", "copied", "blind"]) {
          for (const { fields, properties } of await drained(channel, name)) {
            const { "x-death": deaths, CC } = properties.headers as DeadHeaders;
            told.push([name, fields.routingKey, CC ?? null, deaths?.[0]?.["routing-keys"]]);
          }
        }
        seen.push(told);
      }
      return seen;
    }),
    real: [
      [
        ["copied", "dies-0", ["copied"], ["dies-0", "copied"]],
        ["blind", "dies-0", ["copied"], ["dies-0", "copied"]],
      ],
      [["first", "first", null, ["dies-1", "copied"]]],
    ],
  },
  {
    name: "an exchange asks its alternate one where none of the keys has a route",
    play: withChannel(async (channel, stage) => {
      await channel.assertExchange("rest", "fanout");
      await channel.bindQueue("parked", "rest", "");
      await channel.assertExchange("main", "direct", { alternateExchange: "rest" });
      await channel.assertQueue("one");
      await channel.bindQueue("one", "main", "one");
      await channel.assertQueue("dies", { deadLetterExchange: "main" });
      const copied: readonly (readonly [key: string, copies: object])[] = [
        ["one", { CC: "nil" }],
        ["nil", { CC: ["one"] }],
        ["nil", { BCC: ["one", "none"] }],
        ["nil", { CC: ["none"] }],
        ["nil", { headers: { CC: ["one", 5] } }],
        ["nil", { headers: { CC: [5, null] } }],
      ];
      const seen: unknown[] = [];
      const note = async (): Promise<void> => {
        await channel.waitForConfirms();
        const queues = await Promise.all([drained(channel, "one"), drained(channel, "parked")]);
        seen.push(queues.map(({ length }) => length));
      };
      for (const [key, copies] of copied) {
        channel.publish("main", key, Buffer.from("a"), copies);
        await note();
      }
      for (const CC of ["one", "none"]) {
        channel.sendToQueue("dies", Buffer.from("a"), { CC });
        await channel.waitForConfirms();
        channel.nack((await channel.get("dies")) as AmqpGetMessage, false, false);
        await stage.pass(SOON_MS);
        // The copy of the first went to the queue of its name, too.
        await note();
      }
      return seen;
    }),
    real: [
      [1, 0],
      [1, 0],
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
      [2, 0],
      [0, 1],
    ],
  },
  {
    name: "an exchange that deletes itself goes with its last binding",
    play: withChannel(async (channel) => {
      await channel.assertExchange("brief", "fanout", { autoDelete: true });
      await channel.bindQueue("parked", "brief", "");
      await channel.unbindQueue("parked", "brief", "");
      const { message } = (await outcomeOf(() => channel.checkExchange("brief"))) as Error;
      return message;
    }),
    real: "Operation failed: ExchangeDeclare; 404 (NOT-FOUND) with message \"NOT_FOUND - no exchange 'brief' in vhost '/'\"",
  },
];

const DECLARING: readonly Observation<AmqpClient>[] = [
  {
    name: "what queues cannot be declared with",
    play: declared(
      { messageTtl: -1 },
      { expires: 0 },
      { maxLength: -1 },
      { maxPriority: 300 },
      { deadLetterRoutingKey: "parked" },
      { arguments: { "x-overflow": "no" } },
      { arguments: { "x-delivery-limit": 2 } },
      { durable: false, arguments: QUORUM },
      { exclusive: true, arguments: QUORUM },
      { maxPriority: 5, arguments: QUORUM },
      { arguments: { "x-queue-type": "weird" } },
    ),
    real: [
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-message-ttl' for queue 'mine' in vhost '/': {value_negative,-1}\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-expires' for queue 'mine' in vhost '/': {value_zero,0}\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-max-length' for queue 'mine' in vhost '/': {value_negative,-1}\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-max-priority' for queue 'mine' in vhost '/': {max_value_exceeded,300}\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-dead-letter-routing-key' for queue 'mine' in vhost '/': routing_key_but_no_dlx_defined\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-overflow' for queue 'mine' in vhost '/': invalid_overflow\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-delivery-limit' for queue 'mine' in vhost '/' of queue type rabbit_classic_queue\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid property 'non-durable' for queue 'mine' in vhost '/'\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid property 'exclusive-owner' for queue 'mine' in vhost '/'\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-max-priority' for queue 'mine' in vhost '/' of queue type rabbit_quorum_queue\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - invalid arg 'x-queue-type' for queue 'mine' in vhost '/': \"unsupported queue type 'weird'\"\"",
    ],
  },
  {
    name: "what is declared otherwise, by kind of value",
    play: declared(
      {},
      { messageTtl: 5 },
      { messageTtl: 300 },
      { messageTtl: 70_000 },
      { maxLength: 3 },
      { deadLetterExchange: "x" },
      { exclusive: true },
      { arguments: { "x-nobody-knows": 1 } },
    ),
    real: [
      { queue: "mine", messageCount: 0, consumerCount: 0 },
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'mine' in vhost '/': received the value '5' of type 'byte' but current is none\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'mine' in vhost '/': received the value '300' of type 'short' but current is none\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'mine' in vhost '/': received the value '70000' of type 'signedint' but current is none\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue 'mine' in vhost '/': received the value '3' of type 'byte' but current is none\"",
      "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange' for queue 'mine' in vhost '/': received the value 'x' of type 'longstr' but current is none\"",
      "Operation failed: QueueDeclare; 405 (RESOURCE-LOCKED) with message \"RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'mine' in vhost '/'. It could be originally declared on another connection or the exclusive property value does not match that of the original declaration.\"",
      { queue: "mine", messageCount: 0, consumerCount: 0 },
    ],
  },
  {
    name: "another connection's exclusive queue is locked",
    play: withChannel(async (channel, stage) => {
      await channel.assertQueue("mine", { exclusive: true });
      const outcomes: unknown[] = [];
      const attempts: readonly ((other: AmqpChannel) => Promise<unknown>)[] = [
        (other) => other.checkQueue("mine"),
        (other) => other.consume("mine", () => undefined),
        (other) => other.get("mine"),
        (other) => other.purgeQueue("mine"),
      ];
      for (const attempt of attempts) {
        const play = withChannel((other) => outcomeOf(() => attempt(other)));
        outcomes.push(((await play(stage)) as Error).message);
      }
      return outcomes;
    }),
    real: [
      "Operation failed: QueueDeclare; 405 (RESOURCE-LOCKED) with message \"RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'mine' in vhost '/'. It could be originally declared on another connection or the exclusive property value does not match that of the original declaration.\"",
      "Operation failed: BasicConsume; 405 (RESOURCE-LOCKED) with message \"RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'mine' in vhost '/'. It could be originally declared on another connection or the exclusive property value does not match that of the original declaration.\"",
      "Operation failed: BasicGet; 405 (RESOURCE-LOCKED) with message \"RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'mine' in vhost '/'. It could be originally declared on another connection or the exclusive property value does not match that of the original declaration.\"",
      "Operation failed: QueuePurge; 405 (RESOURCE-LOCKED) with message \"RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'mine' in vhost '/'. It could be originally declared on another connection or the exclusive property value does not match that of the original declaration.\"",
    ],
  },
  {
    name: "exchanges that are internal, reserved, or declared otherwise",
    play: async (stage) => {
      const told: unknown[] = [];
      const attempts: readonly ((channel: AmqpChannel) => Promise<unknown>)[] = [
        (channel) => channel.assertExchange("inner", "fanout", { internal: true }),
        async (channel) => {
          channel.publish("inner", "", Buffer.from("a"));
          await channel.waitForConfirms();
        },
        (channel) => channel.assertExchange("inner", "fanout"),
        (channel) => channel.assertExchange("inner", "fanout", { internal: true, durable: false }),
        (channel) => channel.assertExchange("amq.mine", "fanout"),
        (channel) => channel.bindQueue("parked", "", "key"),
        (channel) => channel.checkExchange(""),
      ];
      for (const attempt of attempts) {
        const play = withChannel(async (channel) => {
          channel.on("error", (error: Error) => void told.push(error.message));
          await outcomeOf(() => attempt(channel));
        });
        await play(stage);
      }
      return told;
    },
    real: [
      "Channel closed by server: 403 (ACCESS-REFUSED) with message \"ACCESS_REFUSED - cannot publish to internal exchange 'inner' in vhost '/'\"",
      "Channel closed by server: 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'internal' for exchange 'inner' in vhost '/': received 'false' but current is 'true'\"",
      "Channel closed by server: 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'durable' for exchange 'inner' in vhost '/': received 'false' but current is 'true'\"",
      "Channel closed by server: 403 (ACCESS-REFUSED) with message \"ACCESS_REFUSED - exchange name 'amq.mine' contains reserved prefix 'amq.*'\"",
      'Channel closed by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - operation not permitted on the default exchange"',
      'Channel closed by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - operation not permitted on the default exchange"',
    ],
  },
];

/** What queues and exchanges do that are declared with more than a name. */
export const QUEUES: readonly Observation<AmqpClient>[] = [
  UNNAMED,
  ...LEAVING,
  ...SERVING,
  ...ROUTING,
  ...DECLARING,
];
