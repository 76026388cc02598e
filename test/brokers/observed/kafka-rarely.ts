import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { errorFacts, type Observation } from "./observation.ts";
import { on, TOPIC } from "./kafka-scripts.ts";

type Call = readonly [method: string, ...args: readonly unknown[]];

const own = (partition: number, offset: string, more: object = {}): object => ({
  ...{ topic: TOPIC, partition, offset },
  ...more,
});
const sent = (...messages: readonly object[]): object => ({ topic: TOPIC, messages });

const ADMIN: readonly Call[] = [
  ["createTopics", { topics: [{ topic: "rare", numPartitions: 2 }] }],
  ["createTopics", { topics: [{ topic: "rare", numPartitions: 2 }] }],
  ["createTopics", { topics: [{ topic: "rare" }, { topic: "rarer" }] }],
  ["createTopics", { topics: [{ topic: "rare" }, { topic: "rare" }] }],
  ["createTopics", { topics: [{ topic: "a b" }] }],
  ["createTopics", { topics: [{ topic: "" }] }],
  ["createTopics", { topics: [{}] }],
  ["createTopics", { topics: "rare" }],
  ["createTopics", {}],
  ["createTopics", { topics: [] }],
  ["createTopics", { topics: [{ topic: "none", numPartitions: 0 }] }],
  ["createTopics", { topics: [{ topic: "none", numPartitions: -2 }] }],
  ["createTopics", { topics: [{ topic: "one", numPartitions: -1 }] }],
  ["fetchTopicMetadata", { topics: ["rare"] }],
  ["fetchTopicMetadata", { topics: [5] }],
  ["fetchTopicOffsets", TOPIC],
  ["fetchTopicOffsets", ""],
  ["fetchTopicOffsets"],
  ["fetchTopicOffsetsByTimestamp", TOPIC, 0],
  ["fetchTopicOffsetsByTimestamp", TOPIC, 9_999_999_999_999],
  ["fetchTopicOffsetsByTimestamp", TOPIC],
  ["fetchTopicOffsetsByTimestamp", ""],
  ["fetchOffsets", { groupId: "own", topics: [TOPIC] }],
  ["fetchOffsets", { groupId: "own", topics: [TOPIC], resolveOffsets: true }],
  ["fetchOffsets", { groupId: "own" }],
  ["fetchOffsets", { groupId: "own", topics: [] }],
  ["fetchOffsets", { groupId: "own", topics: "orders" }],
  ["fetchOffsets", { topics: [TOPIC] }],
  ["setOffsets", { groupId: "own", topic: TOPIC, partitions: [{ partition: 0, offset: "1" }] }],
  ["setOffsets", { groupId: "own", topic: TOPIC, partitions: [{ partition: 1, offset: "99" }] }],
  ["fetchOffsets", { groupId: "own", topics: [TOPIC] }],
  ["fetchOffsets", { groupId: "own", topics: [TOPIC], resolveOffsets: true }],
  ["fetchOffsets", { groupId: "own" }],
  ["setOffsets", { groupId: "own", topic: TOPIC, partitions: [] }],
  ["setOffsets", { groupId: "own", topic: TOPIC }],
  ["setOffsets", { groupId: "own", partitions: [{ partition: 0, offset: "1" }] }],
  ["setOffsets", { topic: TOPIC, partitions: [{ partition: 0, offset: "1" }] }],
  ["resetOffsets", { groupId: "own", topic: TOPIC, earliest: true }],
  ["fetchOffsets", { groupId: "own", topics: [TOPIC] }],
  ["fetchOffsets", { groupId: "own", topics: [TOPIC], resolveOffsets: true }],
  ["resetOffsets", { groupId: "own", topic: TOPIC }],
  ["fetchOffsets", { groupId: "own", topics: [TOPIC] }],
  ["resetOffsets", { groupId: "own" }],
  ["resetOffsets", { topic: TOPIC }],
  ["describeGroups", ["nobody"]],
  ["describeGroups", []],
];

