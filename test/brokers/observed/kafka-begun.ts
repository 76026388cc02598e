import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { on, reading, TOPIC } from "./kafka-scripts.ts";
import { errorFacts, type Observation } from "./observation.ts";

type Admin = ReturnType<KafkaClient["admin"]>;
type Topic = Parameters<Admin["createTopics"]>[0]["topics"][number];

/** Values of which each setting takes some. */
const VALUES = [
  ...["soon", "", "-2", "-1", "0", "1", "12", "100", "1.5", "2.5", "0.5", "true", "TRUE"],
  ...["delete", "compact,delete", "CreateTime", "producer", "zstd", "99999999999", "*", "1:1"],
];
const SETTINGS = [
  ...["cleanup.policy", "compression.type", "compression.gzip.level", "compression.lz4.level"],
  ...["compression.zstd.level", "flush.messages", "index.interval.bytes", "max.message.bytes"],
  ...["leader.replication.throttled.replicas", "message.format.version", "preallocate"],
  ...["message.timestamp.type", "min.cleanable.dirty.ratio", "min.insync.replicas"],
  ...["local.retention.ms", "remote.storage.enable", "retention.bytes", "retention.ms"],
  ...["segment.bytes", "segment.index.bytes", "segment.ms", "no.such.setting"],
];

const SETTLED: Observation<KafkaClient> = {
  name: "the settings of a topic, and the values that they take",
  async play({ client }) {
    const admin = client.admin();
    await admin.connect();
    const takes = async (configEntries: Topic["configEntries"]): Promise<boolean | object> => {
      const topic = { topic: "settings", configEntries } as Topic;
      try {
        const options = { validateOnly: true, waitForLeaders: false, topics: [topic] };
        return await admin.createTopics(options);
      } catch (error) {
        const { errors } = error as { readonly errors?: readonly { readonly type: string }[] };
        return errors?.map(({ type }) => type) ?? errorFacts(error);
      }
    };
    const told: unknown[] = [];
    for (const name of SETTINGS) {
      const taken: string[] = [];
      for (const value of VALUES) {
        if ((await takes([{ name, value }])) === true) taken.push(value);
      }
      told.push([name, taken.join(" ")]);
    }
    const lags = ["min", "max"].map((which) => `${which}.compaction.lag.ms`);
    told.push(await takes(lags.map((name, at) => ({ name, value: String(10 - at) }))));
    const untyped = [[{ name: "retention.ms", value: 5 }], [{ value: "5" }], ["retention.ms"], {}];
    for (const entries of untyped) told.push(await takes(entries as Topic["configEntries"]));
    await admin.disconnect();
    return told;
  },
  real: [
    ["cleanup.policy", " delete compact,delete"],
    ["compression.type", "producer zstd"],
    ["compression.gzip.level", "-1 1"],
    ["compression.lz4.level", "1 12"],
    ["compression.zstd.level", "-2 -1 0 1 12"],
    ["flush.messages", "1 12 100 99999999999"],
    ["index.interval.bytes", "0 1 12 100"],
    ["max.message.bytes", "0 1 12 100"],
    ["leader.replication.throttled.replicas", " * 1:1"],
    ["message.format.version", "2.5"],
    ["preallocate", "true TRUE"],
    ["message.timestamp.type", "CreateTime"],
    ["min.cleanable.dirty.ratio", "0 1 0.5"],
    ["min.insync.replicas", "1 12 100"],
    ["local.retention.ms", "-2 -1 0 1 12 100 99999999999"],
    ["remote.storage.enable", ""],
    ["retention.bytes", "-2 -1 0 1 12 100 99999999999"],
    ["retention.ms", "-1 0 1 12 100 99999999999"],
    ["segment.bytes", "100"],
    ["segment.index.bytes", "12 100"],
    ["segment.ms", "1 12 100 99999999999"],
    ["no.such.setting", ""],
    ["INVALID_CONFIG"],
    {
      name: "KafkaJSNonRetriableError",
      message:
        'Invalid configEntries for topic "settings". Entry 0 must have a valid "value" property',
      retriable: false,
    },
    {
      name: "KafkaJSNonRetriableError",
      message:
        'Invalid configEntries for topic "settings". Entry 0 must have a valid "name" property',
      retriable: false,
    },
    {
      name: "KafkaJSNonRetriableError",
      message: 'Invalid configEntries for topic "settings". Entry 0 must be an object',
      retriable: false,
    },
    {
      name: "KafkaJSNonRetriableError",
      message: 'Invalid configEntries for topic "settings", must be an array',
      retriable: false,
    },
  ],
};

