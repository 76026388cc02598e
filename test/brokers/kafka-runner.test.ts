import { expect, test } from "vitest";
import { kafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const TOPIC = "orders";
const MAX_WAIT_MS = 5_000;
const JOINED_MS = 8_000;

// On a server: 2.1 s for a fetch, and 4.5 s for a sleep, which was what was left of five.
test("a stop waits for the fetch or the sleep that is under way", async () => {
  for (const isPaused of [false, true]) {
    const stage = new BrokerStage(kafka({ partitions: 1 }));
    const took = await stage.play(async (client, life) => {
      const consumer = client.consumer({ groupId: "triggerer", maxWaitTimeInMs: MAX_WAIT_MS });
      let began = 0;
      consumer.on(consumer.events.FETCH_START, () => {
        began = stage.world.now;
      });
      await consumer.connect();
      await consumer.subscribe({ topic: TOPIC });
      await consumer.run({ eachMessage: () => Promise.resolve() });
      if (isPaused) consumer.pause([{ topic: TOPIC }]);
      await pass(life, JOINED_MS);
      await consumer.stop();
      return stage.world.now - began;
    });
    expect([isPaused, Math.floor(took / MAX_WAIT_MS)]).toEqual([isPaused, 1]);
  }
});
