import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import type { KinesisWorker } from "../../sim/brokers/kinesis/client.ts";
import { nats } from "../../sim/brokers/nats/model.ts";
import type { NatsMessage } from "../../sim/brokers/nats/message.ts";
import type { NatsClient } from "../../sim/brokers/nats/client.ts";
import { type AmqpClient, rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import type { AmqpMessage } from "../../sim/brokers/rabbitmq/message.ts";
import { redis } from "../../sim/brokers/redis/model.ts";
import type { RedisClient } from "../../sim/brokers/redis/client.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

/** One reader of a broker: what it is given, and how it settles that. */
interface Reading {
  readonly refs: readonly string[];
  settle(index: number): Promise<unknown>;
}

type Read<Client> = (client: Client, life: Life) => Promise<Reading>;

const refOf = (text: string): string => /ref-\d+/.exec(text)?.[0] ?? "";

async function readRedis(client: RedisClient, life: Life): Promise<Reading> {
  await pass(life, 1_000);
  const [, idle] = await client.xautoclaim("orders", "triggerer", "one", 1_000, "0");
  const args = ["GROUP", "triggerer", "one", "COUNT", 50, "STREAMS", "orders", ">"] as const;
  const fresh = await client.xreadgroup(...args);
  const entries = [...(idle as [string, string[]][]), ...(fresh?.[0]?.[1] ?? [])];
  return {
    refs: entries.map(([, fields]) => fields?.[1] ?? ""),
    settle: (index) => client.xack("orders", "triggerer", entries[index]?.[0]),
  };
}

async function readRabbitmq(client: AmqpClient, life: Life): Promise<Reading> {
  const connection = await client.connect();
  const channel = await connection.createChannel();
  const messages: AmqpMessage[] = [];
  await channel.consume("orders", (message) => {
    if (message !== null) messages.push(message);
  });
  await pass(life, 1_000);
  return {
    refs: messages.map(({ content }) => refOf(content.toString())),
    settle: async (index) => {
      channel.ack(messages[index] as AmqpMessage);
      await pass(life, 100);
    },
  };
}

async function readNats(client: NatsClient, life: Life): Promise<Reading> {
  await pass(life, 6_000);
  const consumer = await client.consumers.get("ORDERS", "triggerer");
  const messages: NatsMessage[] = [];
  const batch = await consumer.fetch({ max_messages: 50, expires: 1_000 });
  for await (const message of batch) messages.push(message);
  return {
    refs: messages.map((message) => refOf(message.string())),
    settle: async (index) => messages[index]?.ackAck(),
  };
}

async function readKinesis(client: KinesisWorker, life: Life): Promise<Reading> {
  await pass(life, 12_000);
  const [reader] = await client.takeLeases();
  const iterator = (await reader?.getShardIterator()) ?? "";
  const { records = [] } = (await reader?.getRecords(iterator)) ?? {};
  return {
    refs: records.map(({ data }) => refOf(new TextDecoder().decode(data))),
    settle: async (index) => {
      const { sequenceNumber, subSequenceNumber } = records[index] ?? {};
      await reader?.checkpointer.checkpoint(sequenceNumber, subSequenceNumber);
    },
  };
}

/** What a first reader did not settle before it died comes to a second one, and nothing else. */
async function restComesAgain<Client>(
  model: BrokerModel<Client>,
  read: Read<Client>,
  count: number,
  settled: readonly number[],
): Promise<void> {
  const stage = new BrokerStage(model);
  stage.publish(count);
  const first = await stage.play(async (client, life) => {
    const { refs, settle } = await read(client, life);
    for (const index of settled) await settle(index);
    stage.world.schedule(0, { lane: "test" }, () => life.host.crash());
    return refs;
  });
  expect(first).toHaveLength(count);
  const left = first.filter((_, index) => !settled.includes(index));
  expect(stage.broker.owed()).toEqual(left);
  const second = await stage.play(async (client, life) => (await read(client, life)).refs);
  expect(second.toSorted()).toEqual(left);
}

const COUNT_MAX = 12;
const NUM_RUNS = 40;
const count = fc.integer({ min: 1, max: COUNT_MAX });
const anyOf = fc.uniqueArray(fc.nat(COUNT_MAX - 1));

describe("for every subset that is settled, the rest comes again and nothing else", () => {
  function holds<Client>(name: string, model: BrokerModel<Client>, read: Read<Client>): void {
    test(name, async () => {
      const law = fc.asyncProperty(count, anyOf, (published, settled) => {
        const within = settled.filter((index) => index < published);
        return restComesAgain(model, read, published, within);
      });
      await fc.assert(law, { numRuns: NUM_RUNS });
    });
  }

  holds("Redis", redis(), readRedis);
  holds("RabbitMQ", rabbitmq(), readRabbitmq);
  holds("JetStream", nats(), readNats);
});

test("for every prefix that is settled, the rest comes again and nothing else: Kinesis", async () => {
  const law = fc.asyncProperty(count, fc.nat(COUNT_MAX), async (published, length) => {
    const upTo = Math.min(published, length) - 1;
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(published);
    const all = await stage.play(async (client, life) => {
      const { refs, settle } = await readKinesis(client, life);
      if (upTo >= 0) await settle(upTo);
      stage.world.schedule(0, { lane: "test" }, () => life.host.crash());
      return refs;
    });
    const left = all.slice(upTo + 1);
    expect(stage.broker.owed()).toEqual(left);
    expect(
      await stage.play(async (client, life) => (await readKinesis(client, life)).refs),
    ).toEqual(left);
  });
  await fc.assert(law, { numRuns: NUM_RUNS });
});