const PRODUCER: readonly Call[] = [
  ["send", sent({ value: "a", partition: 0 })],
  ["send", sent({ value: null, key: null, partition: 0 })],
  ["send", sent()],
  ["send", sent({ key: "k" })],
  ["send", sent({ value: undefined })],
  ["send", sent({ value: 5 })],
  ["send", sent({ value: "a", key: 5 })],
  ["send", sent({ value: "a", key: {} })],
  ["send", sent({ value: "a", key: true })],
  ["send", sent({ value: "a", headers: { a: 5 } })],
  ["send", sent({ value: "a", headers: { a: ["b", "c"], d: "e" }, partition: 1 })],
  ["send", sent({ value: "a", timestamp: "x" })],
  ["send", sent({ value: "a", timestamp: "5", partition: 0 })],
  ["send", { messages: [{ value: "a" }] }],
  ["send", { topic: "", messages: [{ value: "a" }] }],
  ["send", { topic: TOPIC }],
  ["send", { topic: TOPIC, messages: null }],
  ["send", { ...sent({ value: "a", partition: 0 }), acks: 0 }],
  ["send", { ...sent({ value: "a", partition: 0 }), acks: 1 }],
  ["sendBatch", { topicMessages: [] }],
  ["sendBatch", {}],
  ["sendBatch", { topicMessages: [sent({ value: "a", partition: 0 })] }],
  [
    "sendBatch",
    { topicMessages: [sent({ value: "a", partition: 1 }), sent({ value: "b", partition: 1 })] },
  ],
  ["isIdempotent"],
  ["on", "producer.nothing", () => undefined],
];

const CONSUMER: readonly Call[] = [
  ["subscribe", {}],
  ["subscribe", { topic: 5 }],
  ["subscribe", { topics: [5] }],
  ["subscribe", { topics: "orders" }],
  ["subscribe", { topic: TOPIC }],
  ["pause", [{}]],
  ["pause", [{ topic: TOPIC, partitions: "0" }]],
  ["pause", [{ topic: TOPIC, partitions: ["x"] }]],
  ["resume", [{}]],
  ["resume", [{ topic: TOPIC, partitions: [0, "y"] }]],
  ["pause", [{ topic: TOPIC, partitions: [0] }]],
  ["resume", [{ topic: TOPIC }]],
  ["paused"],
  ["seek", { topic: TOPIC, partition: 0, offset: "1" }],
  ["seek", { partition: 0, offset: "1" }],
  ["seek", { topic: TOPIC, partition: "x", offset: "1" }],
  ["seek", { topic: TOPIC, partition: 0, offset: "x" }],
  ["seek", { topic: TOPIC, partition: 0, offset: "-3" }],
  ["on", "consumer.nothing", () => undefined],
  ["commitOffsets", [own(0, "1", { topic: "" })]],
  ["commitOffsets", [own(0, "x")]],
  ["commitOffsets", [own(0, "-1")]],
  ["commitOffsets", [{ topic: TOPIC, offset: "1" }]],
  ["commitOffsets", [own(0, "1", { metadata: 5 })]],
  ["stop"],
];

interface OfPartition {
  readonly partition?: number;
  readonly partitionId?: number;
}

const numberOf = ({ partition, partitionId }: OfPartition): number => partition ?? partitionId ?? 0;

/** The server has them in no order. */
function isOfPartitions(value: unknown): value is OfPartition[] {
  if (!Array.isArray(value)) return false;
  const [first] = value as readonly unknown[];
  return (
    typeof first === "object" && first !== null && /"partition(?:Id)?":/.test(JSON.stringify(first))
  );
}

/** Of an answer what does not depend on chance: neither ids nor times. */
function plain(answer: unknown): unknown {
  if (answer === undefined) return "nothing";
  if (typeof answer === "function") return "a function";
  const text = JSON.stringify(answer, (name, value: unknown) => {
    if (name === "leader" || name === "replicas" || name === "isr") return undefined;
    return isOfPartitions(value) ? value.toSorted((a, b) => numberOf(a) - numberOf(b)) : value;
  });
  return JSON.parse(text) as unknown;
}

async function answersTo(on: object, calls: readonly Call[]): Promise<readonly unknown[]> {
  const methods = on as Record<string, (...args: readonly unknown[]) => unknown>;
  const seen: unknown[] = [];
  for (const [method, ...args] of calls) {
    try {
      seen.push([method, plain(await methods[method]?.(...args))]);
    } catch (error) {
      const { name, message, type } = errorFacts(error) as Error & { readonly type?: string };
      // Each engine words it otherwise.
      const words = name === "SyntaxError" ? "of its engine" : message;
      seen.push([method, [name, type ?? words]]);
    }
  }
  return seen;
}

