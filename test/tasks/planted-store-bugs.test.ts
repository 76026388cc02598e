import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { mappedWatermark } from "../search/planted-bugs.ts";
import { STORE_BUGS } from "./store-bugs.ts";

const SEEDS_MAX = 40;

test("E54 mapped tasks that share an asset's key lose each other's watermark", async () => {
  const scenario = mappedWatermark();
  const found = new Set<string>();
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    const report = await simulate(scenario, { seed, trace: false });
    for (const { checker } of report.violations) found.add(checker);
  }
  expect([...found]).toContain("R-I12");
});

describe("a planted bug of the store or of a task that keeps state is found", () => {
  for (const { bug, scenario: name, breaks, parts } of STORE_BUGS) {
    test(bug, async () => {
      const scenario = readScenario(name);
      const found = new Set<string>();
      for (let seed = 1; seed <= SEEDS_MAX && !found.has(breaks); seed += 1) {
        const report = await simulate(scenario, { seed, trace: false, taskParts: parts });
        for (const { checker } of report.violations) found.add(checker);
      }
      expect([...found]).toContain(breaks);
    });
  }
});
