import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { type Admin, type Consumer, Kafka, logLevel } from "kafkajs";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { KAFKA } from "../brokers/observed/kafka.ts";
import { TOPIC } from "../brokers/observed/kafka-scripts.ts";
import { INSTALLED } from "./installed.ts";
import { freePort, type Place, placeOf, startServer } from "./loopback-server.ts";
import { testReal } from "./test-real.ts";

const JARS = join(INSTALLED, "kafka");
const CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg";
const HEAP = ["-Xmx512m", "-Xms128m"];

/** So long after a topic was deleted may the broker still know it. */
const SETTLED_MS = 2_500;
const TRIES = 30;

/** Deletes all groups, once their members have left. */
async function deleteGroups(admin: Admin): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { groups } = await admin.listGroups();
    if (groups.length === 0) return;
    try {
      await admin.deleteGroups(groups.map(({ groupId }) => groupId));
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await pass(SETTLED_MS);
    }
  }
}

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

/** One node that is broker and controller. */
function properties({ port, folder }: Place, controller: number): string {
  const settings = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
    "controller.listener.names": "CONTROLLER",
    "log.dirs": join(folder, "log"),
    "auto.create.topics.enable": false,
    "offsets.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "group.initial.rebalance.delay.ms": 3_000,
    "log.retention.check.interval.ms": 1_000,
    "log.initial.task.delay.ms": 1_000,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

testReal(KAFKA, {
  name: "Apache Kafka",
  commands: ["java", JARS],
  async start() {
    const controller = await freePort();
    const java = placeOf("java") ?? "java";
    const classPath = ["-cp", join(JARS, "*")];
    return await startServer({
      command: "java",
      arguments(place) {
        const config = join(place.folder, "server.properties");
        writeFileSync(config, properties(place, controller));
        const format = ["kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", config];
        execFileSync(java, [...HEAP, ...classPath, ...format], { stdio: "ignore" });
        return [...HEAP, ...classPath, "kafka.Kafka", config];
      },
    });
  },
  async stage({ port }) {
    const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
    const leftOpen = consumersOf(client);
    const admin = client.admin();
    await admin.connect();
    const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith("__"));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    await deleteGroups(admin);
    await pass(SETTLED_MS);
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
