import { expect, test } from "vitest";
import { createProducer } from "../../scenarios/producers/orders.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

/**
 * The reply to a join is lost, so that the group waits for a member that nobody is. Until then the
 * consumer of the first producer cannot leave; when it does, the next one has just been given the
 * order, and gets it again.
 */
const LATE_LEAVER = `
story: A consumer that was closed long ago leaves its group while the next one is at work.
world: producer
broker: { kafka: {} }
records:
  - { at: 2s, publish: ref-000001, key: key-2 }
subscribers:
  - { subscriber: 1, joinAt: 18s, leaveAt: 27s }
behaviours:
  - { subscriber: 1, on: ref-000001, does: reject }
faults:
  - { site: broker.session, verdict: fail-after, nth: 4 }
`;

test("an order is dead-lettered twice where a consumer of an earlier producer leaves in between", async () => {
  const producer = { broker: brokers.kafka(), createProducer };
  const scenario = parseScenario(LATE_LEAVER, "late leaver");
  const { trace, violations } = await simulate(scenario, { seed: 779_696, producer });
  const letters = trace.filter(({ kind }) => kind === "dead-lettered");
  expect([letters.length, violations]).toEqual([2, []]);
});
