import { expect, test } from "vitest";
import * as naive from "../../scenarios/producers/naive-outbox.ts";
import * as correct from "../../scenarios/producers/outbox.ts";
import { outbox } from "../../sim/brokers/outbox/model.ts";
import type { PgPool } from "../../sim/brokers/outbox/pg-pool.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import type { CreateProducer } from "../../sim/worlds/producer/producer-under-test.ts";

const RUNS = 40;

/** The client is pg's own for the producer, and the model's for the check. */
function check({ createProducer }: { readonly createProducer: unknown }): Promise<unknown> {
  const create = createProducer as CreateProducer<PgPool>;
  return checkProducer({ broker: outbox(), createProducer: create, numRuns: RUNS });
}

test("the producer of an outbox that does it right holds", async () => {
  expect(await check(correct)).toMatchObject({ runs: RUNS });
});

test("the naive one loses what was rejected", async () => {
  await expect(check(naive)).rejects.toMatchObject({ guarantee: "G3" });
});

test("one that uses what the model does not have is not judged, whatever it catches", async () => {
  const createProducer: CreateProducer<PgPool> = ({ client }) => ({
    async *openStream() {
      yield* [];
      await client.query("LOCK orders").catch(() => undefined);
    },
    advance: () => Promise.resolve(),
  });
  await expect(check({ createProducer })).rejects.toThrow(
    "Cannot judge the producer: it uses LOCK in SQL, which the model of its broker does not have; " +
      "see brokers.outbox",
  );
});
