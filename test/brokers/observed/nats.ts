import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessages } from "../../../sim/brokers/nats/messages.ts";
import { NATS_GIVEN } from "./nats-given.ts";
import { NATS_GIVEN_UP } from "./nats-given-up.ts";
import { NATS_KILLED } from "./nats-killed.ts";
import { NATS_RARELY } from "./nats-rarely.ts";
import { READING_AHEAD } from "./nats-reading-ahead.ts";
import { NATS_TIMES } from "./nats-times.ts";
import { NATS_SETTING_UP } from "./nats-setting-up.ts";
import { NATS_TOLD } from "./nats-told.ts";
import { type Observation, type Observed, outcomeOf } from "./observation.ts";

type Stage = Parameters<Observation<NatsClient>["play"]>[0];

const DEFAULT = { durable_name: "mine", ack_policy: "explicit" } as const;
const FACTS = ({ name, code, status }: Record<string, unknown>): unknown => ({
  name,
  code,
  status,
});

async function consuming({ client }: Stage, options = {}) {
  const consumer = await client.consumers.get("ORDERS", "triggerer");
  return { consumer, messages: await consumer.consume(options) };
}

const ABORTING = { abort_on_missing_resource: true, expires: 2_000 };
const FACTS_OF = (outcome: unknown): unknown[] => {
  const { name, code } = outcome as { name: string; code: number };
  return [name, code];
};

/** What a subscription reports from now on. */
function statusesOf(messages: NatsMessages): readonly string[] {
  const statuses: string[] = [];
  const feed = messages.status();
  const watch = async (): Promise<void> => {
    for await (const { type } of feed) statuses.push(type);
  };
  void watch();
  return statuses;
}

async function firstOf(messages: NatsMessages): Promise<number | string> {
  for await (const { seq } of messages) return seq;
  return "the end";
}

const ALREADY = { name: "JetStreamApiError", code: 10_148, status: 400 };