const CLIENTS: Observation<KafkaClient> = {
  name: "that a client connects and ends is told without facts",
  async play({ client }) {
    const told: unknown[] = [];
    const admin = client.admin();
    const producer = client.producer();
    const consumer = client.consumer({ groupId: "told" });
    for (const part of [admin, producer, consumer]) {
      for (const name of ["CONNECT", "DISCONNECT"] as const) {
        const { events } = part as { readonly events: Readonly<Record<string, string>> };
        part.on(events[name] as string, ({ type, payload }) => told.push([type, typeof payload]));
      }
      await part.connect();
      await part.disconnect();
    }
    return told;
  },
  real: ["admin", "producer", "consumer"].flatMap((whose) =>
    ["connect", "disconnect"].map((what) => [`${whose}.${what}`, "undefined"]),
  ),
};

const TOGETHER: Observation<KafkaClient> = {
  name: "members that begin together share the partitions at once",
  play: on(2, async ({ client, pass }) => {
    const joined: unknown[] = [];
    const begun = async (): Promise<{ disconnect(): Promise<void> }> => {
      const consumer = client.consumer({ groupId: "triggerer", rebalanceTimeout: 5_000 });
      consumer.on("consumer.group_join", ({ payload }) => {
        const { memberAssignment } = payload as {
          readonly memberAssignment: Readonly<Record<string, readonly number[]>>;
        };
        joined.push(memberAssignment[TOPIC]?.length);
      });
      await consumer.subscribe({ topic: TOPIC });
      await consumer.run({ eachMessage: () => Promise.resolve() });
      return consumer;
    };
    const members = await Promise.all([begun(), begun()]);
    await pass(7_000);
    const seen = [...joined];
    for (const member of members) await member.disconnect();
    return seen;
  }),
  real: [1, 1],
};

const UNWOKEN: Observation<KafkaClient> = {
  name: "neither a resume nor a stop wakes a consumer whose partitions are all paused",
  play: on(1, async (stage) => {
    const { publish, pass } = stage;
    const told: unknown[] = [];
    let resume = (): unknown => told.push("nothing to resume");
    await publish(1);
    const consumer = await reading(
      stage,
      {
        eachMessage({ message, pause }) {
          told.push(message.offset);
          resume = pause();
          return Promise.resolve();
        },
      },
      { maxWaitTimeInMs: 2_000 },
    );
    while (told.length === 0) await pass(10);
    await publish(1);
    await pass(500);
    resume();
    await pass(1_000);
    told.push("resumed");
    while (told.length === 2) await pass(10);
    await pass(500);
    const stopping = consumer.stop().then(() => told.push("stopped"));
    await pass(1_000);
    told.push("stops");
    await stopping;
    await consumer.disconnect();
    return told;
  }),
  real: ["0", "resumed", "1", "stops", "stopped"],
};

const UNCLASSED: Observation<KafkaClient> = {
  name: "the classes of a client's parts",
  play({ client }) {
    const parts = [client.consumer({ groupId: "classes" }), client.producer(), client.admin()];
    return Promise.resolve(parts.map(({ constructor }) => constructor.name));
  },
  real: ["Object", "Object", "Object"],
};

/** What topics are set to, what clients are, how members begin, and how long they wait. */
export const KAFKA_BEGUN: readonly Observation<KafkaClient>[] = [
  ...[SETTLED, CLIENTS, TOGETHER],
  ...[UNWOKEN, UNCLASSED],
];
