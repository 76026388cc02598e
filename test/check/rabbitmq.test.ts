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

interface Flood {
  readonly story: string;
  readonly records: number;
  readonly rest: string;
}

/** So many orders at once, with a subscriber whose queue takes three: what comes then fails. */
async function brokenByFlood({ story, records: count, rest }: Flood): Promise<readonly unknown[]> {
  const records = Array.from({ length: count }, (_, n) => {
    return `{ at: 1s, publish: ref-${String(n + 1).padStart(6, "0")}, key: key-1 }`;
  });
  const text = `
story: ${story}
world: producer
broker: { rabbitmq: {} }
manager: { maxSubscriberQueue: 3 }
records: [${records.join(", ")}]
subscribers: [{ subscriber: 1 }]
${rest}
`;
  const { violations } = await simulate(parseScenario(text, "flood"), {
    producer: { createProducer },
  });
  return violations;
}

test("orders that wait at the server and are all tried again each second are no hot loop", async () => {
  const broken = await brokenByFlood({
    story: "The only subscriber is failed, and nobody is there to take what comes again.",
    records: 140,
    rest: `
behaviours: [{ subscriber: 1, on: ref-000001, does: stall, for: 30s }]
expect: { checkers: [hot-loop] }`,
  });
  expect(broken).toEqual([]);
});

test("an order comes twice after a crash before it was acknowledged, when its copy waited", async () => {
  const broken = await brokenByFlood({
    story:
      "The triggerer dies between the confirm of copies and the acks of what they were made of.",
    records: 100,
    rest: `
behaviours: [{ subscriber: 1, on: ref-000004, does: stall, for: 22s, times: 1 }]
faults: [{ at: 3s, crash: triggerer }]
expect: { checkers: [progress] }`,
  });
  expect(broken).toEqual([]);
});
