import { expect, test } from "vitest";
import type { ConfluentKafkaClient } from "../../sim/brokers/kafka/confluent-client.ts";
import { confluentKafka, kafka } from "../../sim/brokers/kafka/kafka-model.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const GROUP = "triggerer";
const TOPIC = "orders";
const MINUTE_MS = 60_000;

// On a server: a proxy cut the connection at JoinGroup or SyncGroup, and kafkajs told of a crash with
// a `KafkaJSConnectionClosedError` and a restart, and read all records.
test("for every request that is lost as a consumer starts to run, it begins anew", async () => {
  for (const when of ["before", "after"] as const) {
    for (let nth = 3; nth <= 6; nth += 1) {
      const stage = new BrokerStage(kafka());
      stage.publish(2);
      stage.strike("broker.session", { kind: "fail", when }, nth);
      const seen = await stage.play(async (client, life) => {
        const read: string[] = [];
        const restarts: unknown[] = [];
        const consumer = client.consumer({ groupId: GROUP });
        consumer.on(consumer.events.CRASH, ({ payload }: { payload: { restart: unknown } }) => {
          restarts.push(payload.restart);
        });
        await consumer.connect();
        await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
        await consumer.run({
          async eachMessage({ message }) {
            read.push(message.offset);
            await Promise.resolve();
          },
        });
        await pass(life, MINUTE_MS);
        return { read, restarts };
      });
      expect([when, nth, seen.read]).toEqual([when, nth, ["0", "1"]]);
      expect(seen.restarts.every((restart) => restart === true)).toBe(true);
    }
  }
});

// On a server: each try was appended, and `send` was under way for as long as it was watched.
test("a word for the acknowledgements is sent as none, and the reply never comes", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  const seen = await stage.play(async (client) => {
    const producer = client.producer({ retry: { retries: 1, initialRetryTime: 10 } });
    await producer.connect();
    const before = stage.world.now;
    const record = { topic: TOPIC, messages: [{ value: "1" }], acks: "all" as unknown as number };
    const error: unknown = await producer.send(record).catch((one: unknown) => one);
    const admin = client.admin();
    await admin.connect();
    const [partition] = await admin.fetchTopicOffsets(TOPIC);
    return [(error as Error).name, stage.world.now - before >= MINUTE_MS, partition?.offset];
  });
  expect(seen).toEqual(["KafkaJSNumberOfRetriesExceeded", true, "2"]);
});

type Part = { connect(): Promise<void>; disconnect(): Promise<void> };

/** What becomes of a client that is disconnected while it connects. */
async function interrupted(create: (client: ConfluentKafkaClient) => Part): Promise<unknown> {
  const stage = new BrokerStage(confluentKafka());
  const told: string[] = [];
  const script = async (client: ConfluentKafkaClient, life: Life): Promise<void> => {
    const part = create(client);
    void part.connect().then(() => told.push("connected"));
    const end = part.disconnect().then(() => "disconnected");
    told.push(await end.catch((error: Error) => error.message));
    await pass(life, MINUTE_MS);
  };
  await expect(stage.play(script, 2 * MINUTE_MS)).rejects.toThrow("did not come to its end");
  return [told, stage.told("uncaught", ({ error }) => error)];
}

// On a server: the library threw where nobody could catch it, and the process ended.
test("a Confluent client that is disconnected while it connects ends the process", async () => {
  const consumer = await interrupted(({ consumer: create }) =>
    create({ kafkaJS: { groupId: GROUP } }),
  );
  const producer = await interrupted((client) => client.producer());
  const thrown = ["KafkaJSError: Ready callback called in invalid state"];
  expect(consumer).toEqual([["disconnected"], thrown]);
  expect(producer).toEqual([["Producer not connected"], thrown]);
});

// On a server: each of three idempotent producers gave up on a topic that never came to be.
test("an idempotent producer tries as often as another, unless it is told to", async () => {
  const tries: unknown[] = [];
  for (const retry of [undefined, {}, { retries: 2 }]) {
    const stage = new BrokerStage(kafka({ partitions: 1 }));
    stage.strike("broker.produce", { kind: "fail", when: "before" }, 1, 100);
    const seen = stage.play(async (client) => {
      const producer = client.producer({ idempotent: true, ...(retry && { retry }) });
      await producer.connect();
      await producer.send({ topic: TOPIC, messages: [{ value: "1" }] });
    });
    tries.push(await seen.catch((error: { retryCount?: number }) => error.retryCount));
  }
  expect(tries).toEqual([5, 5, 2]);
});

test("a topic of more bits than the library writes is refused by name", async () => {
  const seen = await new BrokerStage(kafka()).play(async (client) => {
    const producer = client.producer();
    await producer.connect();
    const told: unknown[] = [];
    for (const number of [2 ** 31, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) - 1, Number.NaN]) {
      const topic = number as unknown as string;
      const sent = producer.send({ topic, messages: [{ value: "1" }] });
      told.push(await sent.catch((error: Error) => error.name));
    }
    return told;
  });
  const refused = "KafkaJSNonRetriableError";
  expect(seen).toEqual([
    "NotModelled",
    refused,
    refused,
    "NotModelled",
    "KafkaJSNonRetriableError",
  ]);
});
