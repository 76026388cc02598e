import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import { on, producing, refusal, TOPIC } from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

/** The largest value that the library sends where there is neither a key nor a header. */
const VALUE_BYTES_MAX = 999_964;
const TOO_LARGE = { name: "Error", code: 10 };
const NO_TOPIC = {
  ...{ name: "KafkaJSProtocolError", code: 17, type: "ERR_TOPIC_EXCEPTION" },
  retriable: false,
};

const ONE_BY_ONE = { "partition.assignment.strategy": "roundrobin" };
/** Properties, of which each client has these alone. */
const CONSUMERS = [
  ...[{ "session.timeout.ms": 0 }, { "heartbeat.interval.ms": 9_000_000 }],
  ...[{ "max.poll.interval.ms": 0 }, { "max.poll.interval.ms": 1_000 }],
  ...[{ "auto.commit.interval.ms": -1 }, { "session.timeout.ms": "soon" }],
  ...[{ "session.timeout.ms": "6000" }, { "session.timeout.ms": 6_000.5 }],
  ...[{ "auto.offset.reset": "sometime" }, { "auto.offset.reset": "EARLIEST" }],
];
const CONSUMER_BLOCKS = [
  ...[{ sessionTimeout: 0 }, { heartbeatInterval: 0 }, { rebalanceTimeout: 0 }],
  ...[{ rebalanceTimeout: 1_000 }, { autoCommitInterval: -1 }, { maxWaitTimeInMs: -1 }],
  ...[{ maxBytesPerPartition: 0 }, { minBytes: -1 }, { maxBytes: 10 }],
];
/** What is no number of JavaScript, or no value at all. */
const WRITTEN = [
  ...["30000ms", " 6000", "+6000", "-5", "0x1770", "013560", "08", "6e3", "6000.7", "", "x6"],
  ...["4294973296", "9999999999999999999", [6_000], [], true, null, {}, new Uint8Array([10, 2])],
  () => 6_000,
];
const SESSION = "session.timeout.ms";
const EMPTY = `Integer configuration property "${SESSION}" cannot be set to empty value`;
const NO_NUMBER = `Invalid value for configuration property "${SESSION}"`;
const NO_CALLBACK = "Invalid callback type";
const PRODUCERS = [
  ...[{ "linger.ms": -1 }, { retries: -1 }, { "message.timeout.ms": -1 }, { "batch.size": 0 }],
  ...[{ "compression.codec": "brotli" }, { acks: 2_000 }, { acks: "some" }],
  ...[{ "message.max.bytes": 10 }, { "security.protocol": "none" }, { log_level: 9 }],
  { "enable.idempotence": true, "max.in.flight": 10 },
];
const PRODUCER_BLOCKS = [
  ...[{ compression: "brotli" }, { retry: { initialRetryTime: 0 } }, { retry: { retries: -1 } }],
  ...[
    { idempotent: true, maxInFlightRequests: 10 },
    { idempotent: true, retry: { retries: 0 } },
  ],
  { idempotent: true, acks: 1 },
];

const POLLS_TOO_OFTEN = ["`max.poll.interval.ms`must be >= `session.timeout.ms`", -1];

function outside(name: string, value: number, range: string): string {
  return `Configuration property "${name}" value ${value} is outside allowed range ${range}\n`;
}

function noWord(value: string, name: string): string {
  return `Invalid value "${value}" for configuration property "${name}"`;
}

function idempotent(what: string): readonly unknown[] {
  return [`${what} when \`enable.idempotence\` is true`, -172];
}

/** Connects, and says what came of it. */
async function connecting(one: {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}): Promise<unknown> {
  try {
    await one.connect();
  } catch (error) {
    const { message, code } = error as { readonly message: string; readonly code?: number };
    return code === undefined ? message : [message, code];
  }
  await one.disconnect();
  return "connected";
}

