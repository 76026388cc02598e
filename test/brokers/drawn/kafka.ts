import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { refusal } from "../observed/kafka-scripts.ts";
import type { DrawnSequences } from "./drawn.ts";
import { kafkaCalls } from "./kafka-calls.ts";

/** How long a fetch waits for records: a pause or seek is in force when the one under way is over. */
const FETCH_MS = 40;

/** By kafkajs. */
export const KAFKA_CALLS: DrawnSequences<KafkaClient, unknown> = kafkaCalls<KafkaClient>({
  soonMs: 120,
  creation: { waitForLeaders: false },
  refusal,
  async start(client, { topic, groupId, eachMessage }) {
    const consumer = client.consumer({ groupId, maxWaitTimeInMs: FETCH_MS });
    const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachMessage });
    await joined;
    return consumer;
  },
});
