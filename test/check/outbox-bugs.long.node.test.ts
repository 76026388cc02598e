import { describe, expect, test } from "vitest";
import { outbox } from "../../sim/brokers/outbox/model.ts";
import type { PgPool } from "../../sim/brokers/outbox/pg-pool.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import { PropertyViolation } from "../../sim/check/property-violation.ts";
import { OUTBOX_BUGS } from "./outbox-bugs.ts";
import { loadWithBug } from "./producers/source-bug.ts";

const SOURCE = new URL("../../scenarios/producers/outbox.ts", import.meta.url);
const RUNS_MAX = 400;

describe("a check finds in a producer of an outbox that", () => {
  test.each(OUTBOX_BUGS)("$what", async (bug) => {
    const createProducer = await loadWithBug<PgPool>(SOURCE, bug);
    const check = checkProducer({ broker: outbox(), createProducer, numRuns: RUNS_MAX });
    const error = await check.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(PropertyViolation);
    expect(bug.guarantees).toContain((error as PropertyViolation).guarantee);
  });
});
