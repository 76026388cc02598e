import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { on, reading, refusal, TOPIC } from "./kafka-scripts.ts";
import { KAFKA_BEGUN } from "./kafka-begun.ts";
import { OUTAGES } from "./kafka-outages.ts";
import { ODD } from "./kafka-odd.ts";
import { LIMITS } from "./kafka-limits.ts";
import { KAFKA_RARELY } from "./kafka-rarely.ts";
import { REBALANCES } from "./kafka-rebalances.ts";
import { SLIPS } from "./kafka-slips.ts";
import { WRITTEN } from "./kafka-written.ts";
import type { Observation, Observed } from "./observation.ts";

type Play = Observation<KafkaClient>["play"];
type Stage = Parameters<Play>[0];
type Consumer = ReturnType<KafkaClient["consumer"]>;
type Producer = ReturnType<KafkaClient["producer"]>;
type RunConfig = NonNullable<Parameters<Consumer["run"]>[0]>;

const OTHER = "others";

/** Runs a script with a connected producer. */
function producing(
  partitions: number,
  script: (producer: Producer, stage: Stage) => Promise<unknown>,
): Play {
  return on(partitions, async (stage) => {
    const producer = stage.client.producer();
    await producer.connect();
    const seen = await script(producer, stage);
    await producer.disconnect();
    return seen;
  });
}

const NON_RETRIABLE = { name: "KafkaJSNonRetriableError", retriable: false };

const KEYS = ["a", "b", "key-1", "key-2", "a-longer-key", "größe"];

