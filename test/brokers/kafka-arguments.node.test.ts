// What kafkajs refuses before it asks a server, the model refuses in the same words.
import { type Admin, type Consumer, Kafka, logLevel, type Producer } from "kafkajs";
import { expect, test } from "vitest";
import { kafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { BrokerStage } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

const TOPIC = "orders";
/** Nobody listens there, and nobody is asked. */
const library = new Kafka({ brokers: ["127.0.0.1:1"], logLevel: logLevel.NOTHING });

type Loose<T> = { [Name in keyof T]: (...args: readonly unknown[]) => unknown };
interface Client {
  consumer(config: object): Loose<Consumer>;
  producer(config?: object): Loose<Producer>;
  admin(): Loose<Admin>;
}

const place = { topic: TOPIC, partition: 0, offset: "1" };
const ofAdmin: readonly (readonly [
  name:
    | "createTopics"
    | "fetchOffsets"
    | "fetchTopicMetadata"
    | "fetchTopicOffsets"
    | "fetchTopicOffsetsByTimestamp"
    | "on"
    | "resetOffsets"
    | "setOffsets",
  argument: unknown,
])[] = [
  ["fetchTopicOffsets", ""],
  ["fetchTopicOffsets", undefined],
  ["fetchTopicOffsetsByTimestamp", ""],
  ["fetchTopicMetadata", { topics: [TOPIC, ""] }],
  ["resetOffsets", { groupId: "g" }],
  ["resetOffsets", { groupId: "g", topic: "" }],
  ["setOffsets", {}],
  ["setOffsets", { groupId: "g" }],
  ["setOffsets", { groupId: "g", topic: TOPIC }],
  ["setOffsets", { groupId: "g", topic: TOPIC, partitions: [] }],
  ["on", "admin.nothing"],
  ["createTopics", { topics: undefined }],
  ["createTopics", { topics: TOPIC }],
  ["createTopics", { topics: [{ topic: TOPIC }, { topic: 5 }] }],
  ["createTopics", { topics: [{ topic: TOPIC }, { topic: "other" }, { topic: TOPIC }] }],
  ["fetchOffsets", {}],
  ["fetchOffsets", { groupId: "" }],
];
const ofConsumer: readonly (readonly [
  name: "commitOffsets" | "on" | "pause" | "resume" | "seek" | "subscribe",
  argument: unknown,
])[] = [
  ["subscribe", {}],
  ["subscribe", { topic: 5 }],
  ["subscribe", { topics: [TOPIC, null] }],
  ["pause", [{}]],
  ["pause", [{ topic: "" }]],
  ["commitOffsets", [place]],
  ["commitOffsets", [place, { ...place, offset: "-1" }]],
  ["commitOffsets", [{ ...place, topic: "" }]],
  ["commitOffsets", [{ ...place, partition: Number.NaN }]],
  ["commitOffsets", [{ ...place, offset: "first" }]],
  ["commitOffsets", [{ ...place, metadata: 5 }]],
  ["commitOffsets", [{ ...place, metadata: null }]],
  ["seek", place],
  ["seek", { ...place, offset: "-2" }],
  ["seek", { ...place, offset: "-3" }],
  ["seek", { ...place, offset: "first" }],
  ["seek", { ...place, topic: "" }],
  ["seek", { ...place, partition: Number.NaN }],
  ["pause", [{ topic: TOPIC }]],
  ["resume", [{ topic: TOPIC }]],
  ["on", "consumer.nothing"],
];
const one = { topic: TOPIC, messages: [{ value: "v" }] };
const ofProducer: readonly (readonly [name: "send" | "sendBatch" | "on", argument: unknown])[] = [
  ["send", one],
  ["send", { ...one, topic: "" }],
  ["send", { ...one, messages: undefined }],
  ["send", { ...one, messages: [{ value: "v" }, { key: "k" }] }],
  ["sendBatch", { topicMessages: [one, { ...one, topic: "" }] }],
  ["sendBatch", { topicMessages: [one, { topic: "other", messages: [{ key: "k" }] }] }],
  ["on", "producer.nothing"],
  ["send", { ...one, acks: "all" }],
  ["sendBatch", { topicMessages: undefined }],
  ["sendBatch", { topicMessages: [undefined] }],
];

const CALLS: readonly (readonly [what: string, call: (client: Client) => unknown])[] = [
  ["a consumer without a group", (client) => client.consumer({})],
  ["a consumer of the group without a name", (client) => client.consumer({ groupId: "" })],
  ...[2_999, 3_000, 3_001].map(
    (sessionTimeout) =>
      [
        `a consumer with a heartbeat of 3 s and a session of ${sessionTimeout} ms`,
        (client: Client) => typeof client.consumer({ groupId: "g", sessionTimeout }),
      ] as const,
  ),
  ...[0, 1].map(
    (retries) =>
      [
        `an idempotent producer that retries ${retries} times`,
        (client: Client) => typeof client.producer({ idempotent: true, retry: { retries } }),
      ] as const,
  ),
  [
    "an idempotent producer that waits for no replica",
    (client) => client.producer({ idempotent: true }).send({ ...one, acks: 0 }),
  ],
  ...ofAdmin.map(([name, argument]) => {
    const what = `admin.${name}(${JSON.stringify(argument)})`;
    return [what, (client: Client) => client.admin()[name](argument)] as const;
  }),
  ...ofConsumer.map(([name, argument]) => {
    const what = `consumer.${name}(${JSON.stringify(argument)})`;
    return [what, (client: Client) => client.consumer({ groupId: "g" })[name](argument)] as const;
  }),
  ...ofProducer.map(([name, argument]) => {
    const what = `producer.${name}(${JSON.stringify(argument)})`;
    return [what, (client: Client) => client.producer()[name](argument)] as const;
  }),
];

test.each(CALLS)("%s", async (_what, call) => {
  const stage = new BrokerStage(kafka());
  const seen = await stage.play((client) => outcomeOf(() => call(client as unknown as Client)));
  expect(seen).toEqual(await outcomeOf(() => call(library as unknown as Client)));
});

test("topics are subscribed to by name, by pattern, or not at all, before the consumer runs", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  stage.publish(1);
  const seen = await stage.play(async (client) => {
    await client.admin().createTopics({ topics: [{ topic: TOPIC }, { topic: "bills" }] });
    const consumer = client.consumer({ groupId: "g" });
    await consumer.connect();
    await consumer.subscribe({ topics: [] });
    await consumer.subscribe({ topics: [/^ord/], fromBeginning: true });
    const keys: string[] = [];
    await new Promise<void>((resolve) => {
      void consumer.run({
        autoCommit: false,
        eachMessage: async ({ message }) => {
          keys.push(String(message.key));
          resolve();
        },
      });
    });
    const late = await outcomeOf(() => consumer.subscribe({ topic: TOPIC }));
    await consumer.disconnect();
    return { keys, late };
  });
  const message = "Cannot subscribe to topic while consumer is running";
  expect(seen).toEqual({
    keys: ["key-1"],
    late: { name: "KafkaJSNonRetriableError", message, retriable: false },
  });
});

