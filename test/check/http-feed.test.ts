import { expect, test } from "vitest";
import * as correct from "../../scenarios/producers/http-feed.ts";
import * as naive from "../../scenarios/producers/naive-http-feed.ts";
import type { FeedClient } from "../../sim/brokers/http-feed/feed-client.ts";
import { httpFeed } from "../../sim/brokers/http-feed/model.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import type { CreateProducer } from "../../sim/worlds/producer/producer-under-test.ts";

const RUNS = 40;

/** The client is the global `fetch` for the producer, and the model's for the check. */
function check({ createProducer }: { readonly createProducer: unknown }): Promise<unknown> {
  const create = createProducer as CreateProducer<FeedClient>;
  return checkProducer({ broker: httpFeed(), createProducer: create, numRuns: RUNS });
}

test("the producer of a feed that does it right holds", async () => {
  expect(await check(correct)).toMatchObject({ runs: RUNS });
});

test("the naive one loses what was rejected", async () => {
  await expect(check(naive)).rejects.toMatchObject({ guarantee: "G3" });
});
