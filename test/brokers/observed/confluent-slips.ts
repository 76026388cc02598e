import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import {
  type Consumer,
  GROUP,
  on,
  OTHER,
  producing,
  reading,
  refusal,
  TOPIC,
  until,
} from "./confluent-scripts.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Commits = Parameters<Consumer["commitOffsets"]>[0];
type Paused = Parameters<Consumer["pause"]>[0];
type Subscribed = Parameters<Consumer["subscribe"]>[0];

const OFFSETS: readonly unknown[] = ["2", 0, "1", null, "1", "", "1", undefined, 1.5, "2", "1.5"];

/** What is no list of offsets. */
const NO_COMMITS: readonly unknown[] = ["ab", 5, 0, [null]];

/** What is no list of topics with their partitions. */
const NO_PLACES: readonly unknown[] = [
  ...[undefined, null, "ab", "", 5, {}, [null], [{}], [{ topic: 5 }]],
  ...[[{ topic: TOPIC, partitions: 5 }], [{ topic: TOPIC, partitions: 0 }]],
];

const LISTS: readonly (readonly (readonly string[])[])[] = [
  ...[[[]], [[""]], [[TOPIC, TOPIC]], [[TOPIC, ""]], [[TOPIC], []], [[TOPIC], [OTHER]]],
  ...[
    [[TOPIC], [TOPIC], [OTHER]],
    [["^ord"], ["^ord"]],
  ],
];

/** What is no list of topics whose offsets are asked for. */
const NO_TOPICS: readonly unknown[] = [
  ...[null, TOPIC, {}, 5, [], [null], [5], [{}], [{ topic: TOPIC }]],
  [{ topic: TOPIC, partitions: [] }],
];

/** What is no list of messages. */
const NO_MESSAGES: readonly unknown[] = [
  ...[{}, { value: "x" }, 5, "", "ab", undefined, null, [undefined]],
  { length: 1, 0: { value: "like a list" } },
];

const NO_TIMES: readonly unknown[] = ["x", "500", {}, true, null, undefined, Number.NaN];

