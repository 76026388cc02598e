import { describe, expect, test } from "vitest";
import type { RunReport } from "../../sim/run/run-report.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";

// The first seed of each scenario is run, twice, in test/scenarios.

function run(name: string, seed: number, profile: "faultlane" | "airflow-3.3"): Promise<RunReport> {
  const scenario = { ...readScenario(name), profile };
  return simulate(scenario, { seed, trace: false });
}

const LOOP =
  /^\d+ records are owed, and in \d+ s none was settled, while \d+ of them were read \d+ times: a trigger event waits \d+ s to be stored, but after the ack timeout of 10 s its record is given up, read again and fired again/;

describe("a backlog that takes longer to be stored than the ack timeout", () => {
  // Airflow's algorithm ends in the same loop: the confirmation comes after the timeout there, too.
  test.each([
    ["faultlane", 2],
    ["airflow-3.3", 3],
  ] as const)("keeps itself going, profile %s, seed %i", async (profile, seed) => {
    const name = "backlog-outlives-the-ack-timeout";
    const { violations, digest } = await run(name, seed, profile);
    expect(violations[0]).toMatchObject({ checker: "goodput", symptom: "metastable" });
    expect(violations[0]?.detail).toMatch(LOOP);
    const broken = new Set(violations.map(({ checker }) => checker));
    expect(broken).toEqual(new Set(["goodput", "settled"]));
    expect((await run(name, seed, profile)).digest).toBe(digest);
  });

  test.each([
    ["backlog-within-the-ack-timeout", 2],
    ["backlog-within-the-ack-timeout", 3],
    ["backlog-with-few-records-in-flight", 2],
    ["backlog-with-few-records-in-flight", 3],
  ] as const)("is settled: %s, seed %i", async (name, seed) => {
    expect((await run(name, seed, "faultlane")).violations).toEqual([]);
  });
});