/** What the library or the cluster does not take. */
export const CONFLUENT_LIMITS: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "a message with all that belongs to it is no longer than a megabyte",
    play: producing(1, async (producer, { client }) => {
      const told: unknown[] = [];
      for (const [shorter, others] of [
        [0, {}],
        [-1, {}],
        [10, { key: "0123456789" }],
        [9, { key: "0123456789" }],
        [9, { headers: { abc: "defg" } }],
        [8, { headers: { abc: "defg" } }],
        [103, { headers: { abc: "d".repeat(97) } }],
      ] as const) {
        const value = "v".repeat(VALUE_BYTES_MAX - shorter);
        const messages = [{ value, ...others }];
        told.push(await refusal(() => producer.send({ topic: TOPIC, messages })));
      }
      const messages = [{ value: "a" }, { value: "v".repeat(1_100_000) }, { value: "b" }];
      told.push(await refusal(() => producer.send({ topic: TOPIC, messages })));
      await producer.flush({ timeout: 5_000 });
      const admin = client.admin();
      await admin.connect();
      const [offsets] = await admin.fetchTopicOffsets(TOPIC);
      await admin.disconnect();
      return [told, offsets?.high];
    }),
    real: [
      [
        ...["no error", TOO_LARGE, "no error", TOO_LARGE, "no error", TOO_LARGE, "no error"],
        TOO_LARGE,
      ],
      "6",
    ],
  },
  {
    name: "no topic is sent to whose name is none, and the library remembers it",
    play: producing(1, async (producer) => {
      const told: unknown[] = [];
      for (const topic of ["two words", "two words", "a".repeat(250), ".."]) {
        told.push(await refusal(() => producer.send({ topic, messages: [{ value: "1" }] })));
      }
      return told;
    }),
    real: [NO_TOPIC, { name: "Error", code: -188 }, NO_TOPIC, NO_TOPIC],
  },
  {
    name: "a topic with more replicas than there are brokers is not created",
    play: on(1, async ({ client }) => {
      const admin = client.admin();
      await admin.connect();
      const told: unknown[] = [];
      for (const replicationFactor of [3, 0, -1]) {
        const topic = `replicas${replicationFactor}`;
        try {
          told.push(await admin.createTopics({ topics: [{ topic, replicationFactor }] }));
        } catch (error) {
          const { errors = [] } = error as { readonly errors?: readonly { type: string }[] };
          told.push(errors.map(({ type }) => type));
        }
      }
      await admin.disconnect();
      return told;
    }),
    real: [["ERR_INVALID_REPLICATION_FACTOR"], ["ERR_INVALID_REPLICATION_FACTOR"], true],
  },
  {
    name: "values that librdkafka does not take, each when the client connects",
    async play({ client }) {
      const told: unknown[] = [];
      for (const properties of CONSUMERS) {
        told.push(
          await connecting(
            client.consumer({ "group.id": "limits", ...ONE_BY_ONE, ...properties } as object),
          ),
        );
      }
      for (const block of CONSUMER_BLOCKS) {
        told.push(await connecting(client.consumer({ kafkaJS: { groupId: "limits", ...block } })));
      }
      for (const properties of PRODUCERS)
        told.push(await connecting(client.producer(properties as object)));
      for (const kafkaJS of PRODUCER_BLOCKS)
        told.push(await connecting(client.producer({ kafkaJS })));
      return told;
    },
    real: [
      outside("session.timeout.ms", 0, "1..3600000"),
      outside("heartbeat.interval.ms", 9_000_000, "1..3600000"),
      ...[outside("max.poll.interval.ms", 0, "1..86400000"), POLLS_TOO_OFTEN],
      outside("auto.commit.interval.ms", -1, "0..86400000"),
      'Invalid value for configuration property "session.timeout.ms"',
      ...["connected", "connected", noWord("sometime", "auto.offset.reset"), "connected"],
      outside("session.timeout.ms", 0, "1..3600000"),
      outside("heartbeat.interval.ms", 0, "1..3600000"),
      ...[outside("max.poll.interval.ms", 0, "1..86400000"), POLLS_TOO_OFTEN],
      outside("auto.commit.interval.ms", -1, "0..86400000"),
      outside("fetch.wait.max.ms", -1, "0..300000"),
      outside("fetch.message.max.bytes", 0, "1..1000000000"),
      ...[outside("fetch.min.bytes", -1, "0..2147483647"), "connected"],
      outside("queue.buffering.max.ms", -1, "0..900000"),
      outside("message.send.max.retries", -1, "0..2147483647"),
      outside("message.timeout.ms", -1, "0..2147483647"),
      ...[outside("batch.size", 0, "1..2147483647"), noWord("brotli", "compression.codec")],
      outside("request.required.acks", 2_000, "-1..1000"),
      'Invalid value for configuration property "request.required.acks"',
      outside("message.max.bytes", 10, "1000..1000000000"),
      ...[noWord("none", "security.protocol"), outside("log_level", 9, "0..7")],
      idempotent("`max.in.flight` must be set <= 5"),
      ...[noWord("brotli", "compression.codec"), outside("retry.backoff.ms", 0, "1..300000")],
      outside("message.send.max.retries", -1, "0..2147483647"),
      idempotent("`max.in.flight` must be set <= 5"),
      ...[idempotent("`retries` must be set >= 1"), idempotent("`acks` must be set to `all`")],
    ],
  },
  {
    name: "a text among the topics whose offsets are asked for has no partitions",
    play: on(1, async ({ client }) => {
      const admin = client.admin();
      await admin.connect();
      const told: unknown[] = [];
      const place = { topic: TOPIC, partitions: [0] };
      for (const topics of [
        [place, TOPIC],
        [TOPIC, place],
        [place, {}],
        [place, null],
      ]) {
        const asking = admin.fetchOffsets({ groupId: "limits", topics: topics as string[] });
        told.push(
          await asking.then(
            (found) => found.length,
            (error: unknown) => (error as Error).name,
          ),
        );
      }
      await admin.disconnect();
      return told;
    }),
    real: ["TypeError", 0, "TypeError", "TypeError"],
  },
];

