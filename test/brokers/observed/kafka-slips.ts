import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { on, refusal, TOPIC } from "./kafka-scripts.ts";
import { type Observation, untilSo } from "./observation.ts";

type Stage = Parameters<Observation<KafkaClient>["play"]>[0];
type Consumer = ReturnType<KafkaClient["consumer"]>;
type Event = keyof Consumer["events"];
type Crash = { readonly payload: { readonly error: Error; readonly restart: unknown } };

/** An error by its name, cause and message, each of which may be whatever was thrown. */
function wordsOf(error: Error): string {
  // The library's messages are not always texts.
  const isEngines =
    error.name === "TypeError" || JSON.stringify(error.message).startsWith('"Cannot ');
  const cause: unknown = error.cause instanceof Error ? error.cause.name : error.cause;
  const message: unknown = isEngines ? "the engine's words" : error.message;
  return [error.name, JSON.stringify(cause), JSON.stringify(message)].join(" ");
}

/** Waits until `isSo`, for ten seconds at most. */
function until(stage: Stage, isSo: () => boolean): Promise<void> {
  return untilSo(stage, isSo, { everyMs: 50 });
}

const CAUSE = new Error("the cause");

const THROWN: readonly unknown[] = [
  ...["a text", 0, { code: 7 }, { message: "m", retriable: false }, undefined, null],
  ...[new Error("e", { cause: CAUSE }), new TypeError("t", { cause: CAUSE })],
];

/** Has a handler throw this at its first message, and tells of the crash. */
async function crashBy(stage: Stage, thrown: unknown, at: number): Promise<string> {
  const asked: string[] = [];
  const crashes: string[] = [];
  const consumer = stage.client.consumer({
    groupId: `throws-${at}`,
    retry: {
      ...{ retries: 1, initialRetryTime: 10 },
      restartOnFailure(error) {
        asked.push(error.name);
        return Promise.resolve(undefined as unknown as boolean);
      },
    },
  });
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }: Crash) => {
    crashes.push(`${wordsOf(error)} ${String(restart)}`);
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
  // oxlint-disable-next-line typescript/only-throw-error, typescript/require-await
  await consumer.run({
    [at % 2 === 0 ? "eachMessage" : "eachBatch"]: async () => {
      throw thrown;
    },
  });
  await until(stage, () => crashes.length > 0);
  await consumer.disconnect();
  return [...asked, ...crashes].join(", ");
}

/** Events that come as often as time allows. */
const OFTEN = /^(?:FETCH|HEARTBEAT|REQUEST)/;

/** Has the first listener of an event throw, and tells what fails of it and what follows. */
async function listeningBadly(stage: Stage, event: Event): Promise<unknown> {
  const seen: unknown[] = [];
  const told: string[] = [];
  const retry = { retries: 1, initialRetryTime: 20 };
  const config = { groupId: `listens-${event}`, heartbeatInterval: 1, maxWaitTimeInMs: 200, retry };
  const consumer = stage.client.consumer(config);
  for (const [name, value] of Object.entries(consumer.events)) {
    if (!OFTEN.test(name)) consumer.on(value, () => void told.push(name));
  }
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }: Crash) => {
    told.push(`(${wordsOf(error)} ${String(restart)})`);
  });
  let isFirst = true;
  consumer.on(consumer.events[event], () => {
    if (!isFirst) return;
    isFirst = false;
    throw new Error(`at ${event}`);
  });
  const calls = [await refusal(() => consumer.connect())];
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
  await consumer.run({
    async eachMessage({ message }) {
      await stage.pass(20);
      seen.push(message.offset);
    },
  });
  await until(stage, () => seen.length === 2 || told.includes("CRASH"));
  await stage.pass(500);
  calls.push(
    await refusal(() => consumer.disconnect()),
    await refusal(() => consumer.disconnect()),
  );
  return [event, seen, calls, told.join(" ")];
}

const EVENTS: readonly Event[] = [
  ...(["CONNECT", "GROUP_JOIN", "START_BATCH_PROCESS", "END_BATCH_PROCESS"] as const),
  ...(["HEARTBEAT", "STOP", "DISCONNECT"] as const),
];

