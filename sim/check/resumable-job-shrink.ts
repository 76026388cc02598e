import type { JobAct, JobPlan } from "./resumable-job-plan.ts";

/** How many runs the shrinking of one counterexample may take. */
const TRIES_MAX = 60;

/**
 * The smallest plan that still breaks the same promise: acts are taken away one by one, until none
 * can be.
 *
 * Holds: deterministic; the result breaks it.
 */
export async function shrinkJobPlan(
  plan: JobPlan,
  breaks: (plan: JobPlan) => Promise<boolean>,
): Promise<JobPlan> {
  let best = plan;
  let at = 0;
  for (let tries = 0; tries < TRIES_MAX && at < best.acts.length; tries += 1) {
    const smaller = { ...best, acts: without(best.acts, at) };
    if (await breaks(smaller)) {
      best = smaller;
      // What was needed only together with it may now be superfluous, too.
      at = 0;
    } else {
      at += 1;
    }
  }
  return best;
}

function without(acts: readonly JobAct[], at: number): readonly JobAct[] {
  return acts.filter((_, index) => index !== at);
}
