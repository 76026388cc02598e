import { expect, test } from "vitest";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

/** A correct producer was accused of it: it had paused in the instant of a dead letter. */
test("what is appended in the instant of a pause is read when it is resumed", async () => {
  const stage = new BrokerStage(confluentKafka({ partitions: 1 }));
  const seen = await stage.play(async (client, life) => {
    const topics = [{ topic: "orders", partitions: [0] }];
    const read: string[] = [];
    const consumer = client.consumer({ kafkaJS: { groupId: "triggerer", fromBeginning: true } });
    await consumer.connect();
    await consumer.subscribe({ topic: "orders" });
    await consumer.run({
      eachMessage: async ({ message }) => {
        await Promise.resolve();
        read.push(message.offset);
      },
    });
    await pass(life, 8_000);
    for (let nth = 0; nth < 3; nth += 1) {
      stage.publish(1);
      consumer.pause(topics);
      await pass(life, 1_000);
      read.push("resumed");
      consumer.resume(topics);
      await pass(life, 2_000);
    }
    await consumer.disconnect();
    return read;
  });
  expect(seen).toEqual(["resumed", "0", "resumed", "1", "resumed", "2"]);
});