const SUBSCRIBED: readonly (readonly [unknown, unknown])[] = [
  ...([
    [null, undefined],
    [0, undefined],
    [false, undefined],
    ["", null],
  ] as const),
  ...([
    [TOPIC, null],
    [TOPIC, 0],
    [TOPIC, ""],
    [undefined, {}],
    [undefined, [null]],
  ] as const),
];

export const SLIPS: readonly Observation<KafkaClient>[] = [
  {
    name: "a listener that throws fails what has told it",
    play: on(1, async (stage) => {
      await stage.publish(2);
      return await Promise.all(EVENTS.map((event) => listeningBadly(stage, event)));
    }),
    real: [
      [
        "CONNECT",
        ["0", "1"],
        [{ name: "Error" }, "no error", "no error"],
        "CONNECT CONNECT GROUP_JOIN START_BATCH_PROCESS END_BATCH_PROCESS COMMIT_OFFSETS STOP DISCONNECT DISCONNECT",
      ],
      [
        "GROUP_JOIN",
        [],
        ["no error", "no error", "no error"],
        'CONNECT CONNECT GROUP_JOIN STOP DISCONNECT CRASH (Error  "at GROUP_JOIN" false) DISCONNECT DISCONNECT',
      ],
      [
        "START_BATCH_PROCESS",
        ["0", "1"],
        ["no error", "no error", "no error"],
        "CONNECT CONNECT GROUP_JOIN START_BATCH_PROCESS START_BATCH_PROCESS END_BATCH_PROCESS COMMIT_OFFSETS STOP DISCONNECT DISCONNECT",
      ],
      [
        "END_BATCH_PROCESS",
        ["0", "1"],
        ["no error", "no error", "no error"],
        "CONNECT CONNECT GROUP_JOIN START_BATCH_PROCESS END_BATCH_PROCESS STOP DISCONNECT DISCONNECT",
      ],
      [
        "HEARTBEAT",
        ["0", "1"],
        ["no error", "no error", "no error"],
        "CONNECT CONNECT GROUP_JOIN START_BATCH_PROCESS START_BATCH_PROCESS END_BATCH_PROCESS COMMIT_OFFSETS STOP DISCONNECT DISCONNECT",
      ],
      [
        "STOP",
        ["0", "1"],
        ["no error", { name: "Error" }, "no error"],
        "CONNECT CONNECT GROUP_JOIN START_BATCH_PROCESS END_BATCH_PROCESS COMMIT_OFFSETS STOP DISCONNECT",
      ],
      [
        "DISCONNECT",
        ["0", "1"],
        ["no error", { name: "Error" }, "no error"],
        "CONNECT CONNECT GROUP_JOIN START_BATCH_PROCESS END_BATCH_PROCESS COMMIT_OFFSETS STOP DISCONNECT DISCONNECT",
      ],
    ],
  },
  {
    name: "what a handler throws that is no error, or has a cause",
    play: on(1, async (stage) => {
      await stage.publish(1);
      return await Promise.all(THROWN.map((thrown, at) => crashBy(stage, thrown, at)));
    }),
    real: [
      'KafkaJSNumberOfRetriesExceeded, KafkaJSNumberOfRetriesExceeded "a text" "a text" undefined',
      "KafkaJSNumberOfRetriesExceeded, KafkaJSNumberOfRetriesExceeded 0 0 undefined",
      'KafkaJSNumberOfRetriesExceeded, KafkaJSNumberOfRetriesExceeded {"code":7} {"code":7} undefined',
      'KafkaJSNonRetriableError {"message":"m","retriable":false} "m" false',
      'KafkaJSNonRetriableError "TypeError" "the engine\'s words" false',
      'KafkaJSNonRetriableError "TypeError" "the engine\'s words" false',
      'KafkaJSNumberOfRetriesExceeded, KafkaJSNumberOfRetriesExceeded "Error" "e" undefined',
      'KafkaJSNonRetriableError "Error" "t" false',
    ],
  },
  {
    name: "listeners that are no functions, of a producer and an admin",
    async play({ client }) {
      const seen: unknown[] = [];
      for (const part of [client.producer(), client.admin()]) {
        const { CONNECT, DISCONNECT } = part.events;
        part.on(CONNECT, "no function" as unknown as () => void);
        part.on(DISCONNECT, undefined as unknown as () => void);
        seen.push(await refusal(() => part.connect()), await refusal(() => part.disconnect()));
      }
      return seen;
    },
    real: [
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
    ],
  },
  {
    name: "a subscription to a topic, or topics, that are none",
    play: on(1, async ({ client }) => {
      const seen: unknown[] = [];
      for (const [topic, topics] of SUBSCRIBED) {
        const consumer = client.consumer({ groupId: "subscribes" });
        await consumer.connect();
        const asked = { topic, topics } as Parameters<Consumer["subscribe"]>[0];
        const { message } = ((await consumer.subscribe(asked).catch((error: unknown) => error)) as {
          readonly message: string;
        }) ?? { message: "taken" };
        seen.push(message);
        await consumer.disconnect();
      }
      return seen;
    }),
    real: [
      'Missing required argument "topics"',
      'Missing required argument "topics"',
      'Missing required argument "topics"',
      'Missing required argument "topics"',
      "taken",
      'Argument "topics" must be an array',
      'Argument "topics" must be an array',
      'Argument "topics" must be an array',
      "Invalid topic null (object), the topic name has to be a String or a RegExp",
    ],
  },
  {
    name: "an admin is asked about groups that are no list, and for times that are none",
    play: on(1, async ({ client }) => {
      const producer = client.producer();
      await producer.connect();
      await producer.send({ topic: TOPIC, messages: [{ value: "1" }, { value: "2" }] });
      await producer.disconnect();
      const admin = client.admin();
      await admin.connect();
      const seen: unknown[] = [];
      for (const groups of [undefined, null, "text", {}]) {
        seen.push(await refusal(() => admin.describeGroups(groups as string[])));
      }
      type Reset = Parameters<typeof admin.resetOffsets>[0];
      seen.push(await refusal(() => admin.resetOffsets({ topic: TOPIC } as Reset)));
      for (const time of [null, -1, -2, -3, -5, "soon", 1.5, "0"]) {
        const found = admin.fetchTopicOffsetsByTimestamp(TOPIC, time as number);
        seen.push(await found.catch((error: unknown) => refusal(() => Promise.reject(error))));
      }
      await admin.disconnect();
      return seen;
    }),
    real: [
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "KafkaJSNonRetriableError", retriable: false },
      [{ partition: 0, offset: "2" }],
      [{ partition: 0, offset: "2" }],
      [{ partition: 0, offset: "0" }],
      { name: "KafkaJSProtocolError", code: 35, retriable: false, type: "UNSUPPORTED_VERSION" },
      { name: "KafkaJSProtocolError", code: 35, retriable: false, type: "UNSUPPORTED_VERSION" },
      { name: "SyntaxError" },
      { name: "RangeError" },
      [{ partition: 0, offset: "0" }],
    ],
  },
  {
    name: "a number as a topic, a codec that is none, acks that are nearly a number",
    play: on(1, async ({ client }) => {
      const producer = client.producer({ retry: { retries: 1, initialRetryTime: 10 } });
      await producer.connect();
      const seen: unknown[] = [];
      const one = { topic: TOPIC, messages: [{ value: "1" }] };
      for (const wrong of [
        { ...one, topic: 5 },
        ...[9, "1", "gzip", null, "0", true, -1].map((compression) => ({ ...one, compression })),
        ...["1", true, 1.5, 2.5, "2"].map((acks) => ({ ...one, acks })),
      ]) {
        seen.push(await refusal(() => producer.send(wrong as unknown as typeof one)));
      }
      await producer.disconnect();
      return seen;
    }),
    real: [
      {
        name: "KafkaJSNonRetriableError",
        retriable: false,
        cause: {
          name: "KafkaJSProtocolError",
          message: "The request attempted to perform an operation on an invalid topic",
          code: 17,
          retriable: false,
          type: "INVALID_TOPIC_EXCEPTION",
        },
      },
      { name: "TypeError" },
      "no error",
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      { name: "TypeError" },
      "no error",
      "no error",
      "no error",
      { name: "KafkaJSProtocolError", code: 21, retriable: false, type: "INVALID_REQUIRED_ACKS" },
      { name: "KafkaJSProtocolError", code: 21, retriable: false, type: "INVALID_REQUIRED_ACKS" },
    ],
  },
];