test("a topic is created with its partitions, unless that is only tried", async () => {
  const seen = await new BrokerStage(kafka({ partitions: 2 })).play(async (client) => {
    const admin = client.admin();
    const create = (topics: readonly object[], options: object = {}) =>
      outcomeOf(() => admin.createTopics({ topics: topics as { topic: string }[], ...options }));
    const partitions = async (topic: string) => (await admin.fetchTopicOffsets(topic)).length;
    const asked = [
      { topic: "one", numPartitions: 3 },
      { topic: "two", numPartitions: 1 },
    ];
    const tried = await create(asked, { validateOnly: true, waitForLeaders: false });
    const before = await admin.listTopics();
    const made = await create(asked, { validateOnly: false });
    const again = await create([{ topic: "one" }, { topic: "three", numPartitions: -1 }]);
    const bad = await admin
      .createTopics({ topics: [{ topic: "one" }, { topic: "four", numPartitions: 0 }] })
      .catch(({ name, errors }: { name: string; errors: { topic: string; type: string }[] }) => [
        name,
        errors.map(({ topic, type }) => `${topic} ${type}`),
      ]);
    const counts = [await partitions("one"), await partitions("two"), await partitions("three")];
    return { tried, before, made, again, bad, counts, after: (await admin.listTopics()).length };
  });
  expect(seen).toEqual({
    tried: true,
    before: [],
    made: true,
    again: false,
    bad: ["KafkaJSAggregateError", ["one TOPIC_ALREADY_EXISTS", "four INVALID_PARTITIONS"]],
    counts: [3, 1, 2],
    after: 3,
  });
});

test("a consumer may name the partition assigner that it has anyway", async () => {
  const { PartitionAssigners } = await import("kafkajs");
  const seen = await new BrokerStage(kafka()).play(async (client) => {
    const partitionAssigners = [PartitionAssigners.roundRobin];
    return Promise.resolve(client.consumer({ groupId: "g", partitionAssigners }).isOpen);
  });
  expect(seen).toBe(false);
});

test("what the model of Kafka does not have is refused by name", async () => {
  const seen = await new BrokerStage(kafka()).play(async (client) => {
    const other = (): unknown => ({ name: "Sticky" });
    const calls: readonly (() => unknown)[] = [
      () => (client.admin() as unknown as Loose<Admin>).deleteGroups(["g"]),
      () => (client.admin() as unknown as Loose<Admin>).describeCluster(),
      () => client.producer().transaction(),
      () => client.consumer({ groupId: "g", partitionAssigners: [other] }),
    ];
    return Promise.all(calls.map(outcomeOf));
  });
  const refused = [
    "kafka.admin().deleteGroups()",
    "kafka.admin().describeCluster()",
    "transactions of a kafkajs producer",
    "a consumer with other partitionAssigners",
  ].map((what) => ({ name: "NotModelled", message: `Not modelled: ${what}; see brokers.kafka` }));
  expect(seen).toEqual(refused);
});
