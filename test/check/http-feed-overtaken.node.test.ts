import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { FeedClient } from "../../sim/brokers/http-feed/feed-client.ts";
import type { ProducerSpec } from "../../sim/check/producer/check-producer.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { loadWithBug } from "./producers/source-bug.ts";

const SOURCE = new URL("../../scenarios/producers/http-feed.ts", import.meta.url);
/**
 * A cursor is stored again and again, as the feed is overloaded. Meanwhile retention removes the
 * order behind it, which has to come again, so that reading begins anew at the oldest one.
 */
const OVERTAKEN = `
story: Retention overtakes a cursor that is still to be stored.
world: producer
broker: { http-feed: {} }
records:
  - { at: 501ms, publish: ref-000001, key: key-4 }
  - { at: 1s, publish: ref-000002, key: key-1 }
  - { at: 1s, publish: ref-000003, key: key-4 }
subscribers:
  - { subscriber: 1, leaveAt: 8s }
  - { subscriber: 2 }
behaviours:
  - { subscriber: 1, on: ref-000001, does: stall, for: 32s }
faults:
  - { at: 2s, disturb: the feed is overloaded }
  - { at: 1s, disturb: the oldest event is deleted }
  - { at: 6s, disturb: the oldest event is deleted }
`;

type Create = ProducerSpec<FeedClient>["createProducer"];

async function brokenBy(createProducer: Create): Promise<readonly string[]> {
  const producer = { broker: brokers.httpFeed(), createProducer };
  const scenario = parseScenario(OVERTAKEN, "overtaken");
  const { violations } = await simulate(scenario, {
    ...{ seed: 64_056, producer, trace: false, digest: false },
  });
  return violations.map(({ checker }) => checker);
}

describe("a cursor that is stored when reading has begun anew", () => {
  test("leaves an order unsettled for ever, where it is taken for how far all is done", async () => {
    const create = await loadWithBug<FeedClient>(SOURCE, {
      id: "stores-over-a-new-beginning",
      what: "a cursor that is stored late hides that reading has begun anew",
      guarantees: ["progress"],
      edits: [["this.#done === before ? upTo : this.#done", "upTo"]],
    });
    expect(await brokenBy(create)).toEqual(["progress"]);
  });

  test("moves nothing back, where that is looked at", async () => {
    const { createProducer } = (await import(SOURCE.href)) as { createProducer: Create };
    expect(await brokenBy(createProducer)).toEqual([]);
  });
});
