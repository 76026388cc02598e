import type { NatsClient, NatsConsumer } from "../../../sim/brokers/nats/client.ts";
import { BROKER_CRASHES, type Observation } from "./observation.ts";

type Stage = Parameters<Observation<NatsClient>["play"]>[0];

const NANOS_PER_MS = 1_000_000;
/** A consumer that does nothing for so long is on the server's disk. */
const WRITTEN_MS = 500;
/** Within so long the server has not written down what follows on something else. */
const UNWRITTEN_MS = 10;
const WAIT_MS = 4_000;

/** A consumer of one's own whose state is on the disk. */
async function writtenDown({ client, pass }: Stage): Promise<NatsConsumer> {
  const manager = await client.jetstreamManager();
  await manager.consumers.add("ORDERS", {
    durable_name: "own",
    ack_policy: "explicit",
    ack_wait: WAIT_MS * NANOS_PER_MS,
  });
  await pass(WRITTEN_MS);
  return await client.consumers.get("ORDERS", "own");
}

/** Reads the next message, and acknowledges it; returns whether the server has confirmed that. */
async function acknowledged(consumer: NatsConsumer): Promise<boolean | undefined> {
  const message = await consumer.next({ expires: 1_000 });
  return await message?.ackAck();
}

/** How far it is, once the server is there again. */
async function reached(consumer: NatsConsumer, { pass }: Stage): Promise<readonly unknown[]> {
  for (;;) {
    try {
      const { delivered, ack_floor: floor, ...info } = await consumer.info();
      return [delivered.stream_seq, floor.stream_seq, info.num_ack_pending, info.num_pending];
    } catch {
      await pass(WRITTEN_MS);
    }
  }
}

/**
 * What comes until nothing comes any more, by its place in the stream: whether an old message is
 * due ahead of what is new depends on when the reader is back.
 */
async function coming(consumer: NatsConsumer): Promise<readonly unknown[]> {
  const seen: (readonly [seq: number, count: number, again: boolean])[] = [];
  for (;;) {
    const message = await consumer.next({ expires: WAIT_MS + 1_000 });
    if (message === null) return seen.toSorted(([a], [b]) => a - b);
    seen.push([message.seq, message.info.deliveryCount, message.redelivered]);
    await message.ackAck();
  }
}

/** What is left of acknowledgements when the server's process is killed. */
export const NATS_KILLED: readonly Observation<NatsClient>[] = [
  {
    name: "an acknowledgement that was confirmed a moment before is lost with the process",
    async play(stage) {
      const consumer = await writtenDown(stage);
      await stage.publish(1);
      const isConfirmed = await acknowledged(consumer);
      await stage.operate(BROKER_CRASHES);
      return [isConfirmed, await reached(consumer, stage), await coming(consumer)];
    },
    real: [true, [1, 0, 1, 0], [[1, 2, true]]],
  },
  {
    name: "what was delivered a moment before is delivered as if for the first time",
    async play(stage) {
      const consumer = await writtenDown(stage);
      await stage.publish(1);
      await acknowledged(consumer);
      await stage.publish(1);
      await stage.pass(UNWRITTEN_MS);
      const isConfirmed = await acknowledged(consumer);
      await stage.operate(BROKER_CRASHES);
      return [isConfirmed, await reached(consumer, stage), await coming(consumer)];
    },
    real: [
      true,
      [1, 0, 1, 1],
      [
        [1, 2, true],
        [2, 1, false],
      ],
    ],
  },
  {
    name: "an acknowledgement outlives the process when some time has passed",
    async play(stage) {
      const consumer = await writtenDown(stage);
      await stage.publish(2);
      await acknowledged(consumer);
      await stage.pass(WRITTEN_MS);
      await stage.operate(BROKER_CRASHES);
      return [await reached(consumer, stage), await coming(consumer)];
    },
    real: [[1, 1, 0, 1], [[2, 1, false]]],
  },
  {
    name: "a reader that has lost its connection misses no heartbeats, and reads on behind it",
    async play(stage) {
      const consumer = await stage.client.consumers.get("ORDERS", "triggerer");
      const reader = await consumer.consume({ expires: 1_000, idle_heartbeat: 500 });
      const told: string[] = [];
      void (async () => {
        for await (const { type } of reader.status()) told.push(type);
      })();
      const seen: number[] = [];
      void (async () => {
        for await (const message of reader) {
          seen.push(message.seq);
          message.ack();
        }
      })();
      await stage.pass(WRITTEN_MS);
      await stage.operate(BROKER_CRASHES);
      await stage.pass(WAIT_MS);
      await stage.publish(1);
      await stage.pass(WRITTEN_MS);
      await reader.close();
      return [told.filter((type) => type === "heartbeats_missed"), seen];
    },
    real: [[], [1]],
  },
];
