// A record that is appended while the answer to an empty fetch is on its way is fetched at once.
import { expect, test } from "vitest";
import { confluentKafka, kafka } from "../../sim/brokers/kafka/kafka-model.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const TOPIC = "orders";
const GROUP = "triggerer";
/** So far apart two records are sent, one after the other: one pair meets the answer. */
const GAPS_MS = Array.from({ length: 24 }, (_, at) => at);
/** Far below what either library waits for records. */
const PROMPT_MS = 100;

/** Publishes the pairs, and returns those gaps whose second record came late. */
async function lateGaps(
  stage: BrokerStage<unknown>,
  life: Life,
  handled: readonly number[],
): Promise<readonly number[]> {
  const late: number[] = [];
  for (const gap of GAPS_MS) {
    await pass(life, 50);
    const known = handled.length;
    stage.publish(1);
    await pass(life, gap);
    stage.publish(1);
    const sentAt = life.clock.now();
    while (handled.length < known + 2) await pass(life, 1);
    if ((handled.at(-1) ?? 0) - sentAt > PROMPT_MS) late.push(gap);
  }
  return late;
}

test("kafkajs: no record waits for the end of a fetch that was empty", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  const late = await stage.play(async (client, life) => {
    const handled: number[] = [];
    const consumer = client.consumer({ groupId: GROUP });
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    await consumer.run({
      eachMessage: () => Promise.resolve(void handled.push(life.clock.now())),
    });
    await pass(life, 8_000);
    const found = await lateGaps(stage, life, handled);
    await consumer.disconnect();
    return found;
  });
  expect(late).toEqual([]);
});

test("Confluent's client: no record waits for the end of a fetch that was empty", async () => {
  const stage = new BrokerStage(confluentKafka({ partitions: 1 }));
  const late = await stage.play(async (client, life) => {
    const handled: number[] = [];
    const consumer = client.consumer({ kafkaJS: { groupId: GROUP, fromBeginning: true } });
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC });
    await consumer.run({
      eachMessage: () => Promise.resolve(void handled.push(life.clock.now())),
    });
    await pass(life, 8_000);
    const found = await lateGaps(stage, life, handled);
    await consumer.disconnect();
    return found;
  });
  expect(late).toEqual([]);
});
