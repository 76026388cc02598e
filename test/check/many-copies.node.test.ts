import { expect, test } from "vitest";
import { createProducer } from "../../scenarios/producers/rabbitmq-retry.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

/** Eight times a copy rests in the retry queue, and the ack of the message itself fails. */
const MANY_COPIES = `
story: Messages of one order, each of which comes once in a second.
world: producer
broker: { rabbitmq: {} }
manager: { ackTimeout: 6s }
records:
  - { at: 2s, publish: ref-000001, key: key-3 }
subscribers:
  - { subscriber: 1 }
behaviours:
  - { subscriber: 1, on: ref-000001, does: stall, for: 34s, times: 1 }
faults:
  - { site: broker.settle, verdict: fail-before, nth: 1, times: 8 }
`;

test("an order of which there are many messages comes often, and nobody spins", async () => {
  const producer = { broker: brokers.rabbitmq(), createProducer };
  const scenario = parseScenario(MANY_COPIES, "many copies");
  const { trace, violations } = await simulate(scenario, { seed: 792_256, producer });
  expect(trace.filter(({ kind }) => kind === "emit").length).toBeGreaterThan(40);
  expect(violations).toEqual([]);
});
