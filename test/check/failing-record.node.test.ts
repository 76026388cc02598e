import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { loadWithBug } from "./producers/source-bug.ts";

const SOURCE = new URL("../../scenarios/producers/nats.ts", import.meta.url);
const scenario = `
story: One record fails ten times in a row, also when all is calm.
world: producer
broker: { nats: {} }
strictPersistence: true
records: [{ at: 1s, publish: ref-000001, key: key-1 }]
subscribers: [{ subscriber: 1 }, { subscriber: 2 }]
behaviours:
  - { subscriber: 1, on: ref-000001, does: fail, times: 10 }
  - { subscriber: 2, on: ref-000001, does: fail, times: 10 }
phases: { liveness: 15m }
`;

async function brokenBy(pauseMs: string): Promise<readonly string[]> {
  const edits = [["nak(BACKOFF_MS)", `nak(${pauseMs})`]] as const;
  const bug = { id: "pauses", what: "pauses otherwise", guarantees: ["G8"], edits };
  const createProducer = await loadWithBug<never>(SOURCE, bug);
  const options = { producer: { broker: brokers.nats(), createProducer }, digest: false };
  const { violations } = await simulate(parseScenario(scenario, "failing"), options);
  return violations.map(({ checker, detail }) => `${checker} ${detail}`);
}

const DOUBLED = "BACKOFF_MS * 2 ** payload.message.info.deliveryCount";

describe("a record that fails ten times in a row", () => {
  test("is as good as lost where its pause doubles each time", async () => {
    expect(await brokenBy(DOUBLED)).toEqual(["G8 ref-000001 was held and never came back"]);
  });

  test.each(["BACKOFF_MS", `Math.min(300_000, ${DOUBLED})`])("comes back after %s", async (ms) => {
    expect(await brokenBy(ms)).toEqual([]);
  });
});