/** What clients answer to calls that are seldom made, or wrong. */
export const KAFKA_RARELY: readonly Observation<KafkaClient>[] = [
  {
    name: "an admin client, call by call",
    play: on(2, async ({ client }) => {
      const producer = client.producer();
      await producer.connect();
      for (const partition of [0, 0, 1]) {
        await producer.send({ topic: TOPIC, messages: [{ value: "x", partition }] });
      }
      await producer.disconnect();
      const admin = client.admin({ retry: { retries: 0 } });
      await admin.connect();
      const seen = await answersTo(admin, ADMIN);
      await admin.disconnect();
      return seen;
    }),
    real: [
      ["createTopics", true],
      ["createTopics", false],
      ["createTopics", false],
      [
        "createTopics",
        [
          "KafkaJSNonRetriableError",
          "Invalid topics array, it cannot have multiple entries for the same topic",
        ],
      ],
      ["createTopics", ["KafkaJSAggregateError", "Topic creation errors"]],
      ["createTopics", ["KafkaJSAggregateError", "Topic creation errors"]],
      [
        "createTopics",
        [
          "KafkaJSNonRetriableError",
          "Invalid topics array, the topic names have to be a valid string",
        ],
      ],
      ["createTopics", ["KafkaJSNonRetriableError", "Invalid topics array rare"]],
      ["createTopics", ["KafkaJSNonRetriableError", "Invalid topics array undefined"]],
      ["createTopics", true],
      ["createTopics", ["KafkaJSAggregateError", "Topic creation errors"]],
      ["createTopics", ["KafkaJSAggregateError", "Topic creation errors"]],
      ["createTopics", true],
      [
        "fetchTopicMetadata",
        {
          topics: [
            {
              name: "rare",
              partitions: [
                { partitionErrorCode: 0, partitionId: 0, offlineReplicas: [] },
                { partitionErrorCode: 0, partitionId: 1, offlineReplicas: [] },
              ],
            },
          ],
        },
      ],
      ["fetchTopicMetadata", ["KafkaJSNonRetriableError", "Invalid topic 5"]],
      [
        "fetchTopicOffsets",
        [
          { partition: 0, offset: "2", high: "2", low: "0" },
          { partition: 1, offset: "1", high: "1", low: "0" },
        ],
      ],
      ["fetchTopicOffsets", ["KafkaJSNonRetriableError", "Invalid topic "]],
      ["fetchTopicOffsets", ["KafkaJSNonRetriableError", "Invalid topic undefined"]],
      [
        "fetchTopicOffsetsByTimestamp",
        [
          { partition: 0, offset: "0" },
          { partition: 1, offset: "0" },
        ],
      ],
      [
        "fetchTopicOffsetsByTimestamp",
        [
          { partition: 0, offset: "2" },
          { partition: 1, offset: "1" },
        ],
      ],
      [
        "fetchTopicOffsetsByTimestamp",
        [
          { partition: 0, offset: "2" },
          { partition: 1, offset: "1" },
        ],
      ],
      ["fetchTopicOffsetsByTimestamp", ["KafkaJSNonRetriableError", "Invalid topic "]],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "-1", metadata: null },
              { partition: 1, offset: "-1", metadata: null },
            ],
          },
        ],
      ],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "2", metadata: null },
              { partition: 1, offset: "1", metadata: null },
            ],
          },
        ],
      ],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "2", metadata: null },
              { partition: 1, offset: "1", metadata: null },
            ],
          },
        ],
      ],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "2", metadata: null },
              { partition: 1, offset: "1", metadata: null },
            ],
          },
        ],
      ],
      ["fetchOffsets", ["KafkaJSNonRetriableError", "Expected topics array to be set"]],
      ["fetchOffsets", ["KafkaJSNonRetriableError", "Invalid groupId undefined"]],
      ["setOffsets", "nothing"],
      ["setOffsets", "nothing"],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "1", metadata: null },
              { partition: 1, offset: "99", metadata: null },
            ],
          },
        ],
      ],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "1", metadata: null },
              { partition: 1, offset: "99", metadata: null },
            ],
          },
        ],
      ],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "1", metadata: null },
              { partition: 1, offset: "99", metadata: null },
            ],
          },
        ],
      ],
      ["setOffsets", ["KafkaJSNonRetriableError", "Invalid partitions"]],
      ["setOffsets", ["KafkaJSNonRetriableError", "Invalid partitions"]],
      ["setOffsets", ["KafkaJSNonRetriableError", "Invalid topic undefined"]],
      ["setOffsets", ["KafkaJSNonRetriableError", "Invalid groupId undefined"]],
      ["resetOffsets", "nothing"],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "-2", metadata: null },
              { partition: 1, offset: "-2", metadata: null },
            ],
          },
        ],
      ],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "0", metadata: null },
              { partition: 1, offset: "0", metadata: null },
            ],
          },
        ],
      ],
      ["resetOffsets", "nothing"],
      [
        "fetchOffsets",
        [
          {
            topic: "orders",
            partitions: [
              { partition: 0, offset: "-1", metadata: null },
              { partition: 1, offset: "-1", metadata: null },
            ],
          },
        ],
      ],
      ["resetOffsets", ["KafkaJSNonRetriableError", "Invalid topic undefined"]],
      ["resetOffsets", ["KafkaJSNonRetriableError", "Invalid groupId undefined"]],
      [
        "describeGroups",
        {
          groups: [
            {
              errorCode: 0,
              groupId: "nobody",
              state: "Dead",
              protocolType: "",
              protocol: "",
              members: [],
            },
          ],
        },
      ],
      ["describeGroups", { groups: [] }],
    ],
  },
  {
    name: "a producer, call by call",
    play: on(2, async ({ client }) => {
      const producer = client.producer({ retry: { retries: 0 } });
      await producer.connect();
      const seen = await answersTo(producer, PRODUCER);
      await producer.disconnect();
      return seen;
    }),
    real: [
      [
        "send",
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
      ],
      [
        "send",
        [
          {
            topicName: "orders",
            partition: 0,
            errorCode: 0,
            baseOffset: "1",
            logAppendTime: "-1",
            logStartOffset: "0",
          },
        ],
      ],
      ["send", []],
      [
        "send",
        [
          "KafkaJSNonRetriableError",
          'Invalid message without value for topic "orders": {"key":"k"}',
        ],
      ],
      [
        "send",
        ["KafkaJSNonRetriableError", 'Invalid message without value for topic "orders": {}'],
      ],
      [
        "send",
        [
          "TypeError",
          'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received type number (5)',
        ],
      ],
      [
        "send",
        [
          "TypeError",
          'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received type number (5)',
        ],
      ],
      [
        "send",
        [
          "TypeError",
          'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received an instance of Object',
        ],
      ],
      [
        "send",
        [
          "TypeError",
          'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received type boolean (true)',
        ],
      ],
      [
        "send",
        [
          "TypeError",
          'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received type number (5)',
        ],
      ],
      [
        "send",
        [
          {
            topicName: "orders",
            partition: 1,
            errorCode: 0,
            baseOffset: "0",
            logAppendTime: "-1",
            logStartOffset: "0",
          },
        ],
      ],
      ["send", ["SyntaxError", "of its engine"]],
      [
        "send",
        [
          {
            topicName: "orders",
            partition: 0,
            errorCode: 0,
            baseOffset: "2",
            logAppendTime: "-1",
            logStartOffset: "0",
          },
        ],
      ],
      ["send", ["KafkaJSNonRetriableError", "Invalid topic"]],
      ["send", ["KafkaJSNonRetriableError", "Invalid topic"]],
      [
        "send",
        ["KafkaJSNonRetriableError", 'Invalid messages array [undefined] for topic "orders"'],
      ],
      ["send", ["KafkaJSNonRetriableError", 'Invalid messages array [null] for topic "orders"']],
      ["send", []],
      [
        "send",
        [
          {
            topicName: "orders",
            partition: 0,
            errorCode: 0,
            baseOffset: "4",
            logAppendTime: "-1",
            logStartOffset: "0",
          },
        ],
      ],
      ["sendBatch", []],
      ["sendBatch", []],
      [
        "sendBatch",
        [
          {
            topicName: "orders",
            partition: 0,
            errorCode: 0,
            baseOffset: "5",
            logAppendTime: "-1",
            logStartOffset: "0",
          },
        ],
      ],
      [
        "sendBatch",
        [
          {
            topicName: "orders",
            partition: 1,
            errorCode: 0,
            baseOffset: "1",
            logAppendTime: "-1",
            logStartOffset: "0",
          },
        ],
      ],
      ["isIdempotent", false],
      [
        "on",
        [
          "KafkaJSNonRetriableError",
          "Event name should be one of producer.events.CONNECT, producer.events.DISCONNECT, producer.events.REQUEST, producer.events.REQUEST_TIMEOUT, producer.events.REQUEST_QUEUE_SIZE",
        ],
      ],
    ],
  },
  {
    name: "a consumer that does not run, call by call",
    play: on(2, async ({ client }) => {
      const consumer = client.consumer({ groupId: "own", retry: { retries: 0 } });
      await consumer.connect();
      const seen = await answersTo(consumer, CONSUMER);
      await consumer.disconnect();
      return seen;
    }),
    real: [
      ["subscribe", ["KafkaJSNonRetriableError", 'Missing required argument "topics"']],
      [
        "subscribe",
        [
          "KafkaJSNonRetriableError",
          "Invalid topic 5 (number), the topic name has to be a String or a RegExp",
        ],
      ],
      [
        "subscribe",
        [
          "KafkaJSNonRetriableError",
          "Invalid topic 5 (number), the topic name has to be a String or a RegExp",
        ],
      ],
      ["subscribe", ["KafkaJSNonRetriableError", 'Argument "topics" must be an array']],
      ["subscribe", "nothing"],
      ["pause", ["KafkaJSNonRetriableError", "Invalid topic [object Object]"]],
      [
        "pause",
        [
          "KafkaJSNonRetriableError",
          "Array of valid partitions required to pause specific partitions instead of 0",
        ],
      ],
      [
        "pause",
        [
          "KafkaJSNonRetriableError",
          "Array of valid partitions required to pause specific partitions instead of x",
        ],
      ],
      ["resume", ["KafkaJSNonRetriableError", "Invalid topic [object Object]"]],
      [
        "resume",
        [
          "KafkaJSNonRetriableError",
          "Array of valid partitions required to resume specific partitions instead of 0,y",
        ],
      ],
      [
        "pause",
        [
          "KafkaJSNonRetriableError",
          "Consumer group was not initialized, consumer#run must be called first",
        ],
      ],
      [
        "resume",
        [
          "KafkaJSNonRetriableError",
          "Consumer group was not initialized, consumer#run must be called first",
        ],
      ],
      ["paused", []],
      [
        "seek",
        [
          "KafkaJSNonRetriableError",
          "Consumer group was not initialized, consumer#run must be called first",
        ],
      ],
      ["seek", ["KafkaJSNonRetriableError", "Invalid topic undefined"]],
      ["seek", ["KafkaJSNonRetriableError", "Invalid partition, expected a number received x"]],
      ["seek", ["KafkaJSNonRetriableError", "Invalid offset, expected a long received x"]],
      ["seek", ["KafkaJSNonRetriableError", "Offset must not be a negative number"]],
      [
        "on",
        [
          "KafkaJSNonRetriableError",
          "Event name should be one of consumer.events.HEARTBEAT, consumer.events.COMMIT_OFFSETS, consumer.events.GROUP_JOIN, consumer.events.FETCH, consumer.events.FETCH_START, consumer.events.START_BATCH_PROCESS, consumer.events.END_BATCH_PROCESS, consumer.events.CONNECT, consumer.events.DISCONNECT, consumer.events.STOP, consumer.events.CRASH, consumer.events.REBALANCING, consumer.events.RECEIVED_UNSUBSCRIBED_TOPICS, consumer.events.REQUEST, consumer.events.REQUEST_TIMEOUT, consumer.events.REQUEST_QUEUE_SIZE",
        ],
      ],
      ["commitOffsets", ["KafkaJSNonRetriableError", "Invalid topic "]],
      ["commitOffsets", ["KafkaJSNonRetriableError", "Invalid offset, expected a long received x"]],
      ["commitOffsets", ["KafkaJSNonRetriableError", "Offset must not be a negative number"]],
      [
        "commitOffsets",
        ["KafkaJSNonRetriableError", "Invalid partition, expected a number received undefined"],
      ],
      [
        "commitOffsets",
        [
          "KafkaJSNonRetriableError",
          "Invalid offset metadata, expected string or null, received 5",
        ],
      ],
      ["stop", "nothing"],
    ],
  },
  {
    name: "a consumer that waits no time, and a batch of nothing whose acks are none",
    play: on(1, async ({ client, pass }) => {
      const consumer = client.consumer({ groupId: "triggerer", maxWaitTimeInMs: 0 });
      const told: unknown[] = [];
      await consumer.connect();
      await consumer.run({ eachMessage: () => Promise.resolve() });
      await pass(300);
      await consumer.stop();
      told.push("stopped");
      await consumer.subscribe({ topic: TOPIC });
      await consumer.run({ eachMessage: () => Promise.resolve() });
      await pass(300);
      await consumer.disconnect();
      const producer = client.producer();
      await producer.connect();
      const acks = Buffer.from("x") as unknown as number;
      told.push(await producer.sendBatch({ topicMessages: [], acks }));
      told.push(await producer.send({ topic: TOPIC, messages: [], acks }));
      await producer.disconnect();
      return told;
    }),
    real: ["stopped", [], []],
  },
];
