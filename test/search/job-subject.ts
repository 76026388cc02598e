import { type Choices, SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { Subject } from "../../sim/search/subject.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import type { OperatorScenario } from "../../sim/worlds/operator/operator-scenario.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { brokenJobOn, type PlantedJobBug } from "../check/resumable-job-bugs.ts";

export function brokenOperator(bug: PlantedJobBug): OperatorUnderTest {
  return new OperatorUnderTest(brokenJobOn(bug), bug.knobs);
}

/** The scenario that `checkResumableJob` tries a job with, drawn from the seed or a search. */
export function sweptScenario(
  { name, system, knobs }: PlantedJobBug,
  seed: number,
  choices: Choices = new SeededChoices(seed, { record: false }),
): OperatorScenario {
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  return {
    ...drawOperatorSweep(dice, seed, { system, knobs: jobSystemKnobs(system, knobs) }),
    name,
  };
}

/** The runs of `checkResumableJob`, as the subject of a search. */
export async function jobSubject(bug: PlantedJobBug): Promise<Subject> {
  const operator = brokenOperator(bug);
  return {
    name: bug.name,
    // What the system keeps of a job may be kept for less than a stall.
    mayStall: false,
    async run({ seed, choices, listen }) {
      const report = await simulate(sweptScenario(bug, seed, choices), {
        seed,
        choices,
        operator,
        listen,
        trace: false,
        endAt: () => true,
      });
      return {
        violations: report.violations.slice(0, 1),
        digest: report.digest,
        marks: [],
        faults: report.stats.faults.reduce((all, [, times]) => all + times, 0),
      };
    },
  };
}
