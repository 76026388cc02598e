import type { Violation } from "../checkers/checker.ts";
import { SeededChoices } from "../choices/choices.ts";
import { Dice } from "../choices/dice.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";
import { assertVirtual } from "../run/real-io-guard.ts";
import type { RunStats } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { identityOf, isSameFailure } from "../search/shrink/shrink-identity.ts";
import { shrinkScenario } from "../search/shrink/shrink-scenario.ts";
import { timeText } from "../story/story.ts";
import type { TraceListener } from "../trace/trace.ts";
import { calmOperatorScenario, drawOperatorSweep } from "../worlds/operator/draw-operator.ts";
import type { OperatorScenario } from "../worlds/operator/operator-scenario.ts";
import { type CreateJob, OperatorUnderTest } from "../worlds/operator/operator-under-test.ts";
import { atCallSite } from "./call-site.ts";
import { counted, PropertyViolation } from "./property-violation.ts";

/** On which system a job is checked, and how long. */
export interface ResumableJobOptions {
  readonly system: JobSystemName;
  /** What this installation of the system does differently. */
  readonly knobs?: Partial<JobSystemKnobs>;
  /** Default 1,000: one to three seconds. */
  readonly numRuns?: number;
  /** Of the first run; default 1. */
  readonly seed?: number;
  /** Called after each run. */
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
  /** Faults, jobs of others, and settings of the system that are not those of its preset. */
  readonly acts: number;
}

const NUM_RUNS_DEFAULT = 1_000;
const SEED_DEFAULT = 1;
const NAME = "operator";

/**
 * Tries a job against a model of its system, in generated runs with crashes and odd statuses.
 *
 * Shape: `createJob` is called for each attempt, as in a fresh process; it gets the client of the
 * system, and what else an attempt has.
 * Holds: the same seed tries the same runs and finds the same counterexample. Each run calls
 * `resumeOrSubmit` over a store that outlives the attempts. The seeds 0 to 64 strike each boundary
 * of the first calls in each of its outcomes, one a run and nothing else; the seeds after them
 * strike there among other faults.
 *
 * What a run may hold, on every system: attempts that are lost or killed at any boundary and any
 * time, lost replies, failing lookups, unknown statuses, jobs that fail, a system that restarts,
 * and a new job that is not found for up to 5 s. A job that is not found at first is not gone; an
 * operator that waits a little before it believes so is right.
 *
 * ```ts
 * await checkResumableJob((client) => new NightlyBatch(client), { system: "livy" });
 * ```
 *
 * @throws {PropertyViolation} with the promise, the smallest run that breaks it, and its seed
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
  { system, knobs, numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT, onRun }: ResumableJobOptions,
): Promise<ResumableJobReport> {
  const operator = new OperatorUnderTest(createJob, knobs);
  const calm: OperatorScenario = { ...calmOperatorScenario(system), name: NAME };
  await assertVirtual("job", (observeCode) => simulate(calm, { seed, operator, observeCode }));
  let attempts = 0;
  const listen: TraceListener = ({ kind }) => {
    if (kind === "attempt") attempts += 1;
  };
  const run = async (scenario: OperatorScenario, of: number, runs: number): Promise<RunStats> => {
    const options = { seed: of, operator, trace: false, listen };
    const { violations, stats } = await simulate(scenario, { ...options, endAt: () => true });
    const [violation] = violations;
    if (violation === undefined) return stats;
    throw await violationFrom({ operator, scenario, violation, seed: of, runs });
  };
  await run(calm, seed, 0);
  attempts = 0;
  const faults = new Map<string, number>();
  let virtualMs = 0;
  for (let at = 0; at < numRuns; at += 1) {
    const stats = await run(scenarioOf(seed + at, system, operator), seed + at, at + 1);
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
    story: [...story, `${timeText(at)}  => ${detail}`],
    seed,
    runs,
    size,
    sizeInWords: `${counted(size.attempts, "attempt")}, ${counted(size.acts, "misfortune")}`,
    rerun: `checkResumableJob(createJob, { system: "${system}", seed: ${seed}, numRuns: 1 })`,
    scenario: text,
  });
}

/** Counts what a reader has to take in: faults, jobs of others, settings of the system. */
function actsOf(scenario: Scenario): number {
  if (scenario.world !== "operator") return 0;
  const { faults, operations, system } = scenario;
  return faults.length + operations.length + Object.keys(system).length - 1;
}
