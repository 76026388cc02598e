import { setTimeout as pass } from "node:timers/promises";
import { Kafka, logLevel } from "kafkajs";
import { KAFKA_COMMANDS, startKafka } from "../kafka-server.ts";
import { bodyOf, type CrashBroker, refOfBody } from "./crash-broker.ts";

/** So long after a topic was deleted may the broker still know it. */
const DELETED_MS = 2_500;
/** The correct producer's dead letters, and the naive one's. */
const DEAD_LETTERS = ["orders.dead-letter", "dead-orders"];

export const BROKER: CrashBroker = {
  name: "Apache Kafka",
  commands: KAFKA_COMMANDS,
  correct: "orders",
  naive: "naive-orders",
  // The group waits for a killed member for as long as its session lasts, 30 s.
  silenceMs: 3_500,
  start: () => startKafka(0),
  async open({ port }) {
    const client = clientOf(port);
    const admin = client.admin();
    await admin.connect();
    const topics = ["orders", ...DEAD_LETTERS];
    const known = (await admin.listTopics()).filter((topic) => topics.includes(topic));
    if (known.length > 0) {
      await admin.deleteTopics({ topics: known });
      await pass(DELETED_MS);
    }
    await admin.createTopics({ topics: topics.map((topic) => ({ topic, numPartitions: 1 })) });
    await admin.disconnect();
    const dead = new Set<string>();
    const reader = client.consumer({ groupId: "operator" });
    await reader.connect();
    await reader.subscribe({ topics: DEAD_LETTERS, fromBeginning: true });
    await reader.run({
      eachMessage: ({ message }) => {
        dead.add(refOfBody(message.value));
        return Promise.resolve();
      },
    });
    return {
      async publish(refs) {
        const producer = client.producer();
        await producer.connect();
        const messages = refs.map((ref) => ({ key: "key-1", value: bodyOf(ref) }));
        await producer.send({ topic: "orders", messages });
        await producer.disconnect();
      },
      deadLetters: () => Promise.resolve(dead),
      close: () => reader.disconnect(),
    };
  },
  connect: (port) => Promise.resolve(() => clientOf(port)),
};

function clientOf(port: number): Kafka {
  return new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
}
