import {
  fewerActs,
  smallerCounts,
  wholeSeconds,
  withoutPair,
} from "../../search/shrink/shrink-acts.ts";
import {
  shrink,
  type Shrunk,
  type ShrinkPass,
  type ShrinkStage,
  within,
} from "../../search/shrink/shrink.ts";
import type { JobAct, JobPlan } from "./resumable-job-plan.ts";

/** How the system is, and who else uses it; all else is a fault. */
const SURROUNDINGS: ReadonlySet<JobAct["kind"]> = new Set(["mode", "stranger"]);
const COUNTS: ReadonlySet<string> = new Set(["nth", "attempt"]);
const TIMES: ReadonlySet<string> = new Set(["at", "ms", "afterMs"]);

type Acts = readonly JobAct[];

/** The smallest plan that still breaks the same promise. */
export function shrinkJobPlan(
  plan: JobPlan,
  breaks: (plan: JobPlan) => Promise<boolean>,
): Promise<Shrunk<JobPlan>> {
  return shrink(plan, { stages: STAGES, stillFails: breaks });
}

const STAGES: readonly ShrinkStage<JobPlan>[] = [
  [
    ["faults", by((acts) => fewerActs(acts, ({ kind }) => !SURROUNDINGS.has(kind)))],
    ["surroundings", by((acts) => fewerActs(acts, ({ kind }) => SURROUNDINGS.has(kind)))],
  ],
  [["two acts at once", by(withoutPair)]],
  [
    ["counts", by((acts) => smallerCounts(acts, COUNTS))],
    ["times", by((acts) => wholeSeconds(acts, TIMES))],
  ],
];

function by(walkOf: (acts: Acts) => Generator<Acts, Acts, boolean>): ShrinkPass<JobPlan> {
  return (plan) => within(walkOf(plan.acts), (acts) => ({ ...plan, acts }));
}
