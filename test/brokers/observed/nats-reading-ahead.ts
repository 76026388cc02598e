import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import { type Observation, outcomeOf } from "./observation.ts";

const SOON_MS = 300;
const MAX = 4;

/** How many messages a reader that stays with the first ones has taken from the server. */
function takenBy(options: object, staysAt: number): Observation<NatsClient>["play"] {
  return async ({ client, publish, pass }) => {
    const consumer = await client.consumers.get("ORDERS", "triggerer");
    await publish(3 * MAX);
    const messages = await consumer.consume({ max_messages: MAX, ...options });
    let goOn = (): void => undefined;
    const reading = (async () => {
      for await (const message of messages) {
        message.ack();
        if (message.seq === staysAt) await new Promise<void>((resolve) => (goOn = resolve));
      }
    })();
    await pass(SOON_MS);
    const { delivered } = await consumer.info();
    messages.stop();
    goOn();
    await reading;
    return delivered.stream_seq;
  };
}

/** How far a subscription is ahead of its reader, and what becomes of that when it ends. */
export const READING_AHEAD: readonly Observation<NatsClient>[] = [
  ...(
    [
      ["the first", {}, 1, 4],
      ["the second", {}, 2, 5],
      ["the third", {}, 3, 6],
      ["the third, with a threshold of 1", { threshold_messages: 1 }, 3, 4],
      ["the fourth, with a threshold of 1", { threshold_messages: 1 }, 4, 7],
    ] as const
  ).map(([which, options, staysAt, real]) => ({
    name: `what a reader that stays with ${which} has taken`,
    play: takenBy(options, staysAt),
    real,
  })),
  {
    name: "a subscription that its callback closes gets no more",
    async play({ client, publish, pass }) {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      await publish(4);
      const seen: number[] = [];
      const messages = await consumer.consume({
        callback(message: NatsMessage) {
          seen.push(message.seq);
          message.ack();
          if (message.seq === 2) void messages.close();
        },
      });
      await messages.closed();
      await pass(SOON_MS);
      const { num_ack_pending } = await consumer.info();
      return [seen, num_ack_pending];
    },
    real: [[1, 2], 2],
  },
  {
    name: "nobody takes an acknowledgement of a consumer without them",
    async play({ client, publish }) {
      const manager = await client.jetstreamManager();
      await manager.consumers.add("ORDERS", { durable_name: "none", ack_policy: "none" });
      const consumer = await client.consumers.get("ORDERS", "none");
      await publish(1);
      const message = await consumer.next({ expires: 1_000 });
      const {
        name,
        message: text,
        cause,
      } = (await outcomeOf(() => message?.ackAck())) as Error & { readonly cause: object };
      return [name, text === `no responders: '${String(message?.reply)}'`, Object.keys(cause)];
    },
    real: ["RequestError", true, ["name", "message"]],
  },
  {
    name: "an id that a publish names goes ahead of that of its headers",
    async play({ client, publish }) {
      await publish(1);
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const message = await consumer.next({ expires: 1_000 });
      const headers = message?.headers;
      const again = await client.publish("orders.key-1", "again", { headers });
      const other = await client.publish("dead.key-1", "other", { headers, msgID: "own" });
      const stored = await client.jetstreamManager();
      const copy = await stored.streams.getMessage("DEAD", { seq: 1 });
      return [again.duplicate, other.duplicate, copy?.header.values("Nats-Msg-Id")];
    },
    real: [true, false, ["own"]],
  },
  {
    name: "a callback that throws ends its subscription with the error",
    async play({ client, pass }) {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const seen: number[] = [];
      const messages = await consumer.consume({
        callback({ seq }: NatsMessage) {
          seen.push(seq);
          throw new Error("broken");
        },
      });
      let ended: unknown = "open";
      void messages.closed().then((error) => (ended = error));
      for (let n = 0; n < 2; n += 1) {
        await client.publish("orders.key-1", "x");
        await pass(SOON_MS);
      }
      const { num_ack_pending } = await consumer.info();
      const next = await consumer.next({ expires: 1000 });
      const [error, closed] = [ended, await messages.close()].map(
        (one) => (one as Error | undefined)?.message,
      );
      return [seen, num_ack_pending, next?.seq, error, closed];
    },
    real: [[1], 1, 2, "broken", "broken"],
  },
  {
    name: "a message that is given back for what is no time comes again at once",
    async play({ client }) {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const counts: unknown[] = [];
      for (const millis of ["x", Number.NaN, {}, null, Number.POSITIVE_INFINITY, "200", true]) {
        await client.publish("orders.key-1", "x");
        const first = await consumer.next({ expires: 1000 });
        first?.nak(millis as number);
        const again = await consumer.next({ expires: 1000 });
        counts.push(again?.info.deliveryCount);
        await again?.ackAck();
      }
      return counts;
    },
    real: [2, 2, 2, 2, 2, 2, 2],
  },
];
