import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { producerSubject } from "../../sim/worlds/producer/producer-subject.ts";
import * as sqs from "../../scenarios/producers/sqs.ts";

const LOST = `story: x
world: producer
broker: { sqs: {} }
producer: ./sqs.ts
subscribers: [{ subscriber: 1 }]
records: [{ at: 1s, publish: ref-000001, key: a }]
behaviours: [{ subscriber: 1, on: ref-000001, does: lose }]
`;

test("a run waits until what a subscriber has lost has timed out", async () => {
  const scenario = parseScenario(LOST, "mine");
  if (scenario.world !== "producer") throw new Error("unreachable");
  const parts = producerSubject.partsFrom({ ...sqs }, scenario);
  const { verdict, stats } = await simulate(scenario, { ...parts, seed: 1 });
  expect(verdict).toBe("held");
  expect(stats.virtualMs).toBeGreaterThan(scenario.manager.ackTimeout);
});
