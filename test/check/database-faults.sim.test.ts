import { describe, expect, test } from "vitest";
import { checkResumableJob, PropertyViolation } from "../../sim/check/mod.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { DATABASE_FAULT_BUGS } from "./database-fault-bugs.ts";
import { brokenJobOn, type PlantedJobBug } from "./resumable-job-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 500;
const SEEDS_WITHOUT = 250;

function nameOf(fault: OperatorFault): string {
  if (!("site" in fault)) return "";
  return fault.error ?? fault.verdict;
}

/** The promises that break when a seed's faults strike, except for those named. */
async function brokenWithout(bug: PlantedJobBug, by: string, seed: number): Promise<string[]> {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const { system } = bug;
  const drawn = drawOperatorSweep(dice, seed, { system, knobs: jobSystemKnobs(system) });
  const faults = drawn.faults.filter((fault) => nameOf(fault) !== by);
  const scenario = { ...drawn, faults, name: "swept" };
  const operator = new OperatorUnderTest(brokenJobOn(bug));
  const { violations } = await simulate(scenario, { seed, operator, trace: false, digest: false });
  return violations.map(({ checker }) => checker);
}

describe("checkResumableJob()", () => {
  for (const bug of DATABASE_FAULT_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      const { system } = bug;
      const error: unknown = await checkResumableJob(brokenJobOn(bug), { system }).catch(
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof PropertyViolation)) throw new Error("Nothing was found");
      expect(bug.promises).toContain(error.guarantee);
      expect(error.runs).toBeLessThanOrEqual(FOUND_WITHIN_RUNS);
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        expect([seed, await brokenWithout(bug, bug.by, seed)]).toEqual([seed, []]);
      }
    });
  }
});
