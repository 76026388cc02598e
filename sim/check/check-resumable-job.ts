import { checkedOptions } from "../../src/checked-options.ts";
import type { Violation } from "../checkers/checker.ts";
import { SeededChoices } from "../choices/choices.ts";
import { Dice } from "../choices/dice.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";
import { ControlRuns } from "../run/control-runs.ts";
import { assertAccusation, assertSameAgain, type RepeatableRun } from "../run/repeat.ts";
import type { RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { identityOf, isSameFailure } from "../search/shrink/shrink-identity.ts";
import { shrinkScenario } from "../search/shrink/shrink-scenario.ts";
import type { TraceListener } from "../trace/trace.ts";
import { calmOperatorScenario, drawOperatorSweep } from "../worlds/operator/draw-operator.ts";
import type { OperatorScenario } from "../worlds/operator/operator-scenario.ts";
import { type CreateJob, OperatorUnderTest } from "../worlds/operator/operator-under-test.ts";
import { atCallSite } from "./call-site.ts";
import { isRepeated, plansToRepeat } from "./plans-to-repeat.ts";
import { writeScenario } from "../scenario/write.ts";
import { counted, PropertyViolation } from "./property-violation.ts";
import { writeViolationPage } from "./violation-page.ts";

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
  /**
   * The folder for the page of the run that breaks a promise, whose path the violation carries;
   * default: the one that the environment variable `FAULTLANE_REPORT` names, else none is written.
   */
  readonly reportFolder?: string | undefined;
  /** Called after each run with the number of finished runs and of all runs. */
  readonly onRun?: (done: number, of: number) => void;
  /**
   * Loads the module of `createJob` anew. It is called only where two runs differ, to find out
   * whether the module keeps state.
   *
   * @internal
   */
  readonly loadAnew?: () => Promise<CreateJob>;
  /**
   * Called with the run that breaks a promise, before it is repeated and made smaller.
   *
   * @internal
   */
  readonly onBroken?: (
    run: Pick<PropertyViolation, "guarantee" | "promise" | "seed" | "scenario">,
  ) => void;
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

const OPTIONS: readonly (keyof ResumableJobOptions)[] = [
  ...(["system", "knobs", "numRuns", "seed", "reportFolder", "onRun"] as const),
  ...(["loadAnew", "onBroken"] as const),
];
const NUM_RUNS_DEFAULT = 1_000;
const SEED_DEFAULT = 1;
const NAME = "operator";

/**
 * Checks a job against a model of its system, in generated runs with crashes and odd statuses.
 *
 * Shape: `createJob` is called for each attempt, as in a new process, with the client of the system
 * and the surroundings of the attempt. An attempt calls `execute`, or after a checkpoint or a
 * deferral the method that it names; a job that has neither is run by `resumeOrSubmit`. The store
 * outlives the attempts.
 * Holds: the same seed makes the same runs and finds the same counterexample. The seeds 0 to 64
 * strike one boundary of the first calls each, in one of its outcomes; later seeds strike there
 * among other faults. The first plans, and every run that breaks a promise, are run twice: what
 * does not repeat is no counterexample.
 *
 * A run may contain, on every system: attempts that are lost or killed at any boundary and any
 * time, lost replies, failing lookups, unknown statuses, jobs that fail, a system that restarts,
 * and a new job that is not found for up to 5 virtual seconds. An operator therefore has to wait a
 * little before it decides that such a job is gone.
 *
 * @throws {TypeError} when there is another option
 * @throws {PropertyViolation} with the promise, the smallest run that breaks it, and its seed
 * @throws {NotVirtual} when the job waits for real time or real hosts, so that it cannot be judged
 * @throws {NotDeterministic} when two runs from one seed differ, with what is the likely source
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
  options: ResumableJobOptions,
): Promise<ResumableJobReport> {
  checkedOptions(options, OPTIONS, "checkResumableJob");
  const { system, knobs, numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT, onRun } = options;
  const operator = new OperatorUnderTest(createJob, knobs);
  const calm: OperatorScenario = { ...calmOperatorScenario(system), name: NAME };
  const subject: Subject = { operator, loadAnew: options.loadAnew };
  let attempts = 0;
  const listen: TraceListener = ({ kind }) => {
    if (kind === "attempt") attempts += 1;
  };
  const light = { operator, trace: false, digest: false, listen, endAt: () => true };
  const firstEver = await simulate(calm, { operator, endAt: () => true, seed });
  // Of the calm run alone, so that a seed draws the same whatever was run before it.
  const { longestWaitMs, idRetentionMs } = operator;
  const areAtOnce = operator.calmUses.get(system)?.areAtOnce === true;
  const planOf = (of: number): OperatorScenario =>
    scenarioOf(of, { system, knobs: operator.knobs, longestWaitMs, idRetentionMs, areAtOnce });
  const control = new ControlRuns(
    [
      repeatable(subject, calm, seed),
      ...plansToRepeat({ seed, numRuns }, (of) => planOf(of).faults.length).map((of) =>
        repeatable(subject, planOf(of), of),
      ),
    ],
    firstEver,
  );
  await control.begin();
  const accuse = async (
    found: Omit<Found, "operator" | "reportFolder">,
  ): Promise<PropertyViolation> => {
    const { checker: guarantee, promise } = found.violation;
    const text = writeScenario({ ...found.scenario, seed: found.seed });
    options.onBroken?.({ guarantee, promise, seed: found.seed, scenario: text });
    await control.assertUnchanged();
    await assertAccusation(repeatable(subject, found.scenario, found.seed), found.report);
    return violationFrom({ operator, reportFolder: options.reportFolder, ...found });
  };
  const [inCalm] = firstEver.violations;
  if (inCalm !== undefined) {
    throw await accuse({ scenario: calm, violation: inCalm, seed, runs: 0, report: firstEver });
  }
  attempts = 0;
  const faults = new Map<string, number>();
  let virtualMs = 0;
  for (let at = 0; at < numRuns; at += 1) {
    const scenario = planOf(seed + at);
    const report = await simulate(scenario, { ...light, seed: seed + at });
    const { violations, stats } = report;
    const [violation] = violations;
    if (violation !== undefined) {
      throw await accuse({ scenario, violation, seed: seed + at, runs: at + 1, report });
    }
    if (isRepeated(at)) await assertSameAgain(repeatable(subject, scenario, seed + at), report);
    virtualMs += stats.virtualMs;
    for (const [name, times] of stats.faults) faults.set(name, (faults.get(name) ?? 0) + times);
    onRun?.(at + 1, numRuns);
  }
  await control.assertUnchanged();
  const sorted = [...faults].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { system, runs: numRuns, seed, attempts, virtualMs, faults: sorted };
}

interface Subject {
  readonly operator: OperatorUnderTest;
  readonly loadAnew: ResumableJobOptions["loadAnew"];
}

/** The run of a scenario that can be made again, with the calm run that it is compared with. */
function repeatable(
  { operator, loadAnew }: Subject,
  scenario: OperatorScenario,
  seed: number,
): RepeatableRun {
  const { createJob, knobs } = operator;
  const run = (create: CreateJob): Promise<RunReport> =>
    simulate(scenario, {
      operator: new OperatorUnderTest(create, knobs),
      endAt: () => true,
      seed,
    });
  return {
    subject: "job",
    createdIn: "createJob",
    scenario: scenario.name,
    seed,
    again: () => run(createJob),
    ...(loadAnew !== undefined && { afresh: async () => run(await loadAnew()) }),
  };
}

interface SweepBasis {
  readonly system: JobSystemName;
  readonly knobs: Partial<JobSystemKnobs>;
  readonly longestWaitMs: number;
  readonly areAtOnce: boolean;
  readonly idRetentionMs: number | undefined;
}

function scenarioOf(seed: number, { system, knobs, ...known }: SweepBasis): OperatorScenario {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  const basis = { system, knobs: jobSystemKnobs(system, knobs), ...known };
  const drawn = drawOperatorSweep(dice, seed, basis);
  return { ...drawn, name: NAME };
}

interface Found {
  readonly operator: OperatorUnderTest;
  readonly reportFolder: string | undefined;
  readonly scenario: OperatorScenario;
  readonly violation: Violation;
  readonly seed: number;
  readonly runs: number;
  readonly report: RunReport;
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
  const rerun = `checkResumableJob(createJob, { system: "${system}", seed: ${seed}, numRuns: 1 })`;
  const page = await writeViolationPage(found.reportFolder, {
    name: `${system}.${guarantee}.seed-${seed}`,
    rerun,
    run: () => Promise.resolve(report),
  });
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
    rerun,
    scenario: text,
    ...page,
  });
}

/** Counts the faults, the jobs of others and the changed settings of the system. */
function actsOf(scenario: Scenario): number {
  if (scenario.world !== "operator") return 0;
  const { faults, operations, system } = scenario;
  return faults.length + operations.length + Object.keys(system).length - 1;
}
