import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import { on, reading, until } from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

type Told = readonly [message: string, ...codes: unknown[]] | "connected";

/** Connects, and says what came of it: of the library's own errors the code, of others the text. */
async function connecting(one: {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}): Promise<Told | readonly unknown[]> {
  try {
    await one.connect();
  } catch (error) {
    const { name, message, code } = error as Error & { readonly code?: number };
    return code === undefined ? [name, message] : [name, code];
  }
  await one.disconnect();
  return "connected";
}

const NUMBERS_OF_CONSUMER = [
  ...["requestTimeout", "sessionTimeout", "rebalanceTimeout", "heartbeatInterval"],
  ...["metadataMaxAge", "maxBytesPerPartition", "maxWaitTimeInMs", "minBytes", "maxBytes"],
  ...["maxInFlightRequests", "autoCommitInterval"],
];
const OTHERS_OF_CONSUMER = [
  ...["allowAutoTopicCreation", "autoCommit", "fromBeginning", "clientId", "groupId", "rackId"],
  ...["partitionAssigners", "brokers", "ssl", "logLevel", "connectionTimeout", "retry"],
];
const OF_PRODUCER = [
  ...["metadataMaxAge", "transactionTimeout", "timeout", "maxInFlightRequests", "acks"],
  ...["allowAutoTopicCreation", "idempotent", "compression", "createPartitioner"],
];
const BLOCKS_OF_PRODUCER = [
  ...[{ transactionTimeout: 5 }, { timeout: 0 }, { timeout: 900_001 }, { timeout: "5000" }],
  ...[{ connectionTimeout: 1e12 }, { requestTimeout: 400_000 }, { requestTimeout: 1 }],
  ...[{ requestTimeout: 400_000, transactionTimeout: 500_000 }, { maxInFlightRequests: 1e12 }],
];
const BLOCKS_OF_CONSUMER = [
  ...[{ minBytes: 0 }, { minBytes: 100_000_001 }, { rebalanceTimeout: null }],
  ...[{ rebalanceTimeout: "60000" }, { sessionTimeout: "" }, { sessionTimeout: 2 ** 31 }],
];

const NO_FLAG = (name: string): readonly string[] => [
  ...["Error", `Expected bool value for "${name}": true or false`],
];
const NO_NUMBER = (name: string): readonly string[] => [
  ...["Error", `Invalid value for configuration property "${name}"`],
];
const OUTSIDE = (name: string, value: number, range: string): readonly string[] => [
  "Error",
  `Configuration property "${name}" value ${value} is outside allowed range ${range}\n`,
];
const INVALID = ["KafkaJSError", -186];

