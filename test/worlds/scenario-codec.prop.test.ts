import { describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { drawScenario, WORLD_NAMES } from "../../sim/scenario/world-kinds.ts";
import { writeScenario } from "../../sim/scenario/write.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";

const SEEDS = 60;

/** The law: a written scenario is read back as the same scenario. */
function expectRoundTrip(scenario: Scenario): void {
  expect(parseScenario(writeScenario(scenario), scenario.name)).toEqual(scenario);
}

describe("writeScenario()", () => {
  test.each(WORLD_NAMES)(
    "for every drawn scenario of the world %s, is read back equal",
    (world) => {
      for (let seed = 1; seed <= SEEDS; seed += 1) expectRoundTrip(drawScenario(world, seed));
    },
  );

  test("for every scenario that the package has, is read back equal", () => {
    for (const name of scenarioNames()) expectRoundTrip(readScenario(name));
  });

  test("writes pinned choices, and calm ones", () => {
    const scenario = drawScenario("manager", 1);
    const pin = { kind: "workload", part: "client", label: "act", nth: 1, take: 3 } as const;
    expectRoundTrip({ ...scenario, choices: [] });
    expectRoundTrip({ ...scenario, choices: [pin, { ...pin, nth: 4 }] });
  });
});
