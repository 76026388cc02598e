import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import {
  committedIn,
  type Consumer,
  on,
  OTHER,
  reading,
  refusal,
  type RunConfig,
  type Stage,
  TOPIC,
  until,
} from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

type Commits = Parameters<Consumer["commitOffsets"]>[0];

const NO_NUMBERS: readonly unknown[] = ["x", Number.NaN, {}, "-5", -1, true, [2]];

/** What handlers throw at which record; only the text can be logged. */
const THROWN: readonly (readonly [what: unknown, at: number, handler: string])[] = [
  ["text", 0, "eachMessage"],
  [null, 0, "eachMessage"],
  [Symbol("thrown"), 1, "eachMessage"],
  ["text", 0, "eachBatch"],
  [undefined, 0, "eachBatch"],
];
const COMMITTING = { autoCommit: true, autoCommitInterval: 300 };

/** The offsets that a handler is given that throws once, and what is committed then. */
async function throwing(
  stage: Stage,
  [thrown, at, handler]: (typeof THROWN)[number],
  groupId: string,
): Promise<unknown> {
  const told: string[] = [];
  let isThrown = false;
  const tell = async (offset: string): Promise<void> => {
    told.push(offset);
    await Promise.resolve();
    if (isThrown || Number(offset) !== at) return;
    isThrown = true;
    throw thrown;
  };
  const config: RunConfig =
    handler === "eachBatch"
      ? { eachBatch: ({ batch }) => tell(batch.firstOffset() ?? "none") }
      : { eachMessage: ({ message }) => tell(message.offset) };
  const consumer = await reading(stage, config, { options: { groupId, ...COMMITTING } });
  await until(stage, () => isThrown);
  await stage.pass(700);
  await consumer.disconnect();
  return [told, await committedIn(stage, TOPIC, groupId)];
}

/** What is committed by a reader whose handler is none. */
async function withoutHandler(stage: Stage, config: unknown, groupId: string): Promise<unknown> {
  const options = { groupId, ...COMMITTING };
  const consumer = await reading(stage, config as RunConfig, { options });
  await until(stage, () => consumer.assignment().length > 0);
  await stage.pass(700);
  await consumer.disconnect();
  return await committedIn(stage, TOPIC, groupId);
}

/** What becomes of commits whose offset is none. */
async function committing(stage: Stage): Promise<unknown> {
  let count = 0;
  const consumer = await reading(stage, {
    async eachMessage() {
      count += 1;
      await Promise.resolve();
    },
  });
  await until(stage, () => count === 3);
  const seen: unknown[] = [];
  const place = { topic: TOPIC, partition: 0 };
  for (const offset of NO_NUMBERS) {
    await consumer.commitOffsets([{ ...place, offset: "1" }]);
    await consumer.commitOffsets([{ ...place, offset }] as unknown as Commits);
    await stage.pass(50);
    const [own] = await consumer.committed([place]);
    seen.push([await committedIn(stage), own?.offset]);
  }
  await consumer.disconnect();
  return seen;
}

const SETTINGS: readonly (readonly ["consumer" | "producer", object])[] = [
  ["producer", { socketFactory: 1 }],
  ["producer", { acks: ["x"] }],
  ["producer", { idempotent: true, acks: 1 }],
  ["consumer", { socketFactory: 1 }],
  ["consumer", { rebalanceTimeout: "" }],
  ["consumer", { rebalanceTimeout: 1_000, sessionTimeout: 30_000 }],
];

/** In milliseconds, or what becomes so many. */
const TIMEOUTS: readonly unknown[] = [
  ...[-1, 3_600_000, 3_600_001, null, [null], "", "5000", "-1", "3600001e9", false, [5000]],
];

/** What a client is whose settings are refused. */
async function refusedSettings({ client }: Stage): Promise<unknown> {
  const seen: unknown[] = [];
  for (const [kind, settings] of SETTINGS) {
    const part =
      kind === "consumer"
        ? client.consumer({ kafkaJS: { groupId: "refused", ...settings } })
        : client.producer({ kafkaJS: settings });
    const told = [await refusal(() => part.connect())];
    for (let time = 0; time < 2; time += 1) told.push(await refusal(() => part.disconnect()));
    seen.push(told);
  }
  return seen;
}

/** What an admin is told of names that are none, and of partitions that are named twice. */
async function asking({ client }: Stage): Promise<unknown> {
  const admin = client.admin();
  await admin.connect();
  const seen: unknown[] = [];
  for (const topic of ["", {}, "a b", undefined, [TOPIC]] as unknown as string[]) {
    seen.push(await refusal(() => admin.fetchTopicOffsets(topic)));
  }
  for (const groups of [[[0, 0]], [[0], [0]], [[0], [1]]]) {
    const topics = groups.map((partitions) => ({ topic: TOPIC, partitions }));
    const refused = await refusal(() => admin.fetchOffsets({ groupId: "asks", topics }));
    seen.push(refused);
    if (refused !== "no error") continue;
    const [found] = await admin.fetchOffsets({ groupId: "asks", topics });
    seen.push(found?.partitions.map(({ partition, offset }) => [partition, offset]));
  }
  await admin.disconnect();
  return seen;
}

