import type { Admin, Consumer, Kafka, Producer } from "kafkajs";
import { expect, test } from "vitest";
import { createProducer, OrdersProducer } from "../../scenarios/producers/orders.ts";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";

/** What producers call; each part of the model's client has to fit the library's own type. */
type UsedConsumer = Pick<
  Consumer,
  | "connect"
  | "disconnect"
  | "subscribe"
  | "stop"
  | "run"
  | "commitOffsets"
  | "seek"
  | "pause"
  | "paused"
  | "resume"
  | "on"
  | "logger"
  | "events"
>;
type UsedProducer = Pick<
  Producer,
  "connect" | "disconnect" | "send" | "on" | "isIdempotent" | "logger" | "events"
>;
type UsedAdmin = Pick<
  Admin,
  "connect" | "disconnect" | "listTopics" | "createTopics" | "fetchTopicOffsets"
>;

/** Code typed with the library gets the model's client, and code typed with ours the library's. */
export function asLibrary(client: KafkaClient): {
  consumer(config: Parameters<Kafka["consumer"]>[0]): UsedConsumer;
  producer(config?: Parameters<Kafka["producer"]>[0]): UsedProducer;
  admin(): UsedAdmin;
} {
  return {
    consumer: ({ groupId }) => client.consumer({ groupId }),
    producer: () => client.producer(),
    admin: () => client.admin(),
  };
}

/** Handlers written with the library's payloads run on the model's consumer. */
export async function runAsLibrary(consumer: ReturnType<KafkaClient["consumer"]>): Promise<void> {
  const library: UsedConsumer = consumer;
  await library.subscribe({ topics: ["orders"], fromBeginning: true });
  library.on(library.events.GROUP_JOIN, ({ payload }) => payload.memberAssignment);
  library.on(library.events.CRASH, ({ payload }) => payload.restart);
  await library.run({
    autoCommit: false,
    eachBatch: async ({ batch, resolveOffset, heartbeat, isRunning, isStale }) => {
      for (const { offset, value, key, headers } of batch.messages) {
        if (!isRunning() || isStale()) return;
        resolveOffset(offset);
        await heartbeat();
        expect([value?.toString("utf8"), key, headers]).toBeDefined();
      }
    },
  });
  await library.commitOffsets([{ topic: "orders", partition: 0, offset: "1" }]);
}

test("the Kafka client fits the types of kafkajs where producers use it", () => {
  expect([createProducer, OrdersProducer, asLibrary, runAsLibrary]).toHaveLength(4);
});
