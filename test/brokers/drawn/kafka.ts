import * as fc from "fast-check";
import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { refusal } from "../observed/kafka-scripts.ts";
import type { DrawnSequences } from "./drawn.ts";

type Consumer = ReturnType<KafkaClient["consumer"]>;

/** Which record of a partition, counted from the last that was read. */
type Nth = number;
type Partition = number;
type Call =
  | readonly ["send", keys: readonly string[]]
  | readonly ["send to", Partition, count: number]
  | readonly ["commit", Partition, Nth]
  | readonly ["commit at" | "seek", Partition, offset: string]
  | readonly ["pause" | "resume", Partition]
  | readonly ["start anew"];

const PARTITIONS = 2;
const CREATION_TRIES = 600;
/** How long a fetch waits for records: a pause or seek is in force when the one under way is over. */
const FETCH_MS = 40;
/** Behind which the next fetch has brought what there is. */
const SOON_MS = 120;
/** How often it is asked whether the server knows a new topic. */
const KNOWN_MS = 20;

const partition = fc.nat({ max: PARTITIONS - 1 });
const key = fc.constantFrom("a", "b", "key-1", "größe");
/** "-2" is the beginning, "-1" the end. */
const offset = fc.constantFrom("-2", "-1", "0", "1", "2", "3", "5", "7");
const committed = fc.constantFrom("0", "1", "2", "3", "5", "7");
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant("send" as const),
      fc.array(key, { minLength: 1, maxLength: 3 }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant("send to" as const), partition, fc.integer({ min: 1, max: 3 })),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constant("commit" as const), partition, fc.nat({ max: 4 })),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("commit at" as const), partition, committed) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("seek" as const), partition, offset) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom("pause" as const, "resume" as const), partition),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("start anew" as const)) },
);

/** A record that was read: where it stood, and what it was. */
type Read = readonly [partition: number, offset: string, key: string | undefined, value: string];

let played = 0;

type Tools = Promise<{
  readonly admin: ReturnType<KafkaClient["admin"]>;
  readonly producer: ReturnType<KafkaClient["producer"]>;
}>;
/** Sequences of one client, which come one after the other, share what is not compared. */
const tools = new WeakMap<KafkaClient, Tools>();

function toolsOf(client: KafkaClient): Tools {
  const known = tools.get(client);
  if (known !== undefined) return known;
  const connect = async (): Tools => {
    const [admin, producer] = [client.admin(), client.producer()];
    await admin.connect();
    await producer.connect();
    return { admin, producer };
  };
  const connected = connect();
  tools.set(client, connected);
  return connected;
}

function byNumber(left: number, right: number): number {
  return left - right;
}

/** A producer, and a group of one consumer that commits by hand. */
export const KAFKA_CALLS: DrawnSequences<KafkaClient, Call> = {
  operation: call,
  operationsMax: 12,
  async play({ client, pass }, calls) {
    played += 1;
    // A server would need seconds to forget a topic.
    const topic = `drawn-${played}`;
    const groupId = topic;
    const { admin, producer } = await toolsOf(client);
    const topics = [{ topic, numPartitions: PARTITIONS }];
    await admin.createTopics({ topics, waitForLeaders: false });
    // The library gives up where a busy server does not know the topic yet.
    for (let tries = 1; ; tries += 1) {
      try {
        await admin.fetchTopicOffsets(topic);
        break;
      } catch (error) {
        if (tries === CREATION_TRIES) throw error;
        await pass(KNOWN_MS);
      }
    }
    const read: Read[] = [];
    let told: Read[] = [];
    const start = async (): Promise<Consumer> => {
      const consumer = client.consumer({ groupId, maxWaitTimeInMs: FETCH_MS });
      const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachMessage: ({ partition: number, message }) => {
          const one: Read = [
            ...([number, message.offset, message.key?.toString()] as const),
            message.value?.toString() ?? "",
          ];
          read.push(one);
          told.push(one);
          return Promise.resolve();
        },
      });
      await joined;
      // Until its first fetch a commit would decide where it begins.
      await pass(SOON_MS);
      return consumer;
    };
    let consumer = await start();
    let sent = 0;
    const send = async (
      messages: readonly { readonly key?: string; readonly partition?: number }[],
    ): Promise<unknown> => {
      const numbered = messages.map((message) => ({ ...message, value: String((sent += 1)) }));
      const replies = await producer.send({ topic, messages: numbered });
      return replies
        .toSorted((left, right) => left.partition - right.partition)
        .map((reply) => [reply.partition, reply.baseOffset]);
    };
    const perform = async (one: Call): Promise<unknown> => {
      switch (one[0]) {
        case "send":
          return send(one[1].map((name) => ({ key: name })));
        case "send to":
          return send(Array.from({ length: one[2] }, () => ({ partition: one[1] })));
        case "commit": {
          const last = read.filter(([number]) => number === one[1]).at(-1 - one[2]);
          if (last === undefined) return "nothing read";
          const next = String(Number(last[1]) + 1);
          return refusal(() =>
            consumer.commitOffsets([{ topic, partition: last[0], offset: next }]),
          );
        }
        case "commit at":
          return refusal(() =>
            consumer.commitOffsets([{ topic, partition: one[1], offset: one[2] }]),
          );
        case "seek":
          return refusal(() => consumer.seek({ topic, partition: one[1], offset: one[2] }));
        case "pause":
        case "resume":
          consumer[one[0]]([{ topic, partitions: [one[1]] }]);
          return;
        case "start anew":
          await consumer.disconnect();
          consumer = await start();
          return;
        default:
          return one[0] satisfies never;
      }
    };
    const seen: unknown[] = [];
    for (const one of calls) {
      const outcome = await perform(one);
      await pass(SOON_MS);
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const commits = (offsets?.partitions ?? [])
        .toSorted((left, right) => left.partition - right.partition)
        .map((at) => at.offset);
      const paused = consumer.paused().map(({ partitions }) => partitions.toSorted(byNumber));
      // The order between partitions is nobody's promise.
      seen.push([
        one,
        outcome,
        told.toSorted((left, right) => left[0] - right[0]),
        commits,
        paused,
      ]);
      told = [];
    }
    await consumer.disconnect();
    return seen;
  },
};
