import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

const TEXT = `
story: A fail-over takes back that a deferral has timed out.
world: tasks
jobServer: { takes: { min: 90s, max: 90s } }
tasks:
  - { name: report, operator: deferrable-resumable, retryDelay: 20s, deferralTimeout: 40s }
faults:
  - { at: 43s, failOver: database, losing: 2s, downFor: 1s }
phases: { safety: 240s }
`;

test("a deferral that is there again after a fail-over still times out", async () => {
  const { trace, violations } = await simulate(parseScenario(TEXT, "mine"), { seed: 1 });
  const retries = trace
    .filter((event) => event.kind === "task-state")
    .filter(({ state }) => state === "up_for_retry")
    .map(({ at }) => Math.trunc(at / 10_000));
  // The first is lost, and comes again once the database is up.
  expect(retries).toEqual([4, 4]);
  expect(violations).toEqual([]);
});
