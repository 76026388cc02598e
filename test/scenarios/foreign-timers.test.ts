import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";

// The story: a progress bar redrew itself from a timer of its own while a run was on. Its redraw asked
// for the next timer and got one of the run's world, and the two runs of a seed differed.
test("foreign timers that fire during a run neither change it nor are changed", async () => {
  const scenario = readScenario("everything-at-once");
  const { digest } = await simulate(scenario, { seed: 3, trace: false });
  const startedAt = Date.now();
  const seen: number[] = [];
  let chained = 0;
  const interval = setInterval(() => {
    seen.push(Date.now(), Math.random());
    setTimeout(() => (chained += 1), 0);
  }, 1);
  const disturbed = await simulate(scenario, { seed: 3, trace: false });
  clearInterval(interval);
  expect(disturbed.digest).toBe(digest);
  expect(chained).toBeGreaterThan(0);
  expect(Math.abs((seen[0] ?? 0) - startedAt)).toBeLessThan(60_000);
});
