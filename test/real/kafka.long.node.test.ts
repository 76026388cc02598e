import { type Consumer, Kafka, logLevel } from "kafkajs";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { BROKER_AWAY } from "../brokers/observed/observation.ts";
import { KAFKA } from "../brokers/observed/kafka.ts";
import { TOPIC } from "../brokers/observed/kafka-scripts.ts";
import { emptyKafka } from "./empty-kafka.ts";
import { behindGate, type Gate } from "./gate.ts";
import { KAFKA_COMMANDS, startKafka } from "./kafka-server.ts";
import type { RunningServer } from "./loopback-server.ts";
import { testReal } from "./test-real.ts";

/** How long a new group waits for more members: Kafka's default. */
const JOIN_DELAY_MS = 3_000;
/** Collects the consumers that a client makes from now on: a sequence that fails leaves them open. */
function consumersOf(client: Kafka): readonly Consumer[] {
  const consumers: Consumer[] = [];
  const create = client.consumer.bind(client);
  client.consumer = (config) => {
    const consumer = create(config);
    consumers.push(consumer);
    return consumer;
  };
  return consumers;
}

testReal<KafkaClient, RunningServer & Gate>(KAFKA, {
  name: "Apache Kafka",
  commands: KAFKA_COMMANDS,
  // Most of the time a group waits for members, a topic for its end.
  servers: 3,
  start: () =>
    behindGate((port) =>
      startKafka(JOIN_DELAY_MS, { "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}` }),
    ),
  async stage({ port, shut }) {
    const client = new Kafka({
      ...{ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING },
      // The model's pauses between tries have no jitter.
      retry: { factor: 0 },
    });
    const leftOpen = consumersOf(client);
    const admin = client.admin();
    await admin.connect();
    await emptyKafka(admin);
    const producer = client.producer();
    await producer.connect();
    return {
      // The model's client is typed as the part of kafkajs that it has.
      client: client as unknown as KafkaClient,
      async publish(ref) {
        const value = JSON.stringify({ ref, key: "key-1" });
        await producer.send({
          topic: TOPIC,
          messages: [{ key: "key-1", value, headers: { ref } }],
        });
      },
      operations: {
        // Its limit is a megabyte, and the message has two.
        [BROKER_AWAY]: (forMs = 0) => shut(forMs),
        "other topics refuse what is sent": () => Promise.resolve(),
      },
      async close() {
        for (const consumer of leftOpen) await consumer.disconnect().catch(() => undefined);
        await producer.disconnect();
        await admin.disconnect();
      },
    };
  },
});
