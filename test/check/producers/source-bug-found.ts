import { expect } from "vitest";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import { checkProducer } from "../../../sim/check/producer/check-producer.ts";
import { PropertyViolation } from "../../../sim/check/property-violation.ts";
import { loadWithBug, type SourceBug } from "./source-bug.ts";

const RUNS_MAX = 400;

/** That a check of a correct producer of scenarios/producers finds this bug in it, and names it. */
export async function expectSourceBugFound<Client>(
  name: string,
  bug: SourceBug,
  broker: BrokerModel<Client>,
): Promise<void> {
  const source = new URL(`../../../scenarios/producers/${name}`, import.meta.url);
  const createProducer = await loadWithBug<Client>(source, bug);
  const check = checkProducer({ broker, createProducer, numRuns: RUNS_MAX });
  const error = await check.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PropertyViolation);
  expect(bug.guarantees).toContain((error as PropertyViolation).guarantee);
}
