import { describe, expect, test } from "vitest";
import type { Symptom } from "../../sim/checkers/symptom.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { RefusedCalls } from "../../sim/worlds/producer/refused-calls.ts";
import { createProducer } from "../../scenarios/producers/sqs.ts";

const REJECTED = `{ story: One is rejected, world: producer, broker: { sqs: {} },
  subscribers: [{ subscriber: 1 }], records: [{ at: 1s, publish: ref-000001, key: a }],
  behaviours: [{ subscriber: 1, on: ref-000001, does: reject }], phases: { safety: 5s } }`;

type Client = Parameters<typeof createProducer>[0]["client"];
type Send = Client["send"];

/** The producer, whose dead letters are to wait for longer than the service allows. */
function withLateDeadLetters({ client }: { readonly client: Client }) {
  const send = ((command: { readonly input: object }, ...more: never[]) => {
    if ("MessageBody" in command.input) {
      Object.assign(command.input, { DelaySeconds: 1_000 });
    }
    return client.send(command as never, ...more);
  }) as Send;
  return createProducer({ client: { send } as Client });
}

function remarkOn(symptom: Symptom, ...refused: readonly [unknown, ...unknown[]]) {
  const calls = new RefusedCalls();
  for (const error of refused) calls.add("broker.settle", error);
  return calls.remarkOn({ symptom } as never);
}

describe("what a broker refuses again and again", () => {
  test("is in the story of a record that is not settled", async () => {
    const producer = { broker: brokers.sqs(), createProducer: withLateDeadLetters };
    const { violations } = await simulate(parseScenario(REJECTED, "mine"), { producer });
    const [first] = violations;
    expect(first?.checker).toBe("progress");
    expect(first?.story.at(-2)).toMatch(
      /^Without a fault, the broker has refused \d+ calls at broker\.\w+, at last with: InvalidParameterValue/,
    );
  });

  test("is not in that of a correct one, which only comes too late", () => {
    expect(remarkOn("redelivered-when-done", new Error("No"))).toBeUndefined();
    expect(new RefusedCalls().remarkOn({ symptom: "held-lost" } as never)).toBeUndefined();
  });

  test("is told in one line, in the words of the last error of the site with the most", () => {
    const one = new TypeError("a\n  b");
    expect(remarkOn("held-lost", one)).toBe(
      "Without a fault, the broker has refused a call at broker.settle, at last with: TypeError: a b",
    );
    expect(remarkOn("held-lost", one, "no")).toMatch(/2 calls at broker.settle, at last with: no$/);
    const calls = new RefusedCalls();
    calls.add("broker.settle", one);
    for (const nth of [1, 2]) calls.add("broker.produce", new Error(`${nth}`.padEnd(500, "x")));
    const remark = calls.remarkOn({ symptom: "advance-hangs" } as never) ?? "";
    expect(remark).toMatch(/2 calls at broker\.produce, at last with: Error: 2x+$/);
    expect(remark.length).toBeLessThan(300);
  });
});
