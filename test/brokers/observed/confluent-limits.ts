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
];
