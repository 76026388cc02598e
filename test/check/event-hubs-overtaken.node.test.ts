import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { EventHubsModule } from "../../sim/brokers/event-hubs/model.ts";
import type { ProducerSpec } from "../../sim/check/producer/check-producer.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { loadWithBug } from "./producers/source-bug.ts";

const SOURCE = new URL("../../scenarios/producers/event-hubs.ts", import.meta.url);
/** The second rival stores a checkpoint behind both events, while the first one's is on its way. */
const OVERTAKEN = `
story: A rival takes the partition over while a checkpoint is on its way, and stores its own.
world: producer
broker: { event-hubs: { partitions: 1 } }
records:
  - { at: 12s, publish: ref-000001, key: key-1 }
  - { at: 12500ms, publish: ref-000002, key: key-1 }
subscribers: [{ subscriber: 1 }]
behaviours: [{ subscriber: 1, on: ref-000002, does: late, for: 9s, times: 1 }]
faults:
  - { at: 2s, disturb: a rival takes a partition }
  - { at: 13400ms, disturb: a rival takes a partition }
`;
const DELAYED = "  - { site: broker.settle, verdict: delay, nth: 1, times: 1, for: 4s }\n";

type Create = ProducerSpec<EventHubsModule>["createProducer"];

async function brokenBy(createProducer: Create, text: string): Promise<readonly string[]> {
  const producer = { broker: brokers.eventHubs({ partitions: 1 }), createProducer };
  const options = { producer, trace: false, digest: false };
  const { violations } = await simulate(parseScenario(text, "overtaken"), options);
  return violations.map(({ checker }) => checker);
}

describe("a checkpoint behind another owner's", () => {
  test("is held against a producer that had been told that its partition is closed", async () => {
    const find = "      if (unsaved === undefined || isClosed) return;\n";
    const wait = "      await new Promise((resolve) => setTimeout(resolve, 4_000));\n";
    const create = await loadWithBug<EventHubsModule>(SOURCE, {
      id: "gathers-checkpoints",
      what: "stores a checkpoint some time after it has looked whether the partition is its own",
      guarantees: ["G5"],
      edits: [[find, `${find}${wait}`]],
    });
    expect(await brokenBy(create, OVERTAKEN)).toEqual(["G5"]);
  });

  test("is not held against one whose checkpoint was on its way", async () => {
    const { createProducer } = (await import(SOURCE.href)) as { createProducer: Create };
    for (const text of [OVERTAKEN, `${OVERTAKEN}${DELAYED}`]) {
      expect(await brokenBy(createProducer, text)).toEqual([]);
    }
  });
});