/**
 * Observed call by call. It is not replayed beside the server: the library, which is native code,
 * does not come to its end behind clients that were given a function for a value.
 */
export const NUMBERS_AS_TEXTS: Observation<ConfluentKafkaClient> = {
  name: "numbers that are written as texts are read as in C, and a function is no value",
  play: on(1, async ({ client }) => {
    const told: unknown[] = [];
    for (const value of WRITTEN) {
      const properties = { "session.timeout.ms": value, ...ONE_BY_ONE };
      const consumer = client.consumer({ "group.id": "limits", ...properties } as object);
      told.push(await connecting(consumer));
    }
    const noValue = (): undefined => undefined;
    for (const name of ["client.id", "auto.offset.reset", "enable.auto.commit", "debug"]) {
      const properties = { "group.id": "limits", ...ONE_BY_ONE, [name]: noValue };
      told.push([name, await connecting(client.consumer(properties as object))]);
    }
    const producer = client.producer({ kafkaJS: { retry: { maxRetryTime: noValue } } });
    told.push(await connecting(producer));
    return told;
  }),
  real: [
    ...["connected", "connected", "connected", outside(SESSION, -5, "1..3600000")],
    ...["connected", "connected", outside(SESSION, 0, "1..3600000"), "connected", "connected"],
    ...[EMPTY, NO_NUMBER, "connected", outside(SESSION, -1, "1..3600000"), "connected", EMPTY],
    ...[NO_NUMBER, NO_NUMBER, NO_NUMBER, "connected", NO_CALLBACK, ["client.id", NO_CALLBACK]],
    ...[
      ["auto.offset.reset", NO_CALLBACK],
      ["enable.auto.commit", NO_CALLBACK],
      ["debug", NO_CALLBACK],
    ],
    NO_CALLBACK,
  ],
};
