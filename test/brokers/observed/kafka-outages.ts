import type { KafkaConsumer } from "../../../sim/brokers/kafka/kafka-consumer.ts";
import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { on, reading, TOPIC } from "./kafka-scripts.ts";
import { BROKER_AWAY, type Observation, untilSo } from "./observation.ts";

type Stage = Parameters<Observation<KafkaClient>["play"]>[0];
type ConsumerConfig = Parameters<KafkaClient["consumer"]>[0];

/** Longer than a client tries to connect, and shorter than it does so twice. */
const LONG_MS = 12_000;
/** Over before a client gives up. */
const SHORT_MS = 1_000;
/** What tells how the library got over it. */
const TOLD = ["CONNECT", "GROUP_JOIN", "STOP", "DISCONNECT", "CRASH"] as const;

/** An error without the address of its broker and the pause before a next try. */
function factsOf(error: unknown): readonly unknown[] {
  const { name, message, code, retriable, retryCount, cause } = error as Error & {
    readonly code?: string;
    readonly retriable?: boolean;
    readonly retryCount?: number;
  };
  const facts = [name, message.replace(/(ECONNREFUSED) .*/, "$1"), code, retriable];
  const told = [...facts, retryCount].filter((fact) => fact !== undefined);
  // What has broken a connection is the simulator's in the model, and nothing in the library.
  const isFirst = name.startsWith("KafkaJSConnection");
  return cause instanceof Error && !isFirst ? [...told, factsOf(cause)] : told;
}

async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return Array.isArray(await call()) ? "a list" : "something";
  } catch (error) {
    return factsOf(error);
  }
}

/** Collects what a consumer tells from now on. */
function listening(consumer: KafkaConsumer): unknown[] {
  const told: unknown[] = [];
  for (const event of TOLD) {
    consumer.on(consumer.events[event], ({ payload }) => {
      const { error, restart } = (payload ?? {}) as { error?: unknown; restart?: boolean };
      told.push(event === "CRASH" ? [event, factsOf(error), restart] : event);
    });
  }
  return told;
}

/** Starts a consumer whose former membership is soon over. */
async function consuming(
  stage: Stage,
  config: Parameters<KafkaConsumer["run"]>[0],
  options: Partial<ConsumerConfig> & Pick<NonNullable<Parameters<typeof reading>[2]>, "onCreated">,
): Promise<KafkaConsumer> {
  return await reading(stage, config ?? {}, { sessionTimeout: 6_000, ...options });
}

const idle = { eachMessage: () => Promise.resolve() };
const joinsIn = (told: readonly unknown[]): number =>
  told.filter((one) => one === "GROUP_JOIN").length;

/** Waits until all of them have joined again. */
async function untilJoined(stage: Stage, all: readonly unknown[][]): Promise<void> {
  const isSo = (): boolean => all.every((told) => joinsIn(told) > 0);
  await untilSo(stage, isSo, { everyMs: 500, looksMax: 80 });
}

/** Waits until each has just sent a heartbeat, so that none is due that is not so all the time. */
async function untilBeaten(stage: Stage, consumers: readonly KafkaConsumer[]): Promise<void> {
  const beaten = new Set<KafkaConsumer>();
  for (const one of consumers) one.on(one.events.HEARTBEAT, () => void beaten.add(one));
  await untilSo(stage, () => beaten.size === consumers.length, { everyMs: 100 });
  await stage.pass(500);
}

const REFUSED = [
  "KafkaJSConnectionError",
  "Connection error: connect ECONNREFUSED",
  "ECONNREFUSED",
  true,
];
const [, WORDS] = REFUSED;
const FINAL = ["KafkaJSNonRetriableError", WORDS, false, REFUSED];
const exceeded = (count: number): unknown => [
  ...["KafkaJSNumberOfRetriesExceeded", WORDS, false, count],
  REFUSED,
];
const NO_BROKER = ["KafkaJSNoBrokerAvailableError", "No broker available", true];
const UNKNOWN_MEMBER = [
  ...["KafkaJSNonRetriableError", "The coordinator is not aware of this member", false],
  ["KafkaJSProtocolError", "The coordinator is not aware of this member", 25, false],
];
const ENDED = ["STOP", "DISCONNECT"];
const JOINED = ["CONNECT", "GROUP_JOIN"];

