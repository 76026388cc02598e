import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import type { ConfluentTopicDescription } from "../../../sim/brokers/kafka/confluent-described.ts";
import {
  GROUP,
  on,
  OTHER,
  producing,
  reading,
  refusal,
  TOPIC,
  until,
  STATE,
  INVALID,
  NOT_IMPLEMENTED,
  MISPLACED,
} from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

const KEYS = ["a", "b", "key-1", "key-2", "a-longer-key", "größe"];

/** A topic without what servers make up. */
function described({ topicId, partitions, ...facts }: ConfluentTopicDescription): object {
  return {
    ...facts,
    topicId: [typeof topicId.leastSignificantBits, topicId.base64.length],
    partitions: partitions.map(({ leaderNode, replicaNodes, isrNodes, ...one }) => ({
      ...one,
      nodes: [leaderNode, ...replicaNodes, ...isrNodes].map(({ id }) => id),
    })),
  };
}

/** What its producer and its admin client showed, and calls that are refused. */
export const CONFLUENT_SENDING: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "the classes of a client's parts",
    play({ client }) {
      const consumer = client.consumer({ kafkaJS: { groupId: "classes" } });
      const parts = [consumer, client.producer(), client.admin()];
      return Promise.resolve(parts.map(({ constructor }) => constructor.name));
    },
    real: ["Consumer", "Producer", "Admin"],
  },
  {
    name: "send resolves with one entry for each partition",
    play: producing(1, async (producer) => {
      const messages = [{ value: "1" }, { value: "2" }, { value: "3" }];
      const sent = await producer.send({ topic: TOPIC, messages });
      const again = await producer.sendBatch({
        topicMessages: [
          { topic: TOPIC, messages: [{ value: "4" }] },
          { topic: OTHER, messages: [{ value: "5" }] },
        ],
      });
      return [sent, again.map(({ topicName, baseOffset }) => [topicName, baseOffset])];
    }),
    real: [
      [
        {
          topicName: "orders",
          partition: 0,
          errorCode: 0,
          baseOffset: "0",
          logAppendTime: "-1",
          logStartOffset: "0",
        },
      ],
      [
        ["orders", "3"],
        ["others", "0"],
      ],
    ],
  },
  {
    name: "the hash of its key chooses a message's partition, as of kafkajs or as of librdkafka",
    play: producing(6, async (producer, { client }) => {
      const other = client.producer({ partitioner: "consistent_random" } as object);
      await other.connect();
      const partitions: number[][] = [];
      for (const one of [producer, other]) {
        const own: number[] = [];
        for (const key of KEYS) {
          const sent = await one.send({ topic: TOPIC, messages: [{ key, value: "1" }] });
          own.push(...sent.map(({ partition }) => partition));
        }
        partitions.push(own);
      }
      await other.disconnect();
      return partitions;
    }),
    real: [
      [4, 2, 0, 2, 1, 2],
      [3, 5, 2, 0, 1, 5],
    ],
  },
  {
    name: "messages without a key that are sent at once go to one partition",
    play: producing(
      3,
      async (producer, stage) => {
        await producer.send({ topic: TOPIC, messages: [{ value: "0", partition: 0 }] });
        await stage.pass(1_000);
        const messages = Array.from({ length: 6 }, () => ({ value: "1" }));
        const sent = await producer.send({ topic: TOPIC, messages });
        return sent.length;
      },
      // At once means within this time, which is 10 ms by default: a busy machine needs more.
      { "sticky.partitioning.linger.ms": 60_000 } as object,
    ),
    real: 1,
  },
  {
    name: "a message for a partition that is none, and one without a value",
    play: producing(1, async (producer) => [
      await refusal(() =>
        producer.send({ topic: TOPIC, messages: [{ partition: 7, value: "1" }] }),
      ),
      await refusal(() => producer.send({ topic: TOPIC, messages: [{ value: null }] })),
      await refusal(() => producer.send({ topic: TOPIC, messages: [{ key: "a" } as never] })),
      await refusal(() => producer.send({ topic: "", messages: [{ value: "1" }] })),
      await producer.send({ topic: TOPIC, messages: [] }),
    ]),
    real: [{ name: "Error", code: -190 }, "no error", { name: "Error" }, { name: "TypeError" }, []],
  },
  {
    name: "a value, a header and a key of another kind: what is refused, and what arrives all the same",
    play: producing(1, async (producer, stage) => {
      const send = (messages: object[]): Promise<unknown> =>
        refusal(() => producer.send({ topic: OTHER, messages: messages as never }));
      const seen: unknown[] = [
        await send([{ value: "1" }, { value: 2 }, { value: "3" }]),
        await send([{ value: { four: 4 } }]),
        await send([{ value: "5", headers: { a: "1", b: 2, c: "3" } }]),
        await send([{ value: "6", headers: { a: null } }]),
        await send([{ value: "7", key: 7 }, { value: new Uint8Array([56]) }]),
      ];
      const arrived: unknown[] = [];
      const consumer = await reading(
        stage,
        {
          eachMessage: ({ message: { key, value, headers } }) => {
            const named = Object.entries(headers ?? {}).map(([name, one]) => [name, String(one)]);
            arrived.push([String(key), String(value), named]);
            return Promise.resolve();
          },
        },
        { topic: OTHER },
      );
      await until(stage, () => arrived.length === 6);
      await consumer.disconnect();
      return [...seen, arrived];
    }),
    real: [
      ...[{ name: "Error" }, { name: "Error" }, "no error", { name: "Error" }, "no error"],
      [
        ...[
          ["null", "1", []],
          ["null", "3", []],
        ],
        [
          "null",
          "5",
          [
            ["a", "1"],
            ["c", "3"],
          ],
        ],
        ...[
          ["null", "6", []],
          ["7", "7", []],
          ["null", "8", []],
        ],
      ],
    ],
  },
  {
    name: "send changes the messages that it is given",
    play: producing(1, async (producer) => {
      const message = { value: "1", headers: { a: "1", b: ["x", "y"] } };
      await producer.send({ topic: TOPIC, messages: [message] });
      const plain = { value: null, timestamp: "1700000000000" };
      await producer.send({ topic: TOPIC, messages: [plain] });
      return [Object.keys(message).toSorted(), message.headers, plain];
    }),
    real: [
      ["headers", "partition", "timestamp", "value"],
      [{ a: "1" }, { b: "x" }, { b: "y" }],
      { value: null, timestamp: 1700000000000, partition: -1, headers: null },
    ],
  },
  {
    name: "a message that the topic refuses: the server's own error",
    play: producing(
      1,
      async (producer, stage) => {
        const consumer = await reading(stage, { eachMessage: () => Promise.resolve() });
        await stage.operate("other topics refuse what is sent");
        const messages = [{ value: "x".repeat(2_000_000) }];
        const seen = await refusal(() => producer.send({ topic: OTHER, messages }));
        await consumer.disconnect();
        return seen;
      },
      { "message.max.bytes": 4_000_000 } as object,
    ),
    real: {
      name: "KafkaJSProtocolError",
      code: 10,
      retriable: false,
      type: "ERR_MSG_SIZE_TOO_LARGE",
    },
  },
  {
    name: "a producer before it is connected, connected twice, and when it is disconnected",
    play: on(1, async ({ client }) => {
      const producer = client.producer();
      const record = { topic: TOPIC, messages: [{ value: "1" }] };
      await producer.disconnect();
      const seen = [
        await refusal(() => producer.send(record)),
        await refusal(() => producer.sendBatch({ topicMessages: [record] })),
        await refusal(() => producer.flush()),
      ];
      await producer.connect();
      seen.push(await refusal(() => producer.connect()));
      const sent = producer.send(record).then(() => "sent");
      await producer.flush({ timeout: 5_000 });
      seen.push(await sent);
      await producer.disconnect();
      await producer.disconnect();
      seen.push(await refusal(() => producer.send(record)));
      seen.push(await refusal(() => producer.connect()));
      return seen;
    }),
    real: [STATE, STATE, STATE, STATE, "sent", STATE, STATE],
  },
  {
    name: "options of kafkajs that have another place, or none, are refused",
    play: producing(1, async (producer, { client }) => {
      const messages = [{ value: "1" }];
      const misplaced = { topic: TOPIC, messages, acks: 1 };
      const createPartitioner = (): (() => number) => () => 0;
      return [
        await refusal(() => producer.send(misplaced)),
        await refusal(() => producer.sendBatch(misplaced as never)),
        await refusal(() => client.producer({ idempotent: true } as object)),
        await refusal(() => client.consumer({ groupId: GROUP } as object)),
        await refusal(() => client.producer({ kafkaJS: { createPartitioner } }).connect()),
        await refusal(() => client.producer({ kafkaJS: { unknown: 1 } }).connect()),
        await refusal(() => client.consumer({ kafkaJS: { groupId: GROUP, a: 1 } }).connect()),
      ];
    }),
    real: [INVALID, INVALID, MISPLACED, MISPLACED, NOT_IMPLEMENTED, INVALID, INVALID],
  },
  {
    name: "the admin client: unconnected, topics that exist, offsets, unknown topics",
    play: on(2, async (stage) => {
      await stage.publish(2);
      const consumer = await reading(stage, { eachMessage: () => Promise.resolve() });
      await until(stage, () => consumer.assignment().length > 0);
      await consumer.commitOffsets([{ topic: TOPIC, partition: 0, offset: "1", metadata: "mine" }]);
      await stage.pass(1_000);
      const admin = stage.client.admin();
      const seen = [
        await refusal(() => admin.listTopics()),
        await refusal(() => admin.fetchOffsets({ groupId: GROUP })),
      ];
      await admin.connect();
      seen.push(
        await refusal(() => admin.connect()),
        await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] }),
        await admin.fetchOffsets({
          groupId: GROUP,
          topics: [{ topic: TOPIC, partitions: [0, 1] }],
        }),
        (await admin.fetchTopicOffsets(TOPIC)).length,
        await refusal(() => admin.fetchTopicOffsets("nothing")),
        await admin.createTopics({ topics: [{ topic: TOPIC }] }),
        (await admin.listTopics()).toSorted(),
        await refusal(() => admin.createTopics({ topics: [], waitForLeaders: true } as never)),
        await refusal(() => admin.fetchOffsets({ groupId: "" })),
      );
      await admin.disconnect();
      seen.push(await refusal(() => admin.listTopics()));
      await consumer.disconnect();
      return seen;
    }),
    real: [
      STATE,
      STATE,
      STATE,
      [
        {
          topic: "orders",
          partitions: [
            { partition: 0, offset: "1", metadata: "mine", leaderEpoch: null, error: null },
          ],
        },
      ],
      [
        {
          topic: "orders",
          partitions: [
            { partition: 0, offset: "1", metadata: "mine", leaderEpoch: null, error: null },
            { partition: 1, offset: "-1001", metadata: null, leaderEpoch: null, error: null },
          ],
        },
      ],
      2,
      {
        name: "KafkaJSProtocolError",
        code: 3,
        retriable: false,
        type: "ERR_UNKNOWN_TOPIC_OR_PART",
      },
      false,
      ["__consumer_offsets", "orders", "others"],
      NOT_IMPLEMENTED,
      INVALID,
      STATE,
    ],
  },
  {
    name: "what topics are described as, and topics that cannot be",
    play: on(2, async (stage) => {
      const admin = stage.client.admin();
      const asked = async (topics: unknown, more: object = {}): Promise<unknown> => {
        const given = { topics, ...more } as { topics: string[] };
        let found: unknown;
        const refused = await refusal(async () => {
          found = (await admin.fetchTopicMetadata(given)).map(described);
        });
        return found ?? refused;
      };
      const seen = [await asked([TOPIC])];
      await admin.connect();
      const options = { topics: [TOPIC] };
      const all = await admin.fetchTopicMetadata();
      seen.push(
        // On a server there are those of other observations, too.
        all.flatMap(({ name }) => ([TOPIC, "others"].includes(name) ? [name] : [])).toSorted(),
        (await admin.fetchTopicMetadata({ topics: ["others", TOPIC] })).map(({ name }) => name),
        await asked([TOPIC]),
        (await admin.fetchTopicMetadata({ ...options, includeAuthorizedOperations: true }))[0]
          ?.authorizedOperations,
        await asked([TOPIC, "nothing"]),
        await asked(["no name"]),
        await asked([""]),
        await asked([TOPIC, TOPIC]),
        await asked([]),
        await asked(undefined),
        await asked(TOPIC),
        await asked([TOPIC], { timeout: 0 }),
        await asked([TOPIC], { timeout: -1 }),
      );
      await admin.fetchTopicMetadata(options);
      await admin.disconnect();
      return [...seen, options];
    }),
    real: [
      STATE,
      ["orders", "others"],
      ["others", "orders"],
      [
        {
          name: "orders",
          topicId: ["bigint", 22],
          isInternal: false,
          partitions: [0, 1].map((partitionId) => ({
            ...{ partitionErrorCode: 0, partitionId, leader: 1, replicas: [1], isr: [1] },
            nodes: [1, 1, 1],
          })),
          authorizedOperations: undefined,
        },
      ],
      [3, 4, 5, 6, 7, 8, 10, 11],
      {
        name: "KafkaJSProtocolError",
        code: 3,
        retriable: false,
        type: "ERR_UNKNOWN_TOPIC_OR_PART",
      },
      { name: "KafkaJSProtocolError", code: 17, retriable: false, type: "ERR_TOPIC_EXCEPTION" },
      INVALID,
      INVALID,
      { name: "Error" },
      { name: "Error" },
      { name: "Error" },
      { name: "KafkaJSTimeout", code: -185, retriable: false, type: "ERR__TIMED_OUT" },
      INVALID,
      { topics: ["orders"], timeout: 5_000, includeAuthorizedOperations: false },
    ],
  },
  {
    name: "a topic whose name is none is not created, the others are",
    play: on(1, async ({ client }) => {
      const admin = client.admin();
      await admin.connect();
      const topics = [{ topic: "no name" }, { topic: "" }, { topic: "a-name" }];
      try {
        await admin.createTopics({ topics });
        return "created";
      } catch (error) {
        const { name, errors } = error as AggregateError;
        const facts = (errors as { code: number; type: string; topic: string }[]).map(
          ({ code, type, topic }) => [code, type, topic],
        );
        return [name, facts, (await admin.listTopics()).includes("a-name")];
      } finally {
        await admin.disconnect();
      }
    }),
    real: [
      "KafkaJSAggregateError",
      [
        [17, "ERR_TOPIC_EXCEPTION", "no name"],
        [17, "ERR_TOPIC_EXCEPTION", ""],
      ],
      true,
    ],
  },
  {
    name: "settings that are refused when it connects",
    play: on(1, async ({ client }) => {
      const common = [
        { retry: { restartOnFailure: () => Promise.resolve(true) } },
        { retry: { multiplier: 2 } },
        ...[{ reauthenticationThreshold: 1 }, { socketFactory: undefined }],
        ...[{ autoCommit: "sometimes" }, { autoCommit: "f" }],
      ];
      const seen: unknown[] = [];
      for (const one of common) {
        const consumer = client.consumer({ kafkaJS: { groupId: GROUP, ...one } });
        const refused = await refusal(() => consumer.connect());
        seen.push(refused);
        if (refused === "no error") await consumer.disconnect();
      }
      return seen;
    }),
    real: [INVALID, INVALID, INVALID, INVALID, { name: "Error" }, "no error"],
  },
  {
    name: "a topic with no valid number of partitions is not created",
    play: on(1, async ({ client }) => {
      const admin = client.admin();
      await admin.connect();
      try {
        await admin.createTopics({ topics: [{ topic: "bad", numPartitions: 0 }] });
        return "created";
      } catch (error) {
        const { name, errors } = error as AggregateError;
        return [name, (errors as Error[]).map((one) => [one.name, Object.keys(one).toSorted()])];
      } finally {
        await admin.disconnect();
      }
    }),
    real: [
      "KafkaJSAggregateError",
      [
        [
          "KafkaJSCreateTopicError",
          ["abortable", "code", "fatal", "name", "retriable", "topic", "type"],
        ],
      ],
    ],
  },
  {
    name: "a message as a consumer gets it",
    play: producing(1, async (producer, stage) => {
      const headers = { a: "1", b: ["x", "y"] };
      const given = { key: "k", value: "one", headers, timestamp: "1700000000000" };
      await producer.send({ topic: OTHER, messages: [given, { value: null }] });
      const seen: unknown[] = [];
      const consumer = await reading(
        stage,
        {
          eachMessage: ({ topic, partition, message }) => {
            const { key, value, timestamp, headers: got, ...others } = message;
            const text = Object.entries(got ?? {}).map(([name, one]) => [name, String(one)]);
            const isPast = timestamp === "1700000000000";
            seen.push([topic, partition, String(key), String(value), isPast, text, others]);
            return Promise.resolve();
          },
        },
        { topic: OTHER },
      );
      await until(stage, () => seen.length === 2);
      await consumer.disconnect();
      return seen;
    }),
    real: [
      [
        "others",
        0,
        "k",
        "one",
        true,
        [
          ["a", "1"],
          ["b", "x,y"],
        ],
        { attributes: 0, offset: "0", size: 3, leaderEpoch: 0 },
      ],
      [
        "others",
        0,
        "null",
        "null",
        false,
        [],
        { attributes: 0, offset: "1", size: 0, leaderEpoch: 0 },
      ],
    ],
  },
];
