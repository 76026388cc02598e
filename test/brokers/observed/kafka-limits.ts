import type { KafkaConsumer } from "../../../sim/brokers/kafka/kafka-consumer.ts";
import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { on, reading, refusal, TOPIC } from "./kafka-scripts.ts";
import type { Observation } from "./observation.ts";

type Producer = ReturnType<KafkaClient["producer"]>;
type Sent = Parameters<Producer["send"]>[0];
type Admin = ReturnType<KafkaClient["admin"]>;
type Play = Observation<KafkaClient>["play"];
type Stage = Parameters<Play>[0];

const GROUP = "triggerer";
const UNFIT = { name: "RangeError", code: "ERR_OUT_OF_RANGE" };
const INVALID_ACKS = {
  ...{ name: "KafkaJSProtocolError", code: 21, retriable: false },
  type: "INVALID_REQUIRED_ACKS",
};
const HERE = [{ partition: 0, offset: "1" }];

/** Runs a script with a connected admin client. */
function administering(script: (admin: Admin, stage: Stage) => Promise<unknown>): Play {
  return on(1, async (stage) => {
    const admin = stage.client.admin();
    await admin.connect();
    const seen = await script(admin, stage);
    await admin.disconnect();
    return seen;
  });
}

async function offsetOf(admin: Admin, resolveOffsets = false): Promise<string | undefined> {
  const [found] = await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC], resolveOffsets });
  return found?.partitions[0]?.offset;
}

async function stateOf(admin: Admin): Promise<unknown> {
  const { groups } = await admin.describeGroups([GROUP]);
  return groups.map(({ state, members }) => [state, members.length]);
}

async function sendThree({ client }: Stage): Promise<void> {
  const producer = client.producer();
  await producer.connect();
  await producer.send({ topic: TOPIC, messages: ["1", "2", "3"].map((value) => ({ value })) });
  await producer.disconnect();
}

const bytes = (...given: number[]): Uint8Array => Buffer.from(given);
const listOf = (given: unknown): number[] => [...(given as Uint8Array)];

const BYTES: Observation<KafkaClient> = {
  name: "bytes that are no text, or begin with a byte order mark, arrive as they were sent",
  play: on(1, async (stage) => {
    const producer = stage.client.producer();
    await producer.connect();
    const message = {
      key: bytes(0xff, 0xfe),
      value: bytes(0xef, 0xbb, 0xbf, 0x61),
      headers: { broken: bytes(0xc3, 0x28), text: "größe" },
    };
    await producer.send({ topic: TOPIC, messages: [message] });
    const seen: unknown[] = [];
    const consumer = await reading(stage, {
      eachMessage: ({ message: { key, value, headers = {} } }) => {
        seen.push(listOf(key), listOf(value), listOf(headers["broken"]), listOf(headers["text"]));
        return Promise.resolve();
      },
    });
    await stage.pass(8_000);
    await consumer.disconnect();
    await producer.disconnect();
    return seen;
  }),
  real: [
    [0xff, 0xfe],
    [0xef, 0xbb, 0xbf, 0x61],
    [0xc3, 0x28],
    [0x67, 0x72, 0xc3, 0xb6, 0xc3, 0x9f, 0x65],
  ],
};

const DETACHED: Observation<KafkaClient> = {
  name: "methods are a client's own, and may be taken out of it; no topic is none",
  play: on(1, async ({ client }) => {
    const producer = client.producer();
    const { connect, send, disconnect } = producer;
    await connect();
    const [sent] = await send({ topic: TOPIC, messages: [{ value: "1" }] });
    await disconnect();
    // The types say that it is a class.
    const copy = { ...(client.consumer({ groupId: "copied" }) as object) } as KafkaConsumer;
    await copy.connect();
    const refused = await refusal(() => copy.subscribe({ topic: "" }));
    await copy.disconnect();
    const own = [producer, client.consumer({ groupId: "own" }), client.admin()].map((part) =>
      Object.keys(part).toSorted(),
    );
    return [sent?.baseOffset, refused, own];
  }),
  real: [
    "0",
    { name: "KafkaJSNonRetriableError", retriable: false },
    [
      [
        ...["connect", "disconnect", "events", "isIdempotent", "logger", "on", "send"],
        ...["sendBatch", "transaction"],
      ],
      [
        ...["commitOffsets", "connect", "describeGroup", "disconnect", "events", "logger", "on"],
        ...["pause", "paused", "resume", "run", "seek", "stop", "subscribe"],
      ],
      [
        ...["alterConfigs", "alterPartitionReassignments", "connect", "createAcls"],
        ...["createPartitions", "createTopics", "deleteAcls", "deleteGroups"],
        ...["deleteTopicRecords", "deleteTopics", "describeAcls", "describeCluster"],
        ...["describeConfigs", "describeGroups", "disconnect", "events", "fetchOffsets"],
        ...["fetchTopicMetadata", "fetchTopicOffsets", "fetchTopicOffsetsByTimestamp"],
        ...["listGroups", "listPartitionReassignments", "listTopics", "logger", "on"],
        ...["resetOffsets", "setOffsets"],
      ],
    ],
  ],
};

