import { jobPlanFrom } from "../../sim/check/job/resumable-job-plan.ts";
import { type JobUnderTest, runJobPlan } from "../../sim/check/job/resumable-job-run.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import type { Subject } from "../../sim/search/subject.ts";
import { brokenJobOn, type PlantedJobBug } from "../check/resumable-job-bugs.ts";

/** A job with a bug, on its system; `result` is what a calm run of it ends with. */
export interface BrokenJob {
  readonly test: JobUnderTest;
  readonly result: string | undefined;
}

export async function brokenJob(bug: PlantedJobBug): Promise<BrokenJob> {
  const test = { createJob: brokenJobOn(bug), knobs: jobSystemKnobs(bug.system, bug.knobs) };
  const { result } = await runJobPlan({ seed: 1, acts: [] }, test, undefined);
  return { test, result };
}

/** The world that `checkResumableJob` runs a job in, as the subject of a search. */
export async function jobSubject(bug: PlantedJobBug): Promise<Subject> {
  const { test, result } = await brokenJob(bug);
  return {
    name: bug.name,
    // What the system keeps of a job may be kept for less than a stall.
    mayStall: false,
    async run({ seed, choices, listen }) {
      const plan = jobPlanFrom(seed, test.knobs, choices);
      const run = await runJobPlan(plan, test, result, { choices, listen });
      return {
        violations: run.violation === undefined ? [] : [run.violation],
        digest: run.digest,
        marks: [],
        faults: [...run.faults].reduce((all, [, times]) => all + times, 0),
      };
    },
  };
}
