import { expect, test } from "vitest";
import { createProducer } from "../../scenarios/producers/rabbitmq-retry.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { RABBITMQ_CORRECT, RABBITMQ_POLICY_CORRECT } from "./producers/rabbitmq/bugs.ts";

test("a RabbitMQ producer that does it right holds", async () => {
  const { runs } = await RABBITMQ_CORRECT.check(60);
  expect(runs).toBe(60);
});

test("one that leaves dead-lettering to a policy holds on a queue that has one", async () => {
  const { runs } = await RABBITMQ_POLICY_CORRECT.check(60);
  expect(runs).toBe(60);
});

test("orders that wait at the server and are all tried again each second are no hot loop", async () => {
  const records = Array.from({ length: 140 }, (_, n) => {
    return `{ at: 1s, publish: ref-${String(n + 1).padStart(6, "0")}, key: key-1 }`;
  });
  const scenario = parseScenario(
    `
story: The only subscriber is failed, and nobody is there to take what comes again.
world: producer
broker: { rabbitmq: {} }
manager: { maxSubscriberQueue: 3 }
records: [${records.join(", ")}]
subscribers: [{ subscriber: 1 }]
behaviours: [{ subscriber: 1, on: ref-000001, does: stall, for: 30s }]
expect: { checkers: [hot-loop] }
`,
    "retries",
  );
  const { violations } = await simulate(scenario, { producer: { createProducer } });
  expect(violations).toEqual([]);
});
