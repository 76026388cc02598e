import type { NatsClient, NatsConsumer } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import type { Observation } from "./observation.ts";

type Stage = Parameters<Observation<NatsClient>["play"]>[0];

const NANOS_PER_MS = 1_000_000;
const SOON_MS = 200;
/** A delay of a nak that is over when the next thing happens. */
const NAK_MS = 50;

/** A consumer that gives up, and a look at how far it has come. */
async function givingUp(
  { client, pass }: Stage,
  {
    maxDeliver,
    waitMs = 60_000,
    policy = "explicit",
  }: {
    readonly maxDeliver: number;
    readonly waitMs?: number;
    readonly policy?: "explicit" | "all";
  },
) {
  const manager = await client.jetstreamManager();
  await manager.consumers.add("ORDERS", {
    durable_name: "own",
    ack_policy: policy,
    max_deliver: maxDeliver,
    ack_wait: waitMs * NANOS_PER_MS,
  });
  const consumer = await client.consumers.get("ORDERS", "own");
  const reached = async (): Promise<readonly unknown[]> => {
    await pass(SOON_MS);
    const { delivered, ack_floor, ...info } = await consumer.info();
    const places = [delivered, ack_floor].map((at) => [at.consumer_seq, at.stream_seq]);
    return [...places, info.num_ack_pending, info.num_redelivered];
  };
  return { consumer, reached };
}

async function taken(consumer: NatsConsumer, count: number): Promise<readonly NatsMessage[]> {
  const messages: NatsMessage[] = [];
  const batch = await consumer.fetch({ max_messages: count, expires: 1_000 });
  for await (const message of batch) messages.push(message);
  return messages;
}

/** What becomes of messages that were delivered as often as they may be. */
export const NATS_GIVEN_UP: readonly Observation<NatsClient>[] = [
  {
    name: "what is delivered once is given up when its time is over, and none counts as redelivered",
    async play(stage) {
      await stage.publish(3);
      const { consumer, reached } = await givingUp(stage, { maxDeliver: 1, waitMs: 600 });
      const [first, second, third] = await taken(consumer, 3);
      first?.ack();
      await stage.pass(1_500);
      const seen = [await reached(), (await taken(consumer, 3)).length];
      second?.ack();
      seen.push(await reached());
      third?.nak();
      seen.push(await reached());
      await stage.publish(1);
      (await consumer.next({ expires: 1_000 }))?.ack();
      return [...seen, await reached()];
    },
    real: [
      [[3, 3], [1, 1], 0, 0],
      0,
      [[3, 3], [1, 1], 0, 0],
      [[3, 3], [1, 1], 0, 0],
      [[4, 4], [4, 4], 0, 0],
    ],
  },
  {
    name: "what was handed back at its last delivery is pending until it would be delivered again",
    async play(stage) {
      await stage.publish(3);
      const { consumer, reached } = await givingUp(stage, { maxDeliver: 2 });
      const [first, second, third] = await taken(consumer, 3);
      second?.nak(NAK_MS);
      await stage.pass(SOON_MS);
      const [again] = await taken(consumer, 1);
      again?.nak(NAK_MS);
      const seen = [await reached(), (await taken(consumer, 1)).length, await reached()];
      first?.ack();
      seen.push(await reached());
      third?.ack();
      return [...seen, await reached()];
    },
    real: [
      [[4, 3], [0, 0], 3, 1],
      0,
      [[4, 3], [0, 0], 2, 1],
      [[4, 3], [2, 2], 1, 1],
      [[4, 3], [4, 3], 0, 1],
    ],
  },
  {
    name: "a late nak of what was given up does nothing, a late ack has it count as redelivered no more",
    async play(stage) {
      await stage.publish(2);
      const { consumer, reached } = await givingUp(stage, { maxDeliver: 2, waitMs: 1_000 });
      for (const message of await taken(consumer, 2)) message.nak();
      const [first, second] = await taken(consumer, 2);
      await stage.pass(1_500);
      const seen: unknown[] = [(await taken(consumer, 1)).length, await reached()];
      first?.nak();
      seen.push(await reached());
      second?.ack();
      return [...seen, await reached()];
    },
    real: [0, [[4, 2], [0, 0], 0, 2], [[4, 2], [0, 0], 0, 2], [[4, 2], [0, 0], 0, 1]],
  },
  {
    name: "an ack of all before it passes what was given up, and none that is late counts",
    async play(stage) {
      await stage.publish(2);
      const all = { maxDeliver: 2, waitMs: 1_500, policy: "all" } as const;
      const { consumer, reached } = await givingUp(stage, all);
      for (const message of await taken(consumer, 2)) message.nak();
      const [first] = await taken(consumer, 2);
      await stage.pass(2_000);
      const seen: unknown[] = [(await taken(consumer, 1)).length, await reached()];
      first?.ack();
      seen.push(await reached());
      await stage.publish(3);
      const [, fourth] = await taken(consumer, 3);
      fourth?.ack();
      return [...seen, await reached()];
    },
    real: [0, [[4, 2], [0, 0], 0, 2], [[4, 2], [0, 0], 0, 2], [[7, 5], [6, 4], 1, 2]],
  },
];
