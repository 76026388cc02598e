import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import { refusal } from "../observed/confluent-scripts.ts";
import type { DrawnSequences } from "./drawn.ts";
import { kafkaCalls, PARTITIONS } from "./kafka-calls.ts";

/** How long a fetch waits for records. */
const FETCH_MS = 40;
const ASSIGNED_MS = 20;
const ASSIGNED_TRIES = 3_000;

/** By Confluent's library. */
export const CONFLUENT_CALLS: DrawnSequences<ConfluentKafkaClient, unknown> =
  kafkaCalls<ConfluentKafkaClient>({
    soonMs: 1_200,
    creation: {},
    refusal,
    async start(client, { topic, groupId, eachMessage, pass }) {
      const kafkaJS = {
        ...{ groupId, fromBeginning: true, autoCommit: false, maxWaitTimeInMs: FETCH_MS },
      };
      const consumer = client.consumer({ kafkaJS });
      await consumer.connect();
      await consumer.subscribe({ topic });
      await consumer.run({ eachMessage });
      for (let tries = 1; consumer.assignment().length < PARTITIONS; tries += 1) {
        if (tries === ASSIGNED_TRIES) throw new Error("The consumer was assigned no partitions");
        await pass(ASSIGNED_MS);
      }
      return consumer;
    },
  });