/** What `@nats-io/jetstream` showed on a NATS server. */
export const NATS: Observed<NatsClient> = {
  server: "nats-server 2.15.1 with @nats-io/jetstream 3.4.0",
  observations: [
    ...READING_AHEAD,
    ...NATS_TIMES,
    {
      name: "stop() lets the reader read on what is buffered",
      async play(stage) {
        await stage.publish(3);
        const { messages } = await consuming(stage);
        const read: string[] = [];
        for await (const message of messages) {
          await stage.pass(200);
          if (read.length === 0) messages.stop();
          read.push(`${message.seq}#${message.info.deliveryCount}`);
          message.ack();
        }
        return read;
      },
      real: ["1#1", "2#1", "3#1"],
    },
    {
      name: "nothing is pulled before somebody reads, and close() waits for the reader",
      async play(stage) {
        await stage.publish(2);
        const { consumer, messages } = await consuming(stage);
        await stage.pass(500);
        const told: unknown[] = [messages.getReceived(), (await consumer.info()).num_ack_pending];
        void messages.close().then(() => told.push("closed"));
        await stage.pass(500);
        told.push("half a second later");
        for await (const message of messages) told.push(`read ${message.seq}`);
        await stage.pass(10);
        return told;
      },
      real: [0, 0, "half a second later", "closed"],
    },
    {
      name: "close() waits for a reader at work, who reads on",
      async play(stage) {
        await stage.publish(3);
        const { messages } = await consuming(stage);
        const told: string[] = [];
        for await (const message of messages) {
          if (told.length === 0) {
            await stage.pass(500);
            void messages.close().then(() => told.push("closed"));
            await stage.pass(500);
          }
          told.push(`read ${message.seq}`);
        }
        await stage.pass(10);
        return told;
      },
      real: ["read 1", "read 2", "read 3", "closed"],
    },
    {
      name: "close() of a subscription that calls back resolves at once",
      async play(stage) {
        const { messages } = await consuming(stage, { callback: () => undefined });
        await stage.pass(100);
        return (await messages.close()) ?? "closed";
      },
      real: "closed",
    },
    {
      name: "messages come again in the order in which they were handed back",
      async play(stage) {
        await stage.publish(3);
        const consumer = await stage.client.consumers.get("ORDERS", "triggerer");
        const first = await consumer.fetch({ max_messages: 3, expires: 2_000 });
        const held = [];
        for await (const message of first) held.push(message);
        for (const message of held.reverse()) message.nak();
        await stage.pass(200);
        const again: number[] = [];
        for await (const { seq } of await consumer.fetch({ max_messages: 3, expires: 2_000 })) {
          again.push(seq);
        }
        return again;
      },
      real: [3, 2, 1],
    },
    {
      name: "what is handed back at once comes ahead of what is new",
      async play({ client, publish, pass }) {
        await publish(4);
        const consumer = await client.consumers.get("ORDERS", "triggerer");
        const batch = { max_messages: 2, expires: 2_000 };
        for await (const message of await consumer.fetch(batch)) message.nak();
        // The server takes acknowledgements and pulls from two queues, in no order between them.
        await pass(100);
        const again: unknown[] = [];
        for await (const message of await consumer.fetch({ ...batch, max_messages: 3 })) {
          again.push([message.seq, message.info.deliveryCount]);
        }
        return again;
      },
      real: [
        [1, 2],
        [2, 2],
        [3, 1],
      ],
    },
    {
      name: "fetch() of 0 messages ends",
      async play({ client }) {
        const consumer = await client.consumers.get("ORDERS", "triggerer");
        const read: number[] = [];
        const batch = await consumer.fetch({ max_messages: 0, expires: 1_000 });
        for await (const { seq } of batch) read.push(seq);
        return read;
      },
      real: [],
    },
    {
      name: "an expiry below a second is refused",
      async play({ client }) {
        const consumer = await client.consumers.get("ORDERS", "triggerer");
        const outcome = await outcomeOf(() => consumer.fetch({ expires: 10 }));
        return (outcome as Error).name;
      },
      real: "InvalidArgumentError",
    },
    {
      name: "what a message has",
      async play(stage) {
        await stage.publish(1);
        const consumer = await stage.client.consumers.get("ORDERS", "triggerer");
        const message = await consumer.next({ expires: 1_000 });
        if (message === null) return "none";
        message.ack();
        const { sid, reply, time, timestamp, next } = message;
        return [
          // Not its text by String(): the transport of Node gives a Buffer, others do not.
          message.data instanceof Uint8Array,
          message.headers?.get("Nats-Msg-Id"),
          typeof sid,
          reply.split(".").slice(0, 2),
          [typeof time, typeof timestamp, typeof next],
          Date.parse(timestamp) > Date.UTC(2020, 0),
        ];
      },
      real: [true, "ref-000001", "number", ["$JS", "ACK"], ["object", "string", "function"], true],
    },
    {
      name: "publish() to a subject of no stream",
      async play({ client }) {
        const outcome = await outcomeOf(() => client.publish("nowhere.a"));
        const { name, cause } = outcome as { name: string; cause: Error };
        return [name, cause.name, (cause.cause as Error).name];
      },
      real: ["JetStreamNotEnabled", "RequestError", "NoResponders"],
    },
    {
      name: "a subject with an empty part is none, and what options a client has",
      async play({ client }) {
        const subjects = ["orders..x", "orders.", ".orders", "orders.x."];
        const outcomes: unknown[] = [];
        for (const subject of subjects) {
          outcomes.push(await outcomeOf(() => client.publish(subject, "x")));
        }
        const manager = await client.jetstreamManager();
        const keys = [client.getOptions(), manager.getOptions()].map((one) => Object.keys(one));
        return [outcomes.map((one) => (one as Error).name), keys.map((one) => one.toSorted())];
      },
      real: [
        Array.from({ length: 4 }, () => "JetStreamNotEnabled"),
        [
          ["apiPrefix", "timeout", "watcherPrefix"],
          ["apiPrefix", "checkAPI", "timeout", "watcherPrefix"],
        ],
      ],
    },
    {
      name: "consumers.add() creates and does not change; update() changes",
      async play({ client }) {
        const { consumers } = await client.jetstreamManager();
        const wait = 2_000_000_000;
        await consumers.add("ORDERS", { ...DEFAULT, ack_wait: wait });
        const alike = await consumers.add("ORDERS", { ...DEFAULT, ack_wait: wait });
        const [other, policy] = await Promise.all([
          outcomeOf(() => consumers.add("ORDERS", { ...DEFAULT, ack_wait: 9_000_000_000 })),
          outcomeOf(() => consumers.add("ORDERS", { ...DEFAULT, ack_policy: "all" })),
        ]);
        const { config } = await consumers.info("ORDERS", "mine");
        const updated = await consumers.update("ORDERS", "mine", { ack_wait: 3 * wait });
        await consumers.delete("ORDERS", "mine");
        const facts = [other, policy].map((one) => FACTS(one as Record<string, unknown>));
        return [alike.config.ack_wait, ...facts, config.ack_wait, updated.config.ack_wait];
      },
      real: [2_000_000_000, ALREADY, ALREADY, 2_000_000_000, 6_000_000_000],
    },
    {
      name: "a consumer without acknowledgements shows no limits of them",
      async play({ client }) {
        const { consumers } = await client.jetstreamManager();
        const { config } = await consumers.add("ORDERS", { durable_name: "silent" });
        await consumers.delete("ORDERS", "silent");
        const { ack_policy, ack_wait, max_deliver, max_ack_pending } = config;
        return [ack_policy, ack_wait ?? "unset", max_deliver, max_ack_pending ?? "unset"];
      },
      real: ["none", "unset", -1, "unset"],
    },
    {
      name: "a consumer's description and metadata are kept, changed, and part of what it is",
      async play({ client }) {
        const { consumers } = await client.jetstreamManager();
        const told = { description: "reads orders", metadata: { team: "orders" } };
        await consumers.add("ORDERS", { ...DEFAULT, ...told });
        const kept = await consumers.info("ORDERS", "mine");
        const other = await outcomeOf(() =>
          consumers.add("ORDERS", { ...DEFAULT, ...told, description: "reads all" }),
        );
        const changed = await consumers.update("ORDERS", "mine", { description: "reads all" });
        await consumers.delete("ORDERS", "mine");
        // The server adds its version and level.
        const own = ({ config }: typeof kept): readonly unknown[] => [
          config.description,
          config.metadata?.["team"],
        ];
        return [own(kept), FACTS(other as Record<string, unknown>), own(changed)];
      },
      real: [["reads orders", "orders"], ALREADY, ["reads all", "orders"]],
    },
    {
      name: "delete() of no consumer",
      async play({ client }) {
        const { consumers } = await client.jetstreamManager();
        return FACTS(
          (await outcomeOf(() => consumers.delete("ORDERS", "none"))) as Record<string, unknown>,
        );
      },
      real: { name: "ConsumerNotFoundError", code: 10_014, status: 404 },
    },
    {
      name: "how far a consumer has come",
      async play(stage) {
        await stage.publish(4);
        const { consumer, messages } = await consuming(stage);
        for await (const message of messages) {
          if (message.seq !== 2) message.ack();
          if (message.seq === 4) break;
        }
        await stage.pass(300);
        const { created, delivered, ack_floor, num_ack_pending, num_redelivered } =
          await consumer.info();
        const reached = [delivered, ack_floor].map(({ last_active, ...numbers }) => ({
          ...numbers,
          activeAt: typeof last_active,
        }));
        return [typeof created, ...reached, num_ack_pending, num_redelivered];
      },
      real: [
        "string",
        { consumer_seq: 4, stream_seq: 4, activeAt: "string" },
        { consumer_seq: 1, stream_seq: 1, activeAt: "string" },
        1,
        0,
      ],
    },
    {
      name: "a consumer deleted under its reader, with abort_on_missing_resource",
      async play(stage) {
        const { consumer, messages } = await consuming(stage, ABORTING);
        const statuses = statusesOf(messages);
        const outcome = outcomeOf(() => firstOf(messages));
        await stage.pass(300);
        await consumer.delete();
        return [...FACTS_OF(await outcome), statuses.includes("consumer_deleted")];
      },
      real: ["JetStreamStatusError", 409, true],
    },
    {
      name: "a consumer deleted under a reader that goes on",
      async play(stage) {
        const { consumer, messages } = await consuming(stage, {
          ...{ expires: 2_000, idle_heartbeat: 500 },
          callback: () => undefined,
        });
        const statuses = statusesOf(messages);
        await stage.pass(300);
        await consumer.delete();
        await stage.pass(2_500);
        await messages.close();
        const told = ["consumer_deleted", "heartbeats_missed", "consumer_not_found"];
        return told.map((type) => statuses.includes(type));
      },
      real: [true, true, true],
    },
    {
      name: "a consumer deleted before anybody reads, with abort_on_missing_resource",
      async play(stage) {
        const { consumer, messages } = await consuming(stage, ABORTING);
        const statuses = statusesOf(messages);
        await stage.pass(100);
        await consumer.delete();
        const outcome = await outcomeOf(() => firstOf(messages));
        return [...FACTS_OF(outcome), statuses.includes("no_responders")];
      },
      real: ["ConsumerNotFoundError", 10_014, true],
    },
    {
      name: "fetch() from a deleted consumer",
      async play({ client }) {
        const consumer = await client.consumers.get("ORDERS", "triggerer");
        await consumer.delete();
        const messages = await consumer.fetch({ max_messages: 1, expires: 1_000 });
        return FACTS_OF(await outcomeOf(() => firstOf(messages)));
      },
      real: ["JetStreamStatusError", 503],
    },
    ...NATS_SETTING_UP,
    ...NATS_RARELY,
    ...NATS_GIVEN_UP,
    ...NATS_KILLED,
    ...NATS_TOLD,
    ...NATS_GIVEN,
  ],
};
