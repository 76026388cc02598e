import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { loadParts, readScenario, scenarioNames } from "../sim/read-scenarios.ts";
import pinned from "./digests.json" with { type: "json" };

// Seeds 2 and 3, and which crash points they hit, are in scenarios.sim.long.test.ts.

/**
 * Pinned digests: what a seed does is a promise to whoever kept one. A change of behaviour changes
 * them; then look why, and pin anew with `npm run pin`.
 */
const DIGESTS = pinned as Readonly<Record<string, unknown>>;

describe("the scenarios", () => {
  for (const name of scenarioNames()) {
    test(`${name}, seed 1: ends as expected, twice with the pinned digest`, async () => {
      const options = { ...(await loadParts(name)), seed: 1 };
      const report = await simulate(readScenario(name), { ...options, trace: false });
      const again = await simulate(readScenario(name), options);
      expect(report.violations.map(({ checker, detail }) => `${checker}: ${detail}`)).toEqual(
        again.violations.map(({ checker, detail }) => `${checker}: ${detail}`),
      );
      expect(["held", "expected-failure"]).toContain(report.verdict);
      expect(again.digest).toBe(report.digest);
      expect(DIGESTS[name]).toEqual([report.digest, expect.any(String), expect.any(String)]);
    });
  }

  test("a replay of the recorded choices gives the same digest", async () => {
    const scenario = readScenario("everything-at-once");
    const { digest, choices } = await simulate(scenario, { seed: 5 });
    const replayed = await simulate(scenario, { seed: 5, replay: choices });
    expect(choices.length).toBeGreaterThan(1_000);
    expect(replayed.digest).toBe(digest);
  });
});
