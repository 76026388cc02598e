import { describe, expect, test } from "vitest";
import { checkResumableJob, PropertyViolation } from "../../sim/check/mod.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { MEMORY_BUGS } from "./memory-bugs.ts";
import { brokenJobOn, type PlantedJobBug } from "./resumable-job-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 250;
const SEEDS = 60;

/** The promises that a seed breaks. */
async function brokenIn(bug: PlantedJobBug, seed: number): Promise<readonly string[]> {
  const { system } = bug;
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const knobs = jobSystemKnobs(system);
  const scenario = { ...drawOperatorSweep(dice, seed, { system, knobs }), name: "swept" };
  const operator = new OperatorUnderTest(brokenJobOn(bug));
  const { violations } = await simulate(scenario, { seed, operator, trace: false, digest: false });
  return violations.map(({ checker }) => checker);
}

describe("checkResumableJob()", () => {
  for (const bug of MEMORY_BUGS) {
    const { name, system, promises } = bug;
    test(`finds ${name}, seed 1, and no other promise is broken by it`, async () => {
      const error: unknown = await checkResumableJob(brokenJobOn(bug), { system }).catch(
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof PropertyViolation)) throw new Error("Nothing was found");
      expect(promises).toContain(error.guarantee);
      expect(error.runs).toBeLessThanOrEqual(FOUND_WITHIN_RUNS);
      const broken = new Set<string>();
      for (let seed = 1; seed <= Math.max(SEEDS, error.runs); seed += 1) {
        for (const checker of await brokenIn(bug, seed)) broken.add(checker);
      }
      expect([...broken]).toEqual(promises);
    });
  }
});