/** What an admin is told that has no time, and what is sent to a topic that is none. */
async function withoutTime({ client }: Stage): Promise<unknown> {
  const [admin, producer] = [client.admin(), client.producer()];
  const seen = [await refusal(() => admin.fetchTopicOffsets(TOPIC, { timeout: -1 }))];
  await admin.connect();
  for (const timeout of TIMEOUTS as readonly number[]) {
    for (const topic of [TOPIC, "none-such"]) {
      seen.push(await refusal(() => admin.fetchTopicOffsets(topic, { timeout })));
    }
  }
  await producer.connect();
  for (const topic of [new Uint8Array(1), 5, "", "a b", TOPIC] as string[]) {
    seen.push(await producer.send({ topic, messages: [] }));
  }
  await producer.disconnect();
  await admin.disconnect();
  return seen;
}

/** What is sent ahead of a message that is none, by partitions that are no numbers. */
async function sending({ client, pass }: Stage): Promise<unknown> {
  const producer = client.producer();
  await producer.connect();
  const partitions: readonly unknown[] = [0, [], {}, "x", 0.5];
  const messages = [...partitions.map((partition) => ({ value: "1", partition })), 5];
  const seen = [
    await refusal(() => producer.send({ topic: OTHER, messages } as never)),
    await refusal(() => producer.send((() => 1) as never)),
    await refusal(() => producer.send(Object.create(null) as never)),
    await refusal(() => producer.sendBatch({ topicMessages: [() => 1] } as never)),
  ];
  await pass(300);
  const admin = producer.dependentAdmin();
  await admin.connect();
  seen.push((await admin.fetchTopicOffsets(OTHER)).map(({ offset }) => offset));
  await producer.disconnect();
  return seen;
}

/** Groups that slip side by side: what a handler throws, what is none, and offsets that are none. */
export const CONFLUENT_SLIPS_READING: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "what cannot be logged ends reading, no handler commits nothing, what is no offset the beginning, and what admins and producers are told",
    play: on(1, async (stage) => {
      await stage.publish(3);
      return await Promise.all([
        ...THROWN.map((one, at) => throwing(stage, one, `throws-${at}`)),
        ...["", {}, { eachMessage: 5 }].map((one, at) => withoutHandler(stage, one, `none-${at}`)),
        committing(stage),
        refusedSettings(stage),
        asking(stage),
        sending(stage),
        withoutTime(stage),
      ]);
    }),
    real: [
      [["0", "0", "1", "2"], [[0, "3"]]],
      [["0"], []],
      [["0", "1"], [[0, "1"]]],
      [["0", "0", "1", "2"], [[0, "3"]]],
      [["0"], []],
      [[0, "0"]],
      [[0, "0"]],
      [[0, "0"]],
      [
        [[[0, "0"]], null],
        [[[0, "0"]], null],
        [[[0, "0"]], null],
        [[[0, "1"]], "1"],
        [[[0, "1"]], "1"],
        [[[0, "1"]], "1"],
        [[[0, "2"]], "2"],
      ],
      [
        [
          { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
          { name: "TypeError" },
          "no error",
        ],
        [{ name: "Error" }, { name: "TypeError" }, "no error"],
        [
          { name: "KafkaJSError", code: -172, retriable: false, type: "ERR__STATE" },
          "no error",
          "no error",
        ],
        [
          { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
          "no error",
          "no error",
        ],
        [{ name: "Error" }, { name: "TypeError" }, "no error"],
        [
          { name: "KafkaJSError", code: -1, retriable: false, type: "ERR_UNKNOWN" },
          "no error",
          "no error",
        ],
      ],
      [
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        { name: "KafkaJSProtocolError", code: 17, retriable: false, type: "ERR_TOPIC_EXCEPTION" },
        { name: "KafkaJSProtocolError", code: 17, retriable: false, type: "ERR_TOPIC_EXCEPTION" },
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        "no error",
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        "no error",
        [
          [0, "-1001"],
          [1, "-1001"],
        ],
      ],
      [
        { name: "TypeError" },
        { name: "TypeError" },
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        { name: "TypeError" },
        ["5"],
      ],
      [
        { name: "KafkaJSError", code: -172, retriable: false, type: "ERR__STATE" },
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        "no error",
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        { name: "KafkaJSTimeout", code: -185, retriable: false, type: "ERR__TIMED_OUT" },
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        { name: "KafkaJSTimeout", code: -185, retriable: false, type: "ERR__TIMED_OUT" },
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        { name: "KafkaJSTimeout", code: -185, retriable: false, type: "ERR__TIMED_OUT" },
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        "no error",
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        { name: "KafkaJSTimeout", code: -185, retriable: false, type: "ERR__TIMED_OUT" },
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        { name: "KafkaJSError", code: -186, retriable: false, type: "ERR__INVALID_ARG" },
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        { name: "KafkaJSTimeout", code: -185, retriable: false, type: "ERR__TIMED_OUT" },
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        "no error",
        {
          name: "KafkaJSProtocolError",
          code: 3,
          retriable: false,
          type: "ERR_UNKNOWN_TOPIC_OR_PART",
        },
        [],
        [],
        [],
        [],
        [],
      ],
    ],
  },
];
