import { Kafka, logLevel } from "kafkajs";
import type { ConfluentKafkaClient } from "../../sim/brokers/kafka/confluent-client.ts";
import { expect, test } from "vitest";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { CONFLUENT_SLIPS } from "../brokers/drawn/confluent-slips.ts";
import { CONFLUENT_CALLS } from "../brokers/drawn/confluent.ts";
import { CONFLUENT_KAFKA } from "../brokers/observed/confluent.ts";
import { CONFLUENT_MEMBERS } from "../brokers/observed/confluent-members.ts";
import { TOPIC } from "../brokers/observed/confluent-scripts.ts";
import { CONFLUENT_BINARY, confluentClientOf } from "./confluent-library.ts";
import { KAFKA_COMMANDS, startKafka } from "./kafka-server.ts";
import { emptyKafka } from "./empty-kafka.ts";
import { testSlips } from "./test-slips.ts";
import { testDrawn } from "./test-drawn.ts";
import { type RealBroker, testReal } from "./test-real.ts";

/** Collects what a client makes from now on: a sequence that fails leaves it open. */
function openedBy(client: ConfluentKafkaClient): readonly { disconnect(): Promise<void> }[] {
  const opened: { disconnect(): Promise<void> }[] = [];
  const noted = <Part extends { disconnect(): Promise<void> }>(part: Part): Part => {
    opened.push(part);
    return part;
  };
  const consumer = client.consumer.bind(client);
  const producer = client.producer.bind(client);
  client.consumer = (config) => noted(consumer(config));
  client.producer = (config) => noted(producer(config));
  return opened;
}

function membersOf(part: object): readonly string[] {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(part));
  return names.filter((name) => name !== "constructor" && !name.startsWith("_")).toSorted();
}

const BY_CONFLUENT: RealBroker<ConfluentKafkaClient> = {
  name: "Apache Kafka, by Confluent's library",
  commands: [...KAFKA_COMMANDS, CONFLUENT_BINARY],
  start: () => startKafka(0),
  async stage({ port }) {
    const kafkaJS = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
    const admin = kafkaJS.admin();
    await admin.connect();
    await emptyKafka(admin);
    const client = confluentClientOf(port);
    const leftOpen = openedBy(client);
    const producer = kafkaJS.producer();
    await producer.connect();
    return {
      client,
      async publish(ref, key) {
        const value = JSON.stringify({ ref, key });
        await producer.send({ topic: TOPIC, messages: [{ key, value, headers: { ref } }] });
      },
      operations: {
        // Its limit is a megabyte, and the message has two.
        "other topics refuse what is sent": () => Promise.resolve(),
      },
      async close() {
        for (const part of leftOpen) await part.disconnect().catch(() => undefined);
        await producer.disconnect();
        await admin.disconnect();
      },
    };
  },
};

/** One client for each lane, and each sequence has a topic and a group of its own. */
const clients = new Map<number, ConfluentKafkaClient>();

const DRAWN: RealBroker<ConfluentKafkaClient> = {
  ...BY_CONFLUENT,
  stage({ port }, lane = 0) {
    const client = clients.get(lane) ?? confluentClientOf(port);
    clients.set(lane, client);
    return Promise.resolve({
      client,
      publish: () => Promise.reject(new Error("Drawn sequences send by a producer")),
      operations: {},
      close: () => Promise.resolve(),
    });
  },
};

testReal(CONFLUENT_KAFKA, BY_CONFLUENT, (running) => {
  testDrawn(CONFLUENT_CALLS, DRAWN, () => confluentKafka(), { numRuns: 20, lanes: 20 })(running);
  testSlips(CONFLUENT_SLIPS, DRAWN, () => confluentKafka(), {
    ...{ numRuns: 6, lanes: 6 },
    isRefusedLeftOut: true,
  })(running);

  test("the library's members are those of the table", (context) => {
    const client = confluentClientOf(running(context).port);
    const made = {
      consumer: client.consumer({}),
      producer: client.producer(),
      admin: client.admin(),
    };
    const parts = Object.entries({ kafka: client, ...made });
    const found = parts.map(([name, part]) => [name, membersOf(part)]);
    expect(Object.fromEntries(found)).toEqual(CONFLUENT_MEMBERS);
  });
});
