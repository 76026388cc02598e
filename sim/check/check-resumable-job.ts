import type { Violation } from "../checkers/checker.ts";
import { SeededChoices } from "../choices/choices.ts";
import { Dice } from "../choices/dice.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";
import { assertVirtual } from "../run/real-io-guard.ts";
import { simulate } from "../run/simulate.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { identityOf, isSameFailure } from "../search/shrink/shrink-identity.ts";
import { shrinkScenario } from "../search/shrink/shrink-scenario.ts";
import type { TraceListener } from "../trace/trace.ts";
import { calmOperatorScenario, drawOperatorSweep } from "../worlds/operator/draw-operator.ts";
import type { OperatorScenario } from "../worlds/operator/operator-scenario.ts";
import { type CreateJob, OperatorUnderTest } from "../worlds/operator/operator-under-test.ts";
import { atCallSite } from "./call-site.ts";
import { counted, PropertyViolation } from "./property-violation.ts";

/** How `checkResumableJob` checks a job. */
export interface ResumableJobOptions {
  /** The external system whose model runs the jobs. */
  readonly system: JobSystemName;
  /** How this installation differs from the preset of the system. */
  readonly knobs?: Partial<JobSystemKnobs>;
  /** How many runs are made; default 1,000, which take one to three seconds. */
  readonly numRuns?: number;
  /** The seed of the first run, a whole number from 0; each further run adds one. Default 1. */
  readonly seed?: number;
  /** Called after each run with the number of finished runs and of all runs. */
  readonly onRun?: (done: number, of: number) => void;
}

/** What `checkResumableJob` returns when every promise held. */
export interface ResumableJobReport {
  /** The external system. */
  readonly system: JobSystemName;
  /** How many runs were made. */
  readonly runs: number;
  /** The seed of the first run. */
  readonly seed: number;
  /** How many attempts there were in all runs. */
  readonly attempts: number;
  /** How long all runs lasted, in virtual milliseconds. */
  readonly virtualMs: number;
  /** How often each fault struck, by name, sorted by name. */
  readonly faults: readonly (readonly [name: string, times: number])[];
}

/** How large the counterexample of a job is. */
export interface JobCounterexampleSize {
  /** How many attempts it has. */
  readonly attempts: number;
  /** How many faults, jobs of others and changed settings of the system it has. */
  readonly acts: number;
}

const NUM_RUNS_DEFAULT = 1_000;
const SEED_DEFAULT = 1;
const NAME = "operator";

/**
 * Checks a job against a model of its system, in generated runs with crashes and odd statuses.
 *
 * Shape: `createJob` is called for each attempt, as in a new process, with the client of the system
 * and the surroundings of the attempt. Each run calls `resumeOrSubmit` with a store that outlives
 * the attempts.
 * Holds: the same seed makes the same runs and finds the same counterexample. The seeds 0 to 64
 * strike one boundary of the first calls each, in one of its outcomes; later seeds strike there
 * among other faults.
 *
 * A run may contain, on every system: attempts that are lost or killed at any boundary and any
 * time, lost replies, failing lookups, unknown statuses, jobs that fail, a system that restarts,
 * and a new job that is not found for up to 5 virtual seconds. An operator therefore has to wait a
 * little before it decides that such a job is gone.
 *
 * @throws {PropertyViolation} with the promise, the smallest run that breaks it, and its seed
 * @throws {NotVirtual} when the job waits for real time or real hosts, so that it cannot be judged
 *
 * @example
 * ```ts
 * import { checkResumableJob } from "faultlane/check";
 * import { NightlyBatch } from "./nightly-batch.ts";
 *
 * const { runs, attempts } = await checkResumableJob(
 *   (client, { task }) => new NightlyBatch(client, task),
 *   { system: "livy", numRuns: 20 },
 * );
 * console.log(runs, attempts > 20); // => 20 true
 * ```
 */
export function checkResumableJob(
  createJob: CreateJob,
  options: ResumableJobOptions,
): Promise<ResumableJobReport> {
  return atCallSite(checkResumableJob, () => checkOnce(createJob, options));
}

async function checkOnce(
  createJob: CreateJob,
  { system, knobs, numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT, onRun }: ResumableJobOptions,
): Promise<ResumableJobReport> {
  const operator = new OperatorUnderTest(createJob, knobs);
  const calm: OperatorScenario = { ...calmOperatorScenario(system), name: NAME };
  let attempts = 0;
  const listen: TraceListener = ({ kind }) => {
    if (kind === "attempt") attempts += 1;
  };
  const options = { operator, trace: false, digest: false, listen, endAt: () => true };
  let inCalm: Violation | undefined;
  await assertVirtual("job", async (observeCode) => {
    [inCalm] = (await simulate(calm, { ...options, seed, observeCode })).violations;
  });
  if (inCalm !== undefined) {
    throw await violationFrom({ operator, scenario: calm, violation: inCalm, seed, runs: 0 });
  }
  attempts = 0;
  const faults = new Map<string, number>();
  let virtualMs = 0;
  for (let at = 0; at < numRuns; at += 1) {
    const scenario = scenarioOf(seed + at, system, operator);
    const { violations, stats } = await simulate(scenario, { ...options, seed: seed + at });
    const [violation] = violations;
    if (violation !== undefined) {
      throw await violationFrom({ operator, scenario, violation, seed: seed + at, runs: at + 1 });
    }
    virtualMs += stats.virtualMs;
    for (const [name, times] of stats.faults) faults.set(name, (faults.get(name) ?? 0) + times);
    onRun?.(at + 1, numRuns);
  }
  const sorted = [...faults].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { system, runs: numRuns, seed, attempts, virtualMs, faults: sorted };
}

function scenarioOf(
  seed: number,
  system: JobSystemName,
  { knobs }: OperatorUnderTest,
): OperatorScenario {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const drawn = drawOperatorSweep(dice, seed, { system, knobs: jobSystemKnobs(system, knobs) });
  return { ...drawn, name: NAME };
}

interface Found {
  readonly operator: OperatorUnderTest;
  readonly scenario: OperatorScenario;
  readonly violation: Violation;
  readonly seed: number;
  readonly runs: number;
}

async function violationFrom(found: Found): Promise<PropertyViolation<JobCounterexampleSize>> {
  const { operator, scenario, violation: first, seed, runs } = found;
  const shrunk = await shrinkScenario(scenario, {
    seed,
    checker: first.checker,
    parts: { operator },
  });
  const { report, text } = shrunk;
  const violation = report.violations.find((one) => isSameFailure(identityOf(one), shrunk.failure));
  const { checker: guarantee, promise, detail, story, at } = violation ?? first;
  const { system } = scenario.system;
  const attempts = report.trace.filter((one) => one.kind === "attempt" && one.at <= at).length;
  const size = { attempts, acts: actsOf(shrunk.scenario) };
  return new PropertyViolation({
    subject: "job",
    guarantee,
    promise,
    detail,
    story,
    seed,
    runs,
    size,
    sizeInWords: `${counted(size.attempts, "attempt")}, ${counted(size.acts, "misfortune")}`,
    rerun: `checkResumableJob(createJob, { system: "${system}", seed: ${seed}, numRuns: 1 })`,
    scenario: text,
  });
}

/** Counts the faults, the jobs of others and the changed settings of the system. */
function actsOf(scenario: Scenario): number {
  if (scenario.world !== "operator") return 0;
  const { faults, operations, system } = scenario;
  return faults.length + operations.length + Object.keys(system).length - 1;
}
