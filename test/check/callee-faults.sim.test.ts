import { describe, expect, test } from "vitest";
import { checkResumableJob, PropertyViolation } from "../../sim/check/mod.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { CALLEE_FAULT_BUGS } from "./callee-fault-bugs.ts";
import { brokenJobOn, type PlantedJobBug } from "./resumable-job-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 250;
const SEEDS_WITHOUT = 120;

const CALLEE_FAULT = /callee|duplicate-late|delay-reply/;

function isOfCallee(fault: OperatorFault): boolean {
  if ("verdict" in fault) return CALLEE_FAULT.test(fault.verdict);
  return "halfOpen" in fault && fault.halfOpen === true;
}

/** The promises that break when a seed's faults strike, except for those of the callee. */
async function brokenWithoutCalleeFaults(bug: PlantedJobBug, seed: number): Promise<string[]> {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const drawn = drawOperatorSweep(dice, seed, {
    system: bug.system,
    knobs: jobSystemKnobs(bug.system),
  });
  const faults = drawn.faults.filter((fault) => !isOfCallee(fault));
  const scenario = { ...drawn, faults, name: "swept" };
  const operator = new OperatorUnderTest(brokenJobOn(bug));
  const { violations } = await simulate(scenario, { seed, operator, trace: false, digest: false });
  return violations.map(({ checker }) => checker);
}

describe("checkResumableJob()", () => {
  for (const bug of CALLEE_FAULT_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      const { system } = bug;
      const error: unknown = await checkResumableJob(brokenJobOn(bug), { system }).catch(
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof PropertyViolation)) throw new Error("Nothing was found");
      expect(bug.promises).toContain(error.guarantee);
      expect(error.runs).toBeLessThanOrEqual(FOUND_WITHIN_RUNS);
      expect(error.story.join("\n")).toMatch(/callee|late copy|peers are not told/);
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        expect([seed, await brokenWithoutCalleeFaults(bug, seed)]).toEqual([seed, []]);
      }
    });
  }
});
