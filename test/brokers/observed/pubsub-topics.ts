import { bytesFrom } from "../../../sim/brokers/text-bytes.ts";
import type { PubSubMessage } from "../../../sim/brokers/pubsub/pubsub-message.ts";
import type { PubSubSubscription } from "../../../sim/brokers/pubsub/pubsub-subscription.ts";
import {
  arrived,
  type PubSubObservation,
  type PubSubStage,
  reading,
  refsOf,
  SETTLED_MS,
} from "./pubsub-stage.ts";

const UNKNOWN = "nowhere";

function textOf({ data }: PubSubMessage): string {
  return data.toString();
}

/** Publishes, and returns what the error of it says; "published" where there is none. */
async function failureOf(
  { client }: PubSubStage,
  topic: string,
  options?: Parameters<typeof client.topic>[1],
): Promise<unknown> {
  const publishing = client.topic(topic, options).publishMessage({ data: bytesFrom("x") });
  return await publishing.then(
    () => "published",
    (error: Error & { readonly code?: number }) => [error.name, error.code, error.constructor.name],
  );
}

/** What there is and what there is not, and what comes of messages to the subscription's topic. */
export const TOPICS: readonly PubSubObservation[] = [
  {
    name: "a topic that is none, by its name and its path",
    async play(stage) {
      const path = `projects/${stage.client.projectId}/topics`;
      return [
        await failureOf(stage, UNKNOWN),
        await failureOf(stage, `${path}/${UNKNOWN}`),
        await failureOf(stage, UNKNOWN, { batching: { maxMessages: 1 }, messageOrdering: true }),
        await failureOf(stage, `${path}/dead-orders`),
      ];
    },
    real: [["Error", 5, "Error"], ["Error", 5, "Error"], ["Error", 5, "Error"], "published"],
  },
  {
    name: "a subscription that is none ends with an error",
    async play(stage) {
      const subscription = stage.client.subscription(UNKNOWN);
      const events: unknown[] = [];
      subscription.on("error", (error: Error & { readonly code?: number }) => {
        events.push([error.name, error.code, error.constructor.name]);
      });
      subscription.on("close", () => void events.push("close"));
      subscription.on("message", () => undefined);
      for (let n = 0; n < 4; n += 1) await stage.pass(SETTLED_MS);
      const { isOpen } = subscription;
      await subscription.close();
      return [events, isOpen];
    },
    real: [[["Error", 5, "StatusError"], "close"], false],
  },
  {
    name: "a subscription that may not be consumed any more ends with an error, and takes no ack",
    async play(stage) {
      await stage.publish(2);
      const events: unknown[] = [];
      const read = (): PubSubSubscription => {
        const subscription = stage.client.subscription("orders");
        subscription.on("error", (error: Error & { readonly code?: number }) => {
          events.push([error.name, error.code, error.constructor.name, error.message]);
        });
        subscription.on("close", () => void events.push("close"));
        return subscription;
      };
      const first = read();
      const got: PubSubMessage[] = [];
      first.on("message", (message) => void got.push(message));
      await arrived(stage, { subscription: first, got, events: [] }, 2);
      await stage.operate("the account may not consume for a while");
      const acked = await got[0]?.ackWithResponse();
      for (let n = 0; n < 4; n += 1) await stage.pass(SETTLED_MS);
      const told = [acked, ...events.splice(0), first.isOpen];
      const second = read();
      second.on("message", () => undefined);
      await stage.pass(SETTLED_MS);
      await stage.pass(SETTLED_MS);
      return [told, [...events.splice(0), second.isOpen]];
    },
    real: [
      [
        "SUCCESS",
        ["Error", 7, "StatusError", "User not authorized to perform this action."],
        "close",
        false,
      ],
      [["Error", 7, "StatusError", "User not authorized to perform this action."], "close", false],
    ],
  },
  {
    name: "what there is",
    async play({ client }) {
      const path = `projects/${client.projectId}/topics/orders`;
      const topics = ["orders", "dead-orders", UNKNOWN, path].map((name) => client.topic(name));
      const subscriptions = ["orders", UNKNOWN].map((name) => client.subscription(name));
      const seen: unknown[] = [];
      for (const one of [...topics, ...subscriptions]) seen.push(await one.exists());
      await new Promise<void>((resolve) => {
        void client.topic(UNKNOWN).exists((...told) => {
          seen.push(told);
          resolve();
        });
      });
      const own = client.topic("orders").subscription("orders").topic as { readonly name: string };
      return [seen, own.name === path, client.subscription("orders").topic];
    },
    real: [[[true], [true], [false], [true], [true], [false], [null, false]], true, undefined],
  },
  {
    name: "options of null are none",
    play({ client }) {
      const path = `projects/${client.projectId}`;
      const topic = client.topic("orders", null);
      const subscriptions = [
        client.subscription("orders", null),
        topic.subscription("orders", null),
      ];
      return Promise.resolve([topic, ...subscriptions].map(({ name }) => name.replace(path, "")));
    },
    real: ["/topics/orders", "/subscriptions/orders", "/subscriptions/orders"],
  },
  {
    name: "what is published to the topic of the subscription comes to it",
    async play(stage) {
      const topic = stage.client.topic("orders");
      const ids = [
        await topic.publishMessage({ data: new Uint8Array([0, 255]), attributes: { a: "ä" } }),
        await topic.publishMessage({ attributes: { empty: "" } }),
        await topic.publishJSON({ b: 2 }, { k: "v" }),
      ];
      return await reading(stage, async (reader) => {
        const messages = [...(await arrived(stage, reader, 3))];
        const byId = new Map(messages.map((message) => [message.id, message]));
        for (const message of messages) message.ack();
        return ids.map((id) => {
          const { data, attributes, length } = byId.get(id) as PubSubMessage;
          return [[...data], attributes, length];
        });
      });
    },
    real: [
      [[0, 255], { a: "ä" }, 2],
      [[], { empty: "" }, 0],
      [[123, 34, 98, 34, 58, 50, 125], { k: "v" }, 7],
    ],
  },
  {
    name: "a message that is published again and acknowledged comes once more",
    async play(stage) {
      await stage.publish(1);
      return await reading(stage, async (reader) => {
        const [first] = await arrived(stage, reader, 1);
        const attributes = { ...first?.attributes, tries: "1" };
        const data = first?.data ?? new Uint8Array(0);
        await stage.client.topic("orders").publishMessage({ data, attributes });
        first?.ack();
        const [, again] = await arrived(stage, reader, 2);
        again?.ack();
        await stage.pass(SETTLED_MS);
        return [refsOf(reader.got), again?.attributes, again?.id === first?.id];
      });
    },
    real: [[1, 1], { key: "key-1", tries: "1" }, false],
  },
  {
    name: "a batch waits for its messages, its bytes or its time",
    async play(stage) {
      const batching = { maxMessages: 3, maxBytes: 10, maxMilliseconds: 400 };
      const topic = stage.client.topic("orders", { batching });
      let sent = 0;
      const publish = (text: string): Promise<unknown> =>
        topic.publishMessage({ data: bytesFrom(text) }).then(() => (sent += 1));
      const seen: number[] = [];
      for (const texts of [["a", "b", "c"], ["1234567890"], ["d"]]) {
        const publishing = Promise.all(texts.map(publish));
        await stage.pass(200);
        seen.push(sent);
        await publishing;
        seen.push(sent);
      }
      return seen;
    },
    real: [3, 3, 4, 4, 4, 5],
  },
  {
    name: "flush() sends what a batch holds",
    async play(stage) {
      const batching = { maxMilliseconds: 100_000 };
      const topic = stage.client.topic("orders", { batching });
      let sent = 0;
      for (const text of ["a", "b"]) {
        void topic.publishMessage({ data: bytesFrom(text) }).then(() => (sent += 1));
      }
      await stage.pass(SETTLED_MS);
      const before = sent;
      await topic.flush();
      const told = await new Promise((resolve) => {
        void topic.flush((...values: unknown[]) => resolve(values));
      });
      return [before, sent, told];
    },
    real: [0, 2, [null]],
  },
  {
    name: "an ordering key comes with its messages",
    async play(stage) {
      const topic = stage.client.topic("orders", { messageOrdering: true });
      const texts = ["a", "b", "c"];
      const ids = await Promise.all(
        texts.map((text) => topic.publishMessage({ data: bytesFrom(text), orderingKey: "k" })),
      );
      topic.resumePublishing("k");
      return await reading(stage, async (reader) => {
        const messages = [...(await arrived(stage, reader, 3))];
        for (const message of messages) message.ack();
        const found = messages.map(({ id, orderingKey }) => `${ids.indexOf(id)} ${orderingKey}`);
        return [found.toSorted(), messages.map(textOf).toSorted()];
      });
    },
    real: [
      ["0 k", "1 k", "2 k"],
      ["a", "b", "c"],
    ],
  },
];
