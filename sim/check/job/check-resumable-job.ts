import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../../jobs/presets.ts";
import type { Violation } from "../../checkers/checker.ts";
import { identityOf, isSameFailure } from "../../search/shrink/shrink-identity.ts";
import { atCallSite } from "../call-site.ts";
import { assertVirtual } from "../../run/real-io-guard.ts";
import { counted, PropertyViolation } from "../property-violation.ts";
import { type JobPlan, jobPlanFrom } from "./resumable-job-plan.ts";
import { type JobRun, type JobUnderTest, runJobPlan } from "./resumable-job-run.ts";
import { shrinkJobPlan } from "./resumable-job-shrink.ts";
import { jobStoryOf } from "./resumable-job-story.ts";
import { type CreateJob, JOB_TASK } from "./resumable-job-world.ts";

/** On which system a job is checked, and how long. */
export interface ResumableJobOptions {
  readonly system: JobSystemName;
  /** What this installation of the system does differently. */
  readonly knobs?: Partial<JobSystemKnobs>;
  /** Default 1,000: one to three seconds. */
  readonly numRuns?: number;
  /** Of the first run; default 1. */
  readonly seed?: number;
  /** Told after each run. */
  readonly onRun?: (done: number, of: number) => void;
}

/** What was tried, when all held. */
export interface ResumableJobReport {
  readonly system: JobSystemName;
  readonly runs: number;
  readonly seed: number;
  /** Attempts, in all runs. */
  readonly attempts: number;
  readonly virtualMs: number;
  /** How often each fault struck, by name. */
  readonly faults: readonly (readonly [name: string, times: number])[];
}

/** How small the counterexample is. */
export interface JobCounterexampleSize {
  readonly attempts: number;
  readonly acts: number;
}

const NUM_RUNS_DEFAULT = 1_000;
const SEED_DEFAULT = 1;

/**
 * Tries a job against a model of its system, in generated histories of crashes and statuses.
 *
 * Shape: `createJob` is called for each attempt, as in a fresh process; it gets the client of the
 * system, and what else an attempt has at hand.
 * Holds: the same seed tries the same histories and finds the same counterexample. Each history
 * runs `resumeOrSubmit` over a store that outlives the attempts. The seeds 0 to 64 strike each
 * boundary of the first calls in each of its outcomes, one a history and nothing else; the seeds
 * after them strike there among other misfortunes.
 *
 * What a history may hold, on every system: attempts that are lost or killed at any boundary and
 * any time, lost replies, failing lookups, unknown statuses, jobs that fail, a system that
 * restarts, and a new job that is not found for up to 5 s. A job that is not found at first is no
 * job that is gone; an operator that waits a little before it believes so is right.
 *
 * ```ts
 * await checkResumableJob((client) => new NightlyBatch(client), { system: "livy" });
 * ```
 *
 * @throws {PropertyViolation} with the promise, the smallest history that breaks it, and its seed
 * @throws a `NotVirtual` when the job waits for what is real, so that nothing can be judged
 */
export function checkResumableJob(
  createJob: CreateJob,
  options: ResumableJobOptions,
): Promise<ResumableJobReport> {
  return atCallSite(checkResumableJob, () => checkOnce(createJob, options));
}

async function checkOnce(
  createJob: CreateJob,
  options: ResumableJobOptions,
): Promise<ResumableJobReport> {
  const { system, numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT, onRun } = options;
  const test: JobUnderTest = { createJob, knobs: jobSystemKnobs(system, options.knobs) };
  const calm = await runJobPlan({ seed, acts: [] }, test, undefined);
  await assertVirtual("job", () => runJobPlan({ seed, acts: [] }, test, undefined));
  if (calm.violation !== undefined) {
    throw violationFrom(system, { run: calm, violation: calm.violation, seed, runs: 0 });
  }
  const faults = new Map<string, number>();
  let attempts = 0;
  let virtualMs = 0;
  for (let at = 0; at < numRuns; at += 1) {
    const plan = jobPlanFrom(seed + at, test.knobs);
    const run = await runJobPlan(plan, test, calm.result);
    if (run.violation !== undefined) {
      const smallest = await shrunk(run, run.violation, test, calm.result);
      throw violationFrom(system, { ...smallest, seed: seed + at, runs: at + 1 });
    }
    attempts += run.attempts;
    virtualMs += run.virtualMs;
    for (const [name, times] of run.faults) faults.set(name, (faults.get(name) ?? 0) + times);
    onRun?.(at + 1, numRuns);
  }
  const sorted = [...faults].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { system, runs: numRuns, seed, attempts, virtualMs, faults: sorted };
}

interface Found {
  readonly run: JobRun;
  readonly violation: Violation;
}

async function shrunk(
  run: JobRun,
  violation: Violation,
  test: JobUnderTest,
  expected: string | undefined,
): Promise<Found> {
  let best: Found = { run, violation };
  const failure = identityOf(violation);
  const again = async (plan: JobPlan): Promise<boolean> => {
    const smaller = await runJobPlan(plan, test, expected);
    const broken = smaller.violation;
    if (broken === undefined || !isSameFailure(identityOf(broken), failure)) return false;
    best = { run: smaller, violation: broken };
    return true;
  };
  await shrinkJobPlan(run.plan, again);
  return best;
}

function violationFrom(
  system: JobSystemName,
  { run, violation, seed, runs }: Found & { readonly seed: number; readonly runs: number },
): PropertyViolation<JobCounterexampleSize> {
  const { checker: guarantee, promise, detail } = violation;
  const size = { attempts: run.attempts, acts: run.plan.acts.length };
  return new PropertyViolation({
    subject: "job",
    guarantee,
    promise,
    detail,
    story: jobStoryOf(run.trace, violation, JOB_TASK),
    seed,
    runs,
    size,
    sizeInWords: `${counted(size.attempts, "attempt")}, ${counted(size.acts, "misfortune")}`,
    rerun: `checkResumableJob(createJob, { system: "${system}", seed: ${seed}, numRuns: 1 })`,
  });
}
