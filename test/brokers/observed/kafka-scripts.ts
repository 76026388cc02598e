import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { errorFacts, type Observation } from "./observation.ts";

type Play = Observation<KafkaClient>["play"];
type Stage = Parameters<Play>[0];
type Consumer = ReturnType<KafkaClient["consumer"]>;
type RunConfig = NonNullable<Parameters<Consumer["run"]>[0]>;

/** The topic of the records that a stage publishes. */
export const TOPIC = "orders";

/** Creates the topics with so many partitions before the script. */
export function on(partitions: number, script: (stage: Stage) => Promise<unknown>): Play {
  return async (stage) => {
    const admin = stage.client.admin();
    await admin.connect();
    const topics = [TOPIC, "others"].map((topic) => ({ topic, numPartitions: partitions }));
    await admin.createTopics({ topics });
    await admin.disconnect();
    return script(stage);
  };
}

interface Reading extends Partial<Parameters<KafkaClient["consumer"]>[0]> {
  readonly topic?: string;
  /** Called before the consumer connects. */
  readonly onCreated?: (consumer: Consumer) => void;
}

/** Starts a consumer of the group "triggerer". */
export async function reading(
  { client }: Stage,
  config: RunConfig,
  { topic = TOPIC, onCreated, ...options }: Reading = {},
): Promise<Consumer> {
  const consumer = client.consumer({ groupId: "triggerer", ...options });
  onCreated?.(consumer);
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run(config);
  return consumer;
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
