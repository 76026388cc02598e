import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import { errorFacts, type Observation, untilSo } from "./observation.ts";

export type Play = Observation<ConfluentKafkaClient>["play"];
export type Stage = Parameters<Play>[0];
export type Consumer = ReturnType<ConfluentKafkaClient["consumer"]>;
export type Producer = ReturnType<ConfluentKafkaClient["producer"]>;
export type RunConfig = NonNullable<Parameters<Consumer["run"]>[0]>;

/** The topic of the records that a stage publishes. */
export const TOPIC = "orders";
export const OTHER = "others";
export const GROUP = "triggerer";

/** Creates the topics with so many partitions before the script. */
export function on(partitions: number, script: (stage: Stage) => Promise<unknown>): Play {
  return async (stage) => {
    const admin = stage.client.admin();
    await admin.connect();
    const topics = [TOPIC, OTHER].map((topic) => ({ topic, numPartitions: partitions }));
    await admin.createTopics({ topics });
    await admin.disconnect();
    return script(stage);
  };
}

/** Runs a script with a connected producer. */
export function producing(
  partitions: number,
  script: (producer: Producer, stage: Stage) => Promise<unknown>,
  config: Parameters<ConfluentKafkaClient["producer"]>[0] = {},
): Play {
  return on(partitions, async (stage) => {
    const producer = stage.client.producer(config);
    await producer.connect();
    const seen = await script(producer, stage);
    await producer.disconnect();
    return seen;
  });
}

interface Reading {
  readonly topic?: string;
  /** In the block `kafkaJS`. */
  readonly options?: object;
  /** Properties of librdkafka. */
  readonly properties?: object;
}

/** Starts a consumer of the group that reads from the beginning and commits nothing by itself. */
export async function reading(
  { client }: Stage,
  config: RunConfig,
  { topic = TOPIC, options, properties }: Reading = {},
): Promise<Consumer> {
  const kafkaJS = { groupId: GROUP, fromBeginning: true, autoCommit: false, ...options };
  const consumer = client.consumer({ kafkaJS, ...properties });
  await consumer.connect();
  await consumer.subscribe({ topic });
  await consumer.run(config);
  return consumer;
}

/** The offsets that the group has committed in a topic, by partition. */
export async function committedIn(
  stage: Stage,
  topic: string = TOPIC,
  groupId: string = GROUP,
): Promise<unknown> {
  const admin = stage.client.admin();
  await admin.connect();
  const found = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return found.flatMap(({ partitions }) =>
    partitions.map(({ partition, offset }) => [partition, offset]),
  );
}

/** Waits until `isSo`, for twenty seconds at most. */
export function until(stage: Stage, isSo: () => boolean): Promise<void> {
  return untilSo(stage, isSo, { everyMs: 100 });
}

/** The error without the library's words, which are no contract. */
export async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return "no error";
  } catch (error) {
    const { message: _, ...facts } = errorFacts(error) as Error;
    return facts;
  }
}

const KAFKA_JS_ERROR = { name: "KafkaJSError", retriable: false };

/** The errors that most refusals are told by. */
export const STATE: object = { ...KAFKA_JS_ERROR, code: -172, type: "ERR__STATE" };
export const INVALID: object = { ...KAFKA_JS_ERROR, code: -186, type: "ERR__INVALID_ARG" };
export const NOT_IMPLEMENTED: object = {
  ...KAFKA_JS_ERROR,
  ...{ code: -170, type: "ERR__NOT_IMPLEMENTED" },
};
export const MISPLACED: object = { ...KAFKA_JS_ERROR, code: -1, type: "ERR_UNKNOWN" };
