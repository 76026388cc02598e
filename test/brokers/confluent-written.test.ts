import { expect, test } from "vitest";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { NUMBERS_AS_TEXTS } from "./observed/confluent-limits.ts";
import { observeModel, outcomeOf } from "./observed/observation.ts";

test(NUMBERS_AS_TEXTS.name, async () => {
  const { play, real } = NUMBERS_AS_TEXTS;
  expect(await observeModel(confluentKafka({ partitions: 1 }), play)).toEqual(real);
});

// Not compared for good: librdkafka says the same, but now and then its process crashes then.
test("an admin has no reply within a millisecond, or within what is no number", async () => {
  const seen = await observeModel(confluentKafka({ partitions: 1 }), async ({ client }) => {
    const admin = client.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: "orders", numPartitions: 1 }] });
    const told: unknown[] = [];
    for (const timeout of [0, -0.5, 1.5, 2, Number.NaN, undefined, "x"] as readonly number[]) {
      for (const topic of ["orders", "none-such"]) {
        const outcome = await outcomeOf(() => admin.fetchTopicOffsets(topic, { timeout }));
        told.push((outcome as { readonly message?: string }).message ?? "offsets");
      }
    }
    return told;
  });
  const [late, unknown] = ["Local: Timed out", "This server does not host this topic-partition"];
  expect(seen).toEqual([
    ...[late, late, late, late, late, late, "offsets", unknown],
    ...[late, late, late, unknown, late, unknown],
  ]);
});