/** What is told while the only broker is away. */
export const OUTAGES: readonly Observation<KafkaClient>[] = [
  {
    name: "consumers whose broker is away while they fetch: they crash, and join again",
    play: on(1, async (stage) => {
      const asked: unknown[] = [];
      const consumers = await Promise.all([
        consuming(stage, idle, { groupId: "calm" }),
        consuming(stage, idle, { groupId: "beating", heartbeatInterval: 100 }),
        consuming(stage, idle, {
          groupId: "hasty",
          heartbeatInterval: 100,
          retry: { retries: 0 },
        }),
        consuming(stage, idle, {
          groupId: "ending",
          retry: {
            restartOnFailure: (error) => {
              asked.push(factsOf(error));
              return Promise.resolve(false);
            },
          },
        }),
      ]);
      await untilBeaten(stage, consumers);
      const told = consumers.map((consumer) => listening(consumer));
      await stage.operate(BROKER_AWAY, LONG_MS);
      await untilJoined(stage, told.slice(0, -1));
      const seen = told.map((one) => [...one]);
      for (const consumer of consumers) await consumer.disconnect();
      return { seen, asked };
    }),
    real: {
      seen: [
        [...ENDED, ["CRASH", FINAL, true], ...JOINED],
        [...ENDED, ["CRASH", NO_BROKER, true], ...ENDED, ["CRASH", exceeded(5), true], ...JOINED],
        [...ENDED, ["CRASH", exceeded(0), true], ...ENDED, ["CRASH", exceeded(5), true], ...JOINED],
        [...ENDED, ["CRASH", FINAL, false]],
      ],
      asked: [FINAL],
    },
  },
  {
    name: "consumers whose broker is soon back: who has to send a heartbeat first crashes",
    play: on(1, async (stage) => {
      const consumers = await Promise.all([
        consuming(stage, idle, { groupId: "calm" }),
        consuming(stage, idle, { groupId: "beating", heartbeatInterval: 100 }),
      ]);
      await untilBeaten(stage, consumers);
      const told = consumers.map((consumer) => listening(consumer));
      await stage.operate(BROKER_AWAY, SHORT_MS);
      await untilJoined(stage, told.slice(1));
      const seen = told.map((one) => [...one]);
      for (const consumer of consumers) await consumer.disconnect();
      return seen;
    }),
    real: [[], [...ENDED, ["CRASH", NO_BROKER, true], ...JOINED]],
  },
  {
    name: "handlers at work while the broker goes away: what they commit fails, and comes again",
    play: on(1, async (stage) => {
      await stage.publish(3);
      const seen: unknown[][] = [];
      const slowly = (what: unknown[], then: () => Promise<void>) => async (): Promise<void> => {
        what.push("begins");
        if (what.length === 1) await stage.pass(4_000);
        await then();
      };
      const nothing = (): Promise<void> => Promise.resolve();
      const [byMessage, byBatch, byHand]: [unknown[], unknown[], unknown[]] = [[], [], []];
      let hand: KafkaConsumer | undefined;
      const byHandRun = slowly(byHand, async () => {
        const place = { topic: TOPIC, partition: 0, offset: "1" };
        byHand.push(await outcome(async () => hand?.commitOffsets([place])));
      });
      const consumers = await Promise.all([
        consuming(stage, { eachMessage: slowly(byMessage, nothing) }, { groupId: "each" }),
        consuming(stage, { eachBatch: slowly(byBatch, nothing) }, { groupId: "batch" }),
        consuming(
          stage,
          { autoCommit: false, eachMessage: byHandRun },
          { groupId: "hand", onCreated: (consumer) => void (hand = consumer) },
        ),
      ]);
      await untilSo(stage, () => byMessage.length > 0 && byBatch.length > 0 && byHand.length > 0, {
        everyMs: 100,
      });
      const told = consumers.map((consumer) => listening(consumer));
      await stage.operate(BROKER_AWAY, LONG_MS + 4_000);
      await untilJoined(stage, told);
      await stage.pass(3_000);
      seen.push(...told.map((one) => [...one]), [...byMessage], [...byBatch], [...byHand]);
      for (const consumer of consumers) await consumer.disconnect();
      return seen;
    }),
    real: [
      [...ENDED, ["CRASH", FINAL, true], ...JOINED],
      [...ENDED, ["CRASH", FINAL, true], ...JOINED],
      ["GROUP_JOIN"],
      ["begins", "begins", "begins", "begins"],
      ["begins", "begins"],
      [
        ...["begins", FINAL, "begins", UNKNOWN_MEMBER],
        ...["begins", "something", "begins", "something", "begins", "something"],
      ],
    ],
  },
  {
    name: "producers and admins whose broker is away: they give up, or wait until it is back",
    play: on(1, async (stage) => {
      const { client } = stage;
      const producers = [
        client.producer(),
        client.producer({ retry: { retries: 0 } }),
        client.producer({ idempotent: true }),
      ];
      for (const producer of producers) {
        await producer.connect();
        await producer.send({ topic: TOPIC, messages: [{ value: "before" }] });
      }
      const admin = client.admin({ retry: { retries: 0 } });
      await admin.connect();
      await admin.listTopics();
      await stage.pass(1_000);
      const back = stage.operate(BROKER_AWAY, LONG_MS);
      await stage.pass(500);
      const late = client.producer({ retry: { retries: 0 } });
      const during = await Promise.all([
        ...producers.map((producer) =>
          outcome(() => producer.send({ topic: TOPIC, messages: [{ value: "during" }] })),
        ),
        outcome(() => admin.listTopics()),
        outcome(() => admin.fetchTopicOffsets(TOPIC)),
        outcome(() => late.connect()),
        outcome(() => client.consumer({ groupId: "late" }).connect()),
      ]);
      await back;
      await stage.pass(2_000);
      const after = [
        await outcome(() => admin.fetchTopicOffsets(TOPIC)),
        await outcome(() =>
          Promise.all(
            producers.map((one) => one.send({ topic: TOPIC, messages: [{ value: "after" }] })),
          ),
        ),
      ];
      const again = stage.operate(BROKER_AWAY, SHORT_MS);
      await stage.pass(500);
      const short = await Promise.all([
        ...producers.map((producer) =>
          outcome(() => producer.send({ topic: TOPIC, messages: [{ value: "short" }] })),
        ),
        outcome(() => admin.listTopics()),
        outcome(() => admin.fetchTopicOffsets(TOPIC)),
      ]);
      await again;
      for (const producer of producers) await producer.disconnect();
      await admin.disconnect();
      return { during, after, short };
    }),
    real: {
      during: [FINAL, FINAL, FINAL, exceeded(5), exceeded(5), exceeded(5), exceeded(5)],
      after: ["a list", "a list"],
      short: ["a list", exceeded(0), "a list", "a list", "a list"],
    },
  },
];
