import type { PubSubMessage } from "../../../sim/brokers/pubsub/pubsub-message.ts";
import {
  arrived,
  NO_EXTENSION,
  type PubSubObservation,
  readerOf,
  reading,
  refOf,
  refsOf,
  seconds,
  SETTLED_MS,
} from "./pubsub-stage.ts";

/** How subscriptions open and close, and what becomes of what they hold. */
export const CLOSING: readonly PubSubObservation[] = [
  {
    name: "a subscription is open while it has a listener for messages",
    async play(stage) {
      const subscription = stage.client.subscription("orders");
      const events: string[] = [];
      subscription.on("close", () => void events.push("close"));
      const states = [subscription.isOpen];
      const listener = (): void => undefined;
      subscription.on("message", listener);
      states.push(subscription.isOpen);
      await stage.pass(SETTLED_MS);
      subscription.removeListener("message", listener);
      states.push(subscription.isOpen);
      await stage.pass(SETTLED_MS);
      subscription.on("message", listener);
      states.push(subscription.isOpen);
      await subscription.close();
      states.push(subscription.isOpen);
      return [states, events, subscription.name, subscription.projectId];
    },
    real: [
      [false, true, false, true, false],
      ["close", "close"],
      "projects/simulated-project/subscriptions/orders",
      "simulated-project",
    ],
  },
  {
    name: "close() gives back what is held",
    async play(stage) {
      await stage.publish(2);
      const first = readerOf(stage);
      await arrived(stage, first, 2);
      await first.subscription.close();
      return await reading(stage, async (second) => {
        await arrived(stage, second, 2);
        return [refsOf(first.got), first.events, refsOf(second.got), [...second.events]];
      });
    },
    real: [[1, 2], ["close"], [1, 2], []],
  },
  {
    name: "an ack or nack right before close() is sent, one afterwards is not",
    async play(stage) {
      await stage.publish(3);
      const first = readerOf(stage);
      const messages = [...(await arrived(stage, first, 3))];
      const at = (ref: number): PubSubMessage | undefined =>
        messages.find((message) => refOf(message) === ref);
      at(1)?.ack();
      at(2)?.nack();
      await first.subscription.close();
      at(3)?.ack();
      return await reading(stage, async (second) => {
        await arrived(stage, second, 2);
        await stage.pass(SETTLED_MS);
        return refsOf(second.got);
      });
    },
    real: [2, 3],
  },
  {
    name: "close() twice, by a callback, and of what was never open",
    async play(stage) {
      const first = readerOf(stage);
      await stage.pass(SETTLED_MS);
      const closed = await new Promise<unknown[]>((resolve) => {
        void first.subscription.close((...values: unknown[]) => resolve(values));
      });
      await first.subscription.close();
      const never = stage.client.subscription("orders");
      let events = 0;
      never.on("close", () => void (events += 1));
      await never.close();
      return [closed, first.events, events];
    },
    real: [[], ["close"], 0],
  },
  {
    name: "a subscription that is opened as soon as it is closed is closed again, a later one is not",
    async play(stage) {
      const { subscription, got, events } = readerOf(stage);
      await stage.pass(SETTLED_MS);
      const states: boolean[] = [];
      for (const waitMs of [0, SETTLED_MS]) {
        await subscription.close();
        if (waitMs > 0) await stage.pass(waitMs);
        subscription.open();
        states.push(subscription.isOpen);
        await stage.pass(SETTLED_MS);
        states.push(subscription.isOpen);
        if (waitMs === 0) subscription.open();
        await stage.pass(SETTLED_MS);
      }
      await stage.publish(1);
      await arrived(stage, { subscription, got, events }, 1);
      await subscription.close();
      return [states, events, refsOf(got)];
    },
    real: [[true, false, true, true], ["close", "close", "close", "close"], [1]],
  },
  {
    name: "close() with WAIT waits for what is held",
    async play(stage) {
      await stage.publish(1);
      const closeOptions = { behavior: "WAIT" as const, timeout: seconds(10) };
      const first = readerOf(stage, { closeOptions });
      const [message] = await arrived(stage, first, 1);
      let isClosed = false;
      const closing = first.subscription.close().then(() => (isClosed = true));
      await stage.pass(2 * SETTLED_MS);
      const seen: unknown[] = [isClosed, first.subscription.isOpen];
      message?.ack();
      await stage.pass(SETTLED_MS);
      seen.push(isClosed);
      await closing;
      return await reading(stage, async (second) => {
        await stage.pass(SETTLED_MS);
        return [...seen, first.events, second.got.length];
      });
    },
    real: [false, false, true, ["close"], 0],
  },
  {
    name: "close() with WAIT gives back what is still held a second before its timeout",
    async play(stage) {
      await stage.publish(1);
      const closeOptions = { behavior: "WAIT" as const, timeout: seconds(2.5) };
      const first = readerOf(stage, { closeOptions });
      await arrived(stage, first, 1);
      const closing = first.subscription.close();
      return await reading(stage, async (second) => {
        const counts: number[] = [];
        for (let n = 0; n < 2; n += 1) {
          await stage.pass(2 * SETTLED_MS);
          counts.push(second.got.length);
        }
        await closing;
        return counts;
      });
    },
    real: [0, 1],
  },
  {
    name: "close() without extensions gives nothing back, and has no event",
    async play(stage) {
      await stage.publish(1);
      const first = readerOf(stage, NO_EXTENSION);
      await arrived(stage, first, 1);
      await first.subscription.close();
      return await reading(stage, async (second) => {
        await stage.pass(2 * SETTLED_MS);
        return [second.got.length, first.events, first.subscription.isOpen];
      });
    },
    real: [0, [], false],
  },
  {
    name: "a listener that is called once closes, and its message is given back",
    async play(stage) {
      await stage.publish(1);
      const first = stage.client.subscription("orders");
      const got: PubSubMessage[] = [];
      first.once("message", (message: PubSubMessage) => {
        got.push(message);
        message.ack();
      });
      await stage.pass(2 * SETTLED_MS);
      const isOpen = first.isOpen;
      return await reading(stage, async (second) => {
        await arrived(stage, second, 1);
        return [got.length, isOpen, second.got.length];
      });
    },
    real: [1, false, 1],
  },
  {
    name: "what a listener throws is an event, and later messages come",
    async play(stage) {
      await stage.publish(1);
      const subscription = stage.client.subscription("orders");
      const seen: string[] = [];
      subscription.on("debug", (told: { message?: string }) => void seen.push(`${told.message}`));
      subscription.on("error", (error: Error) => void seen.push(`error ${error.message}`));
      subscription.on("message", (message) => {
        seen.push(`message ${refOf(message)}`);
        throw new Error("of the listener");
      });
      await stage.pass(SETTLED_MS);
      await stage.publish(1);
      await stage.pass(SETTLED_MS);
      const isOpen = subscription.isOpen;
      await subscription.close();
      return [seen, isOpen];
    },
    real: [
      [
        ...["message 1", "error during user callback"],
        ...["message 2", "error during user callback"],
      ],
      true,
    ],
  },
  {
    name: "open() without a listener takes messages and keeps them",
    async play(stage) {
      await stage.publish(1);
      const first = stage.client.subscription("orders");
      first.open();
      await stage.pass(SETTLED_MS);
      const isOpen = first.isOpen;
      return await reading(stage, async (second) => {
        await stage.pass(SETTLED_MS);
        const before = second.got.length;
        await first.close();
        await arrived(stage, second, 1);
        return [isOpen, before, second.got.length];
      });
    },
    real: [true, 0, 1],
  },
  {
    name: "two subscriptions share the messages, each of which comes once",
    async play(stage) {
      return await reading(stage, (first) =>
        reading(stage, async (second) => {
          await stage.pass(SETTLED_MS);
          await stage.publish(20);
          await stage.pass(2 * SETTLED_MS);
          return refsOf([...first.got, ...second.got]).length;
        }),
      );
    },
    real: 20,
  },
  {
    name: "each listener gets each message, the same",
    async play(stage) {
      await stage.publish(2);
      return await reading(stage, async (reader) => {
        const other: PubSubMessage[] = [];
        reader.subscription.on("message", (message) => void other.push(message));
        await arrived(stage, reader, 2);
        return reader.got.map((message, at) => message === other[at]);
      });
    },
    real: [true, true],
  },
  {
    name: "subscriptions go on when their client is closed, and new ones begin",
    async play(stage) {
      await stage.publish(1);
      const reader = readerOf(stage);
      await arrived(stage, reader, 1);
      await stage.client.close();
      await stage.publish(1);
      await arrived(stage, reader, 2);
      for (const message of reader.got) message.ack();
      await stage.pass(SETTLED_MS);
      const seen = [reader.subscription.isOpen, stage.client.isOpen, [...reader.events]];
      await reader.subscription.close();
      return await reading(stage, async (second) => {
        await stage.publish(1);
        await arrived(stage, second, 1);
        return [...seen, refsOf(second.got)];
      });
    },
    real: [true, false, [], [3]],
  },
];
