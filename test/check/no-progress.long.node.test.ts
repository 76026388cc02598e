import { expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";

test("checkProducer() makes few more runs of a producer that polls for ever in vain", async () => {
  let runs = 0;
  const check = checkProducer({
    broker: brokers.kafka(),
    createProducer: () => ({
      openStream: async function* (signal: AbortSignal) {
        const seen: never[] = [];
        while (!signal.aborted) {
          yield* seen;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
      advance: () => Promise.resolve(),
    }),
    onRun: () => (runs += 1),
  });
  await expect(check).rejects.toMatchObject({ guarantee: "G8" });
  // The first run breaks; one that makes progress is followed by 40 more.
  expect(runs).toBeLessThan(12);
});