export const CONFLUENT_SLIPS: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "who asks what is committed is answered behind the commits before",
    play: on(1, async (stage) => {
      await stage.publish(3);
      let count = 0;
      const consumer = await reading(stage, {
        async eachMessage() {
          count += 1;
          await Promise.resolve();
        },
      });
      await until(stage, () => count === 3);
      const place = { topic: TOPIC, partition: 0 };
      const seen: unknown[] = [];
      for (const offsets of [["3"], ["2", "1"], ["3", "0", "2"], ["1", "2", "3", "1"]]) {
        for (const offset of offsets) await consumer.commitOffsets([{ ...place, offset }]);
        seen.push((await consumer.committed([place])).map(({ offset }) => offset));
      }
      await consumer.disconnect();
      return seen;
    }),
    real: [["3"], ["1"], ["2"], ["1"]],
  },
  {
    name: "commits of offsets that are none: they commit the beginning, which counts as nothing",
    play: on(1, async (stage) => {
      await stage.publish(2);
      let count = 0;
      const consumer = await reading(stage, {
        async eachMessage() {
          count += 1;
          await Promise.resolve();
        },
      });
      await until(stage, () => count === 2);
      const admin = stage.client.admin();
      await admin.connect();
      const seen: unknown[] = [];
      const place = { topic: TOPIC, partition: 0 };
      for (const offset of OFFSETS) {
        await consumer.commitOffsets([{ ...place, offset, metadata: 7 }] as unknown as Commits);
        await stage.pass(200);
        const [found] = await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] });
        const [own] = await consumer.committed([place]);
        const [{ offset: kept, metadata } = { offset: "none", metadata: "none" }] =
          found?.partitions ?? [];
        seen.push([kept, metadata, own?.offset]);
      }
      for (const given of NO_COMMITS) {
        seen.push(await refusal(() => consumer.commitOffsets(given as Commits)));
      }
      for (const given of [[null], {}, "text"]) {
        seen.push(await refusal(() => consumer.committed(given as never)));
      }
      await consumer.disconnect();
      await admin.disconnect();
      return seen;
    }),
    real: [
      ["2", null, "2"],
      ["0", null, null],
      ["1", null, "1"],
      ["0", null, null],
      ["1", null, "1"],
      ["0", null, null],
      ["1", null, "1"],
      ["0", null, null],
      ["1", null, "1"],
      ["2", null, "2"],
      ["1", null, "1"],
      { name: "KafkaJSError", code: -1, retriable: false, type: "ERR_UNKNOWN" },
      { name: "KafkaJSError", code: -1, retriable: false, type: "ERR_UNKNOWN" },
      "no error",
      { name: "KafkaJSError", code: -1, retriable: false, type: "ERR_UNKNOWN" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
    ],
  },
  {
    name: "a subscription that is empty, names a topic twice or names none",
    play: on(1, async ({ client }) => {
      const seen: unknown[] = [];
      for (const lists of LISTS) {
        const consumer = client.consumer({ kafkaJS: { groupId: GROUP } });
        await consumer.connect();
        for (const topics of lists) {
          seen.push(await refusal(() => consumer.subscribe({ topics: [...topics] })));
        }
        await consumer.disconnect();
      }
      const consumer = client.consumer({ kafkaJS: { groupId: GROUP } });
      await consumer.connect();
      for (const given of [{ topic: null }, { topic: 0, topics: [TOPIC] }, "x", 7, []]) {
        seen.push(await refusal(() => consumer.subscribe(given as Subscribed)));
      }
      await consumer.disconnect();
      return seen;
    }),
    real: [
      { name: "Error", code: -186 },
      { name: "Error", code: -186 },
      { name: "Error", code: -186 },
      { name: "Error", code: -186 },
      "no error",
      "no error",
      "no error",
      "no error",
      "no error",
      { name: "Error", code: -186 },
      { name: "Error", code: -186 },
      "no error",
      { name: "Error", code: -186 },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      "no error",
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
    ],
  },
  {
    name: "what is no list of topics is paused and resumed",
    play: on(1, async ({ client }) => {
      const consumer = client.consumer({ kafkaJS: { groupId: GROUP } });
      await consumer.connect();
      const seen: unknown[] = [];
      for (const given of NO_PLACES) {
        const calls = [
          () => consumer.pause(given as Paused),
          () => consumer.resume(given as Paused),
        ];
        for (const call of calls) seen.push(await refusal(call));
      }
      await consumer.disconnect();
      return seen;
    }),
    real: [
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      "no error",
      "no error",
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "TypeError" },
      { name: "TypeError" },
      "no error",
      "no error",
    ],
  },
  {
    name: "offsets of what is no list of topics, and a topic without a name",
    play: on(1, async ({ client }) => {
      const admin = client.admin();
      await admin.connect();
      const seen: unknown[] = [];
      type Asked = Parameters<typeof admin.fetchOffsets>[0];
      for (const topics of NO_TOPICS) {
        const asked = { groupId: "nobody", topics } as Asked;
        const isTold = await refusal(() => admin.fetchOffsets(asked));
        seen.push(
          isTold === "no error" ? await outcomeOf(() => admin.fetchOffsets(asked)) : isTold,
        );
      }
      for (const asked of [undefined, null, "x", 5]) {
        seen.push(await refusal(() => admin.fetchOffsets(asked as unknown as Asked)));
      }
      for (const topic of [undefined, null, ""]) {
        const topics = [{ topic }] as unknown as Parameters<typeof admin.createTopics>[0]["topics"];
        const error: unknown = await admin.createTopics({ topics }).catch((one: unknown) => one);
        const [first] = (error as { readonly errors: readonly { readonly topic: unknown }[] })
          .errors;
        seen.push(first?.topic === undefined ? "nothing" : first.topic);
      }
      await admin.disconnect();
      return seen;
    }),
    real: [
      [],
      [],
      [],
      [],
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "TypeError" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      [],
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "TypeError" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      "nothing",
      null,
      "",
    ],
  },
  {
    name: "messages that are no list, a flush whose time is none, and a logger's own fields",
    play: producing(1, async (producer) => {
      type Record = Parameters<typeof producer.send>[0];
      const seen: unknown[] = [];
      for (const messages of NO_MESSAGES) {
        const call = (): Promise<unknown> => producer.send({ topic: TOPIC, messages } as Record);
        const told = await refusal(call);
        seen.push(told === "no error" ? ((await call()) as readonly unknown[]).length : told);
      }
      type Options = Parameters<typeof producer.flush>[0];
      for (const timeout of NO_TIMES) {
        seen.push(await refusal(() => producer.flush({ timeout } as Options)));
      }
      for (const given of [null, 5, {}]) {
        seen.push(await refusal(() => producer.flush(given as Options)));
      }
      seen.push(Object.keys(producer.logger()));
      return seen;
    }),
    real: [
      0,
      0,
      0,
      0,
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      1,
      { name: "Error" },
      { name: "Error" },
      { name: "Error" },
      { name: "Error" },
      "no error",
      "no error",
      "no error",
      { name: "TypeError" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
      ["logLevel"],
    ],
  },
];
