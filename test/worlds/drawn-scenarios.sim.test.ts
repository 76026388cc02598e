import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { drawScenario, WORLD_NAMES } from "../../sim/scenario/world-kinds.ts";
import { correctPartsOf } from "./subjects.ts";

const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);

describe.each(WORLD_NAMES)("for every drawn scenario of the world %s", (world) => {
  test.each(SEEDS)("every promise holds, twice to the same digest, seed %i", async (seed) => {
    const scenario = drawScenario(world, seed);
    const options = { ...correctPartsOf(world), seed, trace: false };
    const report = await simulate(scenario, options);
    const again = await simulate(drawScenario(world, seed), options);
    expect(report.violations).toEqual([]);
    expect(again.digest).toBe(report.digest);
  });
});