/** What a configuration may have, what of it is given, and the errors that librdkafka words. */
export const CONFLUENT_GIVEN: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "what is given as undefined is given",
    async play({ client }) {
      const told: unknown[] = [];
      for (const name of [...NUMBERS_OF_CONSUMER, ...OTHERS_OF_CONSUMER]) {
        const kafkaJS = { groupId: "given", [name]: undefined };
        told.push([name, await connecting(client.consumer({ kafkaJS }))]);
      }
      for (const name of OF_PRODUCER) {
        told.push([name, await connecting(client.producer({ kafkaJS: { [name]: undefined } }))]);
      }
      const properties = { "group.id": "given", "session.timeout.ms": undefined };
      return [...told, await connecting(client.consumer(properties as object))];
    },
    real: [
      ["requestTimeout", NO_NUMBER("socket.timeout.ms")],
      ["sessionTimeout", NO_NUMBER("session.timeout.ms")],
      ["rebalanceTimeout", NO_NUMBER("max.poll.interval.ms")],
      ["heartbeatInterval", NO_NUMBER("heartbeat.interval.ms")],
      ["metadataMaxAge", NO_NUMBER("topic.metadata.refresh.interval.ms")],
      ["maxBytesPerPartition", NO_NUMBER("fetch.message.max.bytes")],
      ["maxWaitTimeInMs", NO_NUMBER("fetch.wait.max.ms")],
      ["minBytes", NO_NUMBER("fetch.min.bytes")],
      ["maxBytes", NO_NUMBER("fetch.message.max.bytes")],
      ["maxInFlightRequests", NO_NUMBER("max.in.flight.requests.per.connection")],
      ["autoCommitInterval", NO_NUMBER("auto.commit.interval.ms")],
      ["allowAutoTopicCreation", NO_FLAG("allow.auto.create.topics")],
      ["autoCommit", NO_FLAG("enable.auto.commit")],
      ["fromBeginning", "connected"],
      ["clientId", "connected"],
      ["groupId", "connected"],
      ["rackId", "connected"],
      ["partitionAssigners", INVALID],
      ["brokers", INVALID],
      ["ssl", INVALID],
      ["logLevel", INVALID],
      ["connectionTimeout", "connected"],
      ["retry", "connected"],
      ["metadataMaxAge", NO_NUMBER("topic.metadata.refresh.interval.ms")],
      ["transactionTimeout", NO_NUMBER("transaction.timeout.ms")],
      ["timeout", NO_NUMBER("request.timeout.ms")],
      ["maxInFlightRequests", NO_NUMBER("max.in.flight.requests.per.connection")],
      ["acks", NO_NUMBER("request.required.acks")],
      ["allowAutoTopicCreation", NO_FLAG("allow.auto.create.topics")],
      ["idempotent", NO_FLAG("enable.idempotence")],
      [
        "compression",
        ["Error", 'Invalid value "undefined" for configuration property "compression.codec"'],
      ],
      ["createPartitioner", ["KafkaJSError", -170]],
      NO_NUMBER("session.timeout.ms"),
    ],
  },
  {
    name: "numbers of a block: their ranges, and what the library makes of several",
    async play({ client }) {
      const told: unknown[] = [];
      for (const kafkaJS of BLOCKS_OF_PRODUCER) {
        told.push(await connecting(client.producer({ kafkaJS })));
      }
      for (const block of BLOCKS_OF_CONSUMER) {
        told.push(await connecting(client.consumer({ kafkaJS: { groupId: "given", ...block } })));
      }
      return [...told, await connecting(client.admin({ kafkaJS: { connectionTimeout: 1e12 } }))];
    },
    real: [
      OUTSIDE("transaction.timeout.ms", 5, "1000..2147483647"),
      OUTSIDE("request.timeout.ms", 0, "1..900000"),
      OUTSIDE("request.timeout.ms", 900001, "1..900000"),
      "connected",
      OUTSIDE("socket.connection.setup.timeout.ms", -727369968, "1000..2147483647"),
      "connected",
      OUTSIDE("socket.timeout.ms", 1, "10..300000"),
      OUTSIDE("socket.timeout.ms", 400000, "10..300000"),
      OUTSIDE("max.in.flight.requests.per.connection", -727379968, "1..1000000"),
      ["KafkaJSError", -1],
      ["KafkaJSError", -1],
      OUTSIDE("max.poll.interval.ms", 0, "1..86400000"),
      "connected",
      ["Error", 'Integer configuration property "session.timeout.ms" cannot be set to empty value'],
      OUTSIDE("session.timeout.ms", -2147483648, "1..3600000"),
      ["KafkaJSError", -1],
    ],
  },
  {
    name: "where an error of librdkafka comes from, and how a rebalance is worded",
    play: on(1, async (stage) => {
      const producer = stage.client.producer();
      await producer.connect();
      const told: unknown[] = [];
      for (const message of [{ partition: 9, value: "x" }, { value: "x".repeat(2_000_000) }]) {
        try {
          await producer.send({ topic: "orders", messages: [message] });
        } catch (error) {
          const { name, code, origin } = error as Error & Record<"code" | "origin", unknown>;
          told.push([name, code, origin]);
        }
      }
      await producer.disconnect();
      const notices: unknown[] = [];
      const rebalance_cb = (error: Error & Record<"code" | "origin", unknown>): void => {
        notices.push([error.name, error.message, error.code, error.origin]);
      };
      const properties = { rebalance_cb };
      const consumer = await reading(
        stage,
        { eachMessage: () => Promise.resolve() },
        { properties },
      );
      await until(stage, () => notices.length > 0);
      await consumer.disconnect();
      return [...told, ...notices];
    }),
    real: [
      ...[
        ["Error", -190, "kafka"],
        ["Error", 10, "local"],
      ],
      ["Error", "assign partitions", -175, "local"],
      ["Error", "revoke partitions", -174, "local"],
    ],
  },
  {
    name: "settings of a topic: those without a value are left out, and none is unknown",
    async play({ client }) {
      const admin = client.admin();
      await admin.connect();
      const settings: readonly unknown[] = [
        [{ name: "retention.ms", value: "1000" }],
        [{ name: "retention.ms", value: 1_000 }],
        [{ name: "retention.ms" }],
        [{ name: "no.such.setting", value: "1" }],
        [{ name: "retention.ms", value: "soon" }],
        {},
      ];
      const told: unknown[] = [];
      for (const [at, configEntries] of settings.entries()) {
        const topic = { topic: `settings-${at}`, configEntries } as { readonly topic: string };
        try {
          told.push(await admin.createTopics({ topics: [topic] }));
        } catch (error) {
          const { name, errors = [] } = error as Error & { readonly errors?: readonly object[] };
          told.push([name, ...errors.map((one) => (one as { readonly type: string }).type)]);
        }
      }
      await admin.disconnect();
      return told;
    },
    real: [
      ...[true, true, true],
      ...Array.from({ length: 2 }, () => ["KafkaJSAggregateError", "ERR_INVALID_CONFIG"]),
      ["TypeError"],
    ],
  },
];
