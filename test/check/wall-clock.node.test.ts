import type { SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { ProducerSpec } from "../../sim/check/producer/check-producer.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { GATED_RENEWAL, SQS } from "./producers/wall-clock-bugs.ts";

type Create = ProducerSpec<Pick<SQSClient, "send">>["createProducer"];

/** A message of SQS is outstanding for three of its leases, of 30 s each. */
async function brokenBy(createProducer: Create, faults: string): Promise<readonly string[]> {
  const text = `
story: The wall clock of the triggerer is wrong for a while.
world: producer
broker: { sqs: {} }
manager: { ackTimeout: 2m }
records: [{ at: 1s, publish: ref-000001, key: key-1 }]
subscribers: [{ subscriber: 1 }]
behaviours: [{ subscriber: 1, on: ref-000001, does: late, for: 90s, times: 1 }]
faults: [${faults}]
phases: { safety: 110s, liveness: 4m }
`;
  const producer = { broker: brokers.sqs(), createProducer };
  const scenario = parseScenario(text, "wrong-clock");
  const { violations } = await simulate(scenario, { producer, trace: false, digest: false });
  return violations.map(({ checker }) => checker);
}

describe("a wall clock that is wrong for a while", () => {
  test("accuses a renewal that waits by it, and not one that waits by a timer", async () => {
    const { createProducer } = (await import(SQS.href)) as { createProducer: Create };
    const gated = await GATED_RENEWAL.load();
    const back = "{ at: 10s, clockStep: triggerer, by: -1h, for: 60s }";
    expect(await brokenBy(createProducer, back)).toEqual([]);
    expect(await brokenBy(gated, back)).toContain("G9");
    expect(await brokenBy(gated, "")).toEqual([]);
  });

  test("is set right in time, or never", async () => {
    const gated = await GATED_RENEWAL.load();
    const for5s = "{ at: 10s, clockStep: triggerer, by: -1h, for: 5s }";
    expect(await brokenBy(gated, for5s)).toEqual([]);
    expect(await brokenBy(gated, "{ at: 10s, clockStep: triggerer, by: -1h }")).toContain("G9");
  });
});