/** What kafkajs showed on an Apache Kafka cluster. */
export const KAFKA: Observed<KafkaClient> = {
  server: "Apache Kafka 3.9.1 with kafkajs 2.2.4",
  observations: [
    {
      name: "send resolves with one entry for each partition",
      play: producing(1, async (producer) => {
        const messages = [{ value: "1" }, { value: "2" }, { value: "3" }];
        const sent = await producer.send({ topic: TOPIC, messages });
        const again = await producer.send({ topic: TOPIC, messages: [{ value: "4" }] });
        const [first = {}] = sent;
        return [sent, again.map(({ baseOffset }) => baseOffset), Object.keys(first).toSorted()];
      }),
      real: [
        [
          {
            topicName: TOPIC,
            ...{ partition: 0, errorCode: 0, baseOffset: "0" },
            ...{ logAppendTime: "-1", logStartOffset: "0" },
          },
        ],
        ["3"],
        ["baseOffset", "errorCode", "logAppendTime", "logStartOffset", "partition", "topicName"],
      ],
    },
    {
      name: "a message without a value, and an unknown event, are refused",
      play: producing(1, async (producer) => [
        await refusal(() => producer.send({ topic: TOPIC, messages: [{ key: "a" } as never] })),
        await refusal(() => producer.on("producer.nothing", () => undefined)),
      ]),
      real: [NON_RETRIABLE, NON_RETRIABLE],
    },
    {
      name: "the hash of its key chooses a message's partition",
      play: producing(6, async (producer) => {
        const partitions: number[] = [];
        for (const key of KEYS) {
          const sent = await producer.send({ topic: TOPIC, messages: [{ key, value: "1" }] });
          partitions.push(...sent.map(({ partition }) => partition));
        }
        return partitions;
      }),
      real: [4, 2, 0, 2, 1, 2],
    },
    {
      name: "messages without a key go to one partition after the other",
      play: producing(3, async (producer) => {
        const messages = Array.from({ length: 6 }, () => ({ value: "1" }));
        const sent = await producer.send({ topic: TOPIC, messages });
        return sent.map(({ partition, baseOffset }) => [partition, baseOffset]);
      }),
      real: [
        [0, "0"],
        [1, "0"],
        [2, "0"],
      ],
    },
    {
      name: "a message for a partition that is none is lost without an error",
      play: producing(1, (producer) =>
        producer.send({ topic: TOPIC, messages: [{ partition: 7, value: "1" }] }),
      ),
      real: [],
    },
    {
      name: "a message carries repeated headers and the time that its producer gave",
      play: producing(1, async (producer, stage) => {
        const headers = { a: "1", b: ["x", "y"] };
        const messages = [{ value: "1", headers, timestamp: "1700000000000" }, { value: "2" }];
        await producer.send({ topic: OTHER, messages });
        const seen: unknown[] = [];
        const consumer = await reading(
          stage,
          {
            eachMessage: ({ message }) => {
              const entries = Object.entries(message.headers ?? {});
              const text = entries.map(([name, value]) => [name, String(value)]);
              seen.push([text, message.timestamp === "1700000000000"]);
              const year = new Date(Number(message.timestamp)).getUTCFullYear();
              seen.push(year >= 2023);
              return Promise.resolve();
            },
          },
          { topic: OTHER },
        );
        await stage.pass(8_000);
        await consumer.disconnect();
        return seen;
      }),
      real: [
        [
          [
            ["a", "1"],
            ["b", "x,y"],
          ],
          true,
        ],
        true,
        [[], false],
        true,
      ],
    },
    {
      name: "seek takes -1 and -2, and no lower offset",
      play: on(1, async (stage) => {
        await stage.publish(1);
        const consumer = await reading(stage, { eachMessage: () => Promise.resolve() });
        const seek = (offset: string): Promise<unknown> =>
          refusal(() => consumer.seek({ topic: TOPIC, partition: 0, offset }));
        const seen = [await seek("-1"), await seek("-2"), await seek("-3")];
        await consumer.disconnect();
        return seen;
      }),
      real: ["no error", "no error", NON_RETRIABLE],
    },
    {
      name: "run connects a consumer that is not connected",
      play: on(1, async (stage) => {
        await stage.publish(1);
        const consumer = stage.client.consumer({ groupId: "triggerer" });
        await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
        let count = 0;
        await consumer.run({ eachMessage: () => Promise.resolve(void (count += 1)) });
        await stage.pass(8_000);
        await consumer.disconnect();
        return count;
      }),
      real: 1,
    },
    {
      name: "uncommitted offsets name their partition as text",
      play: on(1, async (stage) => {
        await stage.publish(2);
        const seen: string[] = [];
        const consumer = await reading(stage, {
          eachBatch: ({ batch, resolveOffset, uncommittedOffsets }) => {
            for (const { offset } of batch.messages) resolveOffset(offset);
            const { topics } = uncommittedOffsets();
            seen.push(...topics.flatMap((one) => one.partitions.map((at) => typeof at.partition)));
            return Promise.resolve();
          },
        });
        await stage.pass(8_000);
        await consumer.disconnect();
        return [...new Set(seen)];
      }),
      real: ["string"],
    },
    {
      name: "a position that retention has removed is committed as -2",
      play: on(1, async (stage) => {
        await stage.publish(3);
        const admin = stage.client.admin();
        const consumer = await reading(stage, { autoCommit: false, eachBatch: async () => {} });
        await stage.pass(2_000);
        consumer.seek({ topic: TOPIC, partition: 0, offset: "1000" });
        await stage.pass(12_000);
        const offsets = await admin.fetchOffsets({ groupId: "triggerer", topics: [TOPIC] });
        await consumer.disconnect();
        await admin.disconnect();
        return offsets;
      }),
      real: [{ topic: TOPIC, partitions: [{ partition: 0, offset: "-2", metadata: null }] }],
    },
    {
      name: "the admin client: unconnected, metadata of commits, unknown topics",
      play: on(1, async (stage) => {
        await stage.publish(2);
        const consumer = await reading(stage, { autoCommit: false, eachBatch: async () => {} });
        const commit = { topic: TOPIC, partition: 0, offset: "2", metadata: "mine" };
        await consumer.commitOffsets([commit]);
        const admin = stage.client.admin({ retry: { retries: 0 } });
        const seen = [
          await admin.fetchOffsets({ groupId: "triggerer", topics: [TOPIC] }),
          await refusal(() => admin.fetchTopicOffsets("nothing")),
          await admin.createTopics({ topics: [{ topic: TOPIC }] }),
          (await admin.listTopics()).includes("nothing"),
        ];
        await consumer.disconnect();
        await admin.disconnect();
        return seen;
      }),
      real: [
        [{ topic: TOPIC, partitions: [{ partition: 0, offset: "2", metadata: "mine" }] }],
        {
          ...{ name: "KafkaJSNumberOfRetriesExceeded", retriable: false },
          cause: {
            ...{
              name: "KafkaJSProtocolError",
              message: "This server does not host this topic-partition",
            },
            ...{ code: 3, retriable: true, type: "UNKNOWN_TOPIC_OR_PARTITION" },
          },
        },
        false,
        false,
      ],
    },
    {
      name: "once there is a group, the topic of the commits is listed, too",
      play: on(1, async (stage) => {
        await stage.publish(1);
        const consumer = await reading(stage, { autoCommit: false, eachBatch: async () => {} });
        await consumer.commitOffsets([{ topic: TOPIC, partition: 0, offset: "1" }]);
        const admin = stage.client.admin();
        const listed = (await admin.listTopics()).toSorted();
        const described = async (topics?: string[]): Promise<unknown> => {
          const metadata = await admin.fetchTopicMetadata(topics && { topics });
          return metadata.topics.map(({ name }) => name).toSorted();
        };
        const seen = [listed, await described(), await described(["__consumer_offsets"])];
        await consumer.disconnect();
        await admin.disconnect();
        return seen;
      }),
      real: [
        ["__consumer_offsets", "orders", "others"],
        ["__consumer_offsets", "orders", "others"],
        ["__consumer_offsets"],
      ],
    },
    {
      name: "a commit does not move where a reader stands, also before it has read anything",
      play: producing(1, async (producer, stage) => {
        const offsets: string[] = [];
        const config: RunConfig = {
          autoCommit: false,
          eachMessage: ({ message }) => {
            offsets.push(message.offset);
            return Promise.resolve();
          },
        };
        const consumer = await reading(stage, config, { topic: OTHER });
        await stage.pass(8_000);
        await consumer.commitOffsets([{ topic: OTHER, partition: 0, offset: "2" }]);
        const messages = ["1", "2", "3"].map((value) => ({ value }));
        await producer.send({ topic: OTHER, messages });
        await stage.pass(2_000);
        await consumer.disconnect();
        return offsets;
      }),
      real: ["0", "1", "2"],
    },
    {
      name: "events of a consumer carry its group, generation and member",
      play: on(1, async (stage) => {
        await stage.publish(1);
        const consumer = stage.client.consumer({ groupId: "triggerer", heartbeatInterval: 1_000 });
        const seen = new Map<string, string[]>();
        const { GROUP_JOIN, HEARTBEAT, COMMIT_OFFSETS } = consumer.events;
        const { START_BATCH_PROCESS, END_BATCH_PROCESS } = consumer.events;
        const names = [
          GROUP_JOIN,
          HEARTBEAT,
          COMMIT_OFFSETS,
          START_BATCH_PROCESS,
          END_BATCH_PROCESS,
        ];
        for (const name of names) {
          consumer.on(name, ({ id, payload }: { id: unknown; payload: object }) => {
            seen.set(name, [...Object.keys(payload).toSorted(), `id is a ${typeof id}`]);
          });
        }
        await consumer.connect();
        await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
        await consumer.run({ eachMessage: () => Promise.resolve() });
        await stage.pass(12_000);
        await consumer.disconnect();
        return names.map((name) => seen.get(name));
      }),
      real: [
        [
          ...["duration", "groupId", "groupProtocol", "isLeader"],
          ...["leaderId", "memberAssignment", "memberId", "id is a number"],
        ],
        ["groupGenerationId", "groupId", "memberId", "id is a number"],
        ["groupGenerationId", "groupId", "memberId", "topics", "id is a number"],
        [
          ...["batchSize", "firstOffset", "highWatermark", "lastOffset"],
          ...["offsetLag", "offsetLagLow", "partition", "topic", "id is a number"],
        ],
        [
          ...["batchSize", "duration", "firstOffset", "highWatermark", "lastOffset"],
          ...["offsetLag", "offsetLagLow", "partition", "topic", "id is a number"],
        ],
      ],
    },
    {
      name: "partitions are handled at the same time, as partitionsConsumedConcurrently says",
      play: producing(3, async (producer, stage) => {
        const messages = [0, 1, 2].map((partition) => ({ partition, value: "1" }));
        await producer.send({ topic: OTHER, messages });
        let busy = 0;
        let most = 0;
        const config: RunConfig = {
          partitionsConsumedConcurrently: 2,
          eachMessage: async () => {
            busy += 1;
            most = Math.max(most, busy);
            await stage.pass(500);
            busy -= 1;
          },
        };
        const consumer = await reading(stage, config, { topic: OTHER });
        await stage.pass(12_000);
        await consumer.disconnect();
        return most;
      }),
      real: 2,
    },
    {
      name: "a message that the topic refuses: the server's own error",
      play: producing(1, async (producer, stage) => {
        const consumer = await reading(stage, { eachMessage: () => Promise.resolve() });
        await stage.operate("other topics refuse what is sent");
        const messages = [{ value: "x".repeat(2_000_000) }];
        const seen = await refusal(() => producer.send({ topic: OTHER, messages }));
        await consumer.disconnect();
        return seen;
      }),
      real: {
        ...{ name: "KafkaJSProtocolError", retriable: false },
        ...{ code: 10, type: "MESSAGE_TOO_LARGE" },
      },
    },
    ...REBALANCES,
    ...LIMITS,
    ...KAFKA_RARELY,
    ...KAFKA_BEGUN,
    ...WRITTEN,
    ...SLIPS,
    ...ODD,
    ...OUTAGES,
  ],
};
