import { expect } from "vitest";
import { checkResumableJob, PropertyViolation } from "../../sim/check/mod.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { brokenJobOn, type PlantedJobBug } from "./resumable-job-bugs.ts";

/** Checks a planted bug with default settings; it is found within so many runs, by its promise. */
export async function findBug(bug: PlantedJobBug, runsMax: number): Promise<PropertyViolation> {
  const { system } = bug;
  const error: unknown = await checkResumableJob(brokenJobOn(bug), { system }).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PropertyViolation)) throw new Error("Nothing was found");
  expect(bug.promises).toContain(error.guarantee);
  expect(error.runs).toBeLessThanOrEqual(runsMax);
  return error;
}

/** The promises that break when a seed's faults strike, except for the faults of one kind. */
export async function brokenWithout(
  bug: PlantedJobBug,
  isOfKind: (fault: OperatorFault) => boolean,
  seed: number,
): Promise<readonly string[]> {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const { system } = bug;
  const drawn = drawOperatorSweep(dice, seed, { system, knobs: jobSystemKnobs(system) });
  const faults = drawn.faults.filter((fault) => !isOfKind(fault));
  const scenario = { ...drawn, faults, name: "swept" };
  const operator = new OperatorUnderTest(brokenJobOn(bug));
  const { violations } = await simulate(scenario, { seed, operator, trace: false, digest: false });
  return violations.map(({ checker }) => checker);
}