const SENDS: Observation<KafkaClient> = {
  name: "no topic's name, a number of replicas, an unknown compression, a number: not sent",
  play: on(1, async (stage) => {
    const producer = stage.client.producer();
    await producer.connect();
    const told: unknown[] = [];
    const one = { topic: TOPIC, messages: [{ value: "1" }] };
    for (const wrong of [
      { ...one, topic: "two words" },
      { ...one, acks: 2 },
      { ...one, compression: 2 },
      { ...one, messages: [{ value: 5 }] },
      { ...one, messages: [{ value: "1", timestamp: "noon" }] },
    ]) {
      told.push(await refusal(() => producer.send(wrong as unknown as Sent)));
    }
    await producer.disconnect();
    return told;
  }),
  real: [
    {
      ...{ name: "KafkaJSNonRetriableError", retriable: false },
      cause: {
        ...{ name: "KafkaJSProtocolError", retriable: false },
        ...{ code: 17, type: "INVALID_TOPIC_EXCEPTION" },
        message: "The request attempted to perform an operation on an invalid topic",
      },
    },
    { name: "KafkaJSProtocolError", retriable: false, code: 21, type: "INVALID_REQUIRED_ACKS" },
    { name: "KafkaJSNotImplemented", retriable: false },
    { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" },
    { name: "SyntaxError" },
  ],
};

const TRIED: Observation<KafkaClient> = {
  name: "a topic that is only tried is waited for in vain; names and replicas are checked",
  play: administering(async (admin) => {
    const trying = { topics: [{ topic: "tried" }], validateOnly: true };
    const told = [
      await refusal(() => admin.createTopics(trying)),
      await admin.createTopics({ ...trying, waitForLeaders: false }),
    ];
    for (const wrong of [
      { topic: "two words" },
      { topic: "tried", numPartitions: 1, replicationFactor: 2 },
    ]) {
      try {
        told.push(await admin.createTopics({ topics: [wrong] }));
      } catch (error) {
        const { errors = [] } = error as { errors?: { type: string; topic: string }[] };
        told.push(errors.map(({ type, topic }) => [type, topic]));
      }
    }
    return [...told, (await admin.listTopics()).includes("tried")];
  }),
  real: [
    {
      ...{ name: "KafkaJSProtocolError", retriable: true },
      ...{ code: 3, type: "UNKNOWN_TOPIC_OR_PARTITION" },
    },
    true,
    [["INVALID_TOPIC_EXCEPTION", "two words"]],
    [["INVALID_REPLICATION_FACTOR", "tried"]],
    false,
  ],
};

const OFFSETS: Observation<KafkaClient> = {
  name: "offsets are set and reset for a group without members, and not for one that has some",
  play: administering(async (admin, stage) => {
    await sendThree(stage);
    const place = { groupId: GROUP, topic: TOPIC };
    const seen: unknown[] = [await stateOf(admin)];
    await admin.setOffsets({ ...place, partitions: HERE });
    seen.push(await offsetOf(admin), await stateOf(admin));
    await admin.resetOffsets(place);
    seen.push(await offsetOf(admin), await offsetOf(admin, true), await offsetOf(admin));
    await admin.resetOffsets({ ...place, earliest: true });
    seen.push(await offsetOf(admin), await offsetOf(admin, true), await offsetOf(admin));
    const consumer = await reading(stage, { eachMessage: () => Promise.resolve() });
    await stage.pass(8_000);
    const { state, members } = await consumer.describeGroup();
    seen.push(state, members.length);
    const { groups } = await admin.listGroups();
    seen.push(groups.filter(({ groupId }) => groupId === GROUP));
    seen.push(await refusal(() => admin.setOffsets({ ...place, partitions: HERE })));
    await consumer.disconnect();
    seen.push(await offsetOf(admin), await stateOf(admin));
    return seen;
  }),
  real: [
    [["Dead", 0]],
    "1",
    [["Empty", 0]],
    ...["-1", "3", "3"],
    ...["-2", "0", "0"],
    "Stable",
    1,
    [{ groupId: GROUP, protocolType: "consumer" }],
    { name: "KafkaJSNonRetriableError", retriable: false },
    "3",
    [["Empty", 0]],
  ],
};

const NAMELESS: Observation<KafkaClient> = {
  name: "an admin is told at once of a name that no topic can have",
  play: administering(async (admin) => {
    const topic = "two words";
    const told: unknown[] = [];
    for (const ask of [
      () => admin.fetchTopicMetadata({ topics: [topic] }),
      () => admin.fetchTopicMetadata({ topics: [TOPIC, topic] }),
      () => admin.fetchTopicMetadata({ topics: [".."] }),
      () => admin.fetchTopicOffsets(topic),
      () => admin.fetchTopicOffsetsByTimestamp(topic, 0),
    ]) {
      told.push(await refusal(ask));
    }
    return told;
  }),
  real: Array.from({ length: 5 }, () => ({
    ...{ name: "KafkaJSProtocolError", retriable: false, code: 17 },
    type: "INVALID_TOPIC_EXCEPTION",
  })),
};

const SIZES: Observation<KafkaClient> = {
  name: "a fetch brings of one partition what maxBytesPerPartition allows, and one batch at least",
  play: on(1, async (stage) => {
    await stage.publish(3);
    const sizes: number[] = [];
    const consumer = await reading(
      stage,
      {
        eachBatch: ({ batch }) => {
          sizes.push(batch.messages.length);
          return Promise.resolve();
        },
      },
      { maxBytesPerPartition: 1 },
    );
    await stage.pass(8_000);
    await consumer.disconnect();
    return sizes;
  }),
  real: [1, 1, 1],
};

const COMMITS: Observation<KafkaClient> = {
  name: "a commit for a partition that is not there is refused, the others of it are taken",
  play: administering(async (admin, stage) => {
    await stage.publish(2);
    const consumer = await reading(stage, {
      autoCommit: false,
      eachMessage: () => Promise.resolve(),
    });
    await stage.pass(8_000);
    const told = await refusal(() =>
      consumer.commitOffsets([
        { topic: TOPIC, partition: 9, offset: "1" },
        { topic: TOPIC, partition: 0, offset: "2" },
      ]),
    );
    await consumer.disconnect();
    return [told, await offsetOf(admin)];
  }),
  real: [
    {
      ...{ name: "KafkaJSNumberOfRetriesExceeded", retriable: false },
      cause: {
        ...{ name: "KafkaJSProtocolError", retriable: true },
        ...{ code: 3, type: "UNKNOWN_TOPIC_OR_PARTITION" },
        message: "This server does not host this topic-partition",
      },
    },
    "2",
  ],
};

const WRITTEN_BITS: Observation<KafkaClient> = {
  name: "numbers that do not fit, and topics that are too large or have no time to be created",
  play: administering(async (admin, { client }) => {
    const producer = client.producer({ retry: { retries: 1, initialRetryTime: 10 } });
    await producer.connect();
    const one = { topic: TOPIC, messages: [{ value: "1", partition: 0 }] };
    const seen: unknown[] = [];
    for (const how of [
      ...[2 ** 31, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) - 1].map((timeout) => ({ timeout })),
      ...[2 ** 15, 2 ** 15 - 1, -(2 ** 15), -(2 ** 15) - 1].map((acks) => ({ acks })),
    ]) {
      seen.push(await refusal(() => producer.send({ ...one, ...how })));
    }
    await producer.disconnect();
    const created = async (how: object, timeout?: number): Promise<unknown> => {
      try {
        const topics = [{ topic: "fits-not", ...how }];
        const options = { topics, validateOnly: true, waitForLeaders: false };
        return await admin.createTopics({ ...options, ...(timeout !== undefined && { timeout }) });
      } catch (error) {
        const { name, errors = [] } = error as { name: string; errors?: { type: string }[] };
        return [name, ...errors.map(({ type }) => type)];
      }
    };
    for (const numPartitions of [9_999, 10_000, 2 ** 31 - 1, 2 ** 31]) {
      seen.push(await created({ numPartitions }));
    }
    for (const replicationFactor of [2 ** 15 - 1, 2 ** 15]) {
      seen.push(await created({ replicationFactor }));
    }
    for (const timeout of [-1, 0, 2 ** 31]) seen.push(await created({}, timeout));
    const found = await admin.fetchTopicOffsetsByTimestamp(TOPIC, 2 ** 64);
    return [seen, found, await refusal(() => admin.fetchTopicOffsetsByTimestamp(TOPIC, 2 ** 63))];
  }),
  real: [
    [
      ...[UNFIT, "no error", "no error", UNFIT],
      ...[UNFIT, INVALID_ACKS, INVALID_ACKS, UNFIT],
      ...[true, ["KafkaJSAggregateError", "POLICY_VIOLATION"]],
      ...[["KafkaJSAggregateError", "POLICY_VIOLATION"], ["RangeError"]],
      ...[["KafkaJSAggregateError", "INVALID_REPLICATION_FACTOR"], ["RangeError"]],
      ...[["KafkaJSAggregateError", "REQUEST_TIMED_OUT"]],
      ...[["KafkaJSAggregateError", "REQUEST_TIMED_OUT"], ["RangeError"]],
    ],
    [{ partition: 0, offset: "0" }],
    { name: "KafkaJSProtocolError", code: 35, retriable: false, type: "UNSUPPORTED_VERSION" },
  ],
};

/** What is refused, limited or kept as bytes, and what an operator may ask. */
export const LIMITS: readonly Observation<KafkaClient>[] = [
  ...[BYTES, DETACHED, SENDS, TRIED, OFFSETS, NAMELESS, SIZES, COMMITS],
  WRITTEN_BITS,
];
