import { checkedOptions } from "../../src/checked-options.ts";
import { names } from "../checkers/task/job-names.ts";
import type { FaultRule, SiteCall } from "../faults/rule.ts";
import type { SiteName } from "../faults/site.ts";
import { PASS, type Verdict } from "../faults/verdict.ts";
import { taskRunStory } from "../story/task-story.ts";
import { assertSameAgain } from "../run/repeat.ts";
import { codeUnderTestIn } from "../run/repeatable.ts";
import type { RunReport } from "../run/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { simulate } from "../run/simulate.ts";
import { type Vacuity, vacuousInAll } from "../run/vacuity.ts";
import { PART_NAMES, partsOf, type WorldParts } from "../worlds/world-parts.ts";
import type { TraceEvent } from "../trace/trace.ts";
import { pairsOf } from "./spread-pairs.ts";

/**
 * The fault that strikes one call: a crash of the caller before or after the effect, or the loss of
 * the reply after the effect.
 */
export type CrashOutcome = "before" | "after" | "reply-lost";

const CRASH_OUTCOMES: readonly CrashOutcome[] = ["before", "after", "reply-lost"];

/** An effect boundary: one call in a run without faults. */
export interface Boundary {
  /** Its number in the order of the run, from 1. */
  readonly number: number;
  /** The site of the call. */
  readonly site: SiteName;
  /** The host that makes the call. */
  readonly host: string;
  /** Counts the calls of this host at this site, from 1. */
  readonly nth: number;
  /** In virtual milliseconds. */
  readonly at: number;
  /** Whether the host only passes a point in its own code, where only a crash can strike. */
  readonly isPoint: boolean;
}

/** A fault at one boundary. */
export interface CrashStrike {
  /** The number of the boundary. */
  readonly boundary: number;
  /** The fault. */
  readonly outcome: CrashOutcome;
}

/** A run with a fault at one boundary, or with faults at two. */
export interface CrashTrial {
  /** The planned faults, one or two. */
  readonly strikes: readonly CrashStrike[];
  /** Whether all planned faults struck. */
  readonly struck: boolean;
  /** The ids of the promises that broke unexpectedly. */
  readonly broken: readonly string[];
  /** The first unexpected violation in one sentence; empty when there is none. */
  readonly detail: string;
  /** How many external jobs were accepted; undefined in a world without jobs. */
  readonly jobs: number | undefined;
  /** The resume decisions of all attempts after a task's first, in order. */
  readonly decisions: readonly string[];
}

/**
 * The window between a job's acceptance and the commit of its id, in the run without faults. A crash
 * within it costs a second job.
 */
export interface SubmitWindow {
  /** The task that submitted the job. */
  readonly task: string;
  /** When the job was accepted, in virtual milliseconds. */
  readonly openedAt: number;
  /** When its id was stored, in virtual milliseconds. */
  readonly closedAt: number;
  /** The numbers of the boundaries in the window. */
  readonly boundaries: readonly number[];
}

/** What `exploreCrashPoints` returns. */
export interface CrashPointReport {
  /** The name of the scenario. */
  readonly scenario: string;
  /** The seed of every run. */
  readonly seed: number;
  /** The effect boundaries of the run without faults, in order. */
  readonly boundaries: readonly Boundary[];
  /** The faults that were tried at each boundary. */
  readonly outcomes: readonly CrashOutcome[];
  /** How many external jobs the run without faults submitted; undefined in a world without jobs. */
  readonly jobs: number | undefined;
  /** The submit windows of the run without faults. */
  readonly windows: readonly SubmitWindow[];
  /** One run for each boundary and outcome. */
  readonly trials: readonly CrashTrial[];
  /** Runs with two faults. */
  readonly pairs: readonly CrashTrial[];
  /** The first fault that cost a further job, and its story, one line for each event. */
  readonly secondJob:
    | { readonly strike: CrashStrike; readonly story: readonly string[] }
    | undefined;
  /** How many single faults were planned, and how many of them struck. */
  readonly coverage: { readonly planned: number; readonly struck: number };
  /** The run without faults, where a promise broke in it already: then no fault was tried. */
  readonly brokenCalm: RunReport | undefined;
  /** The first run with faults in which a promise broke unexpectedly. */
  readonly firstBroken: RunReport | undefined;
  /** What came to nothing in every run. */
  readonly vacuous: readonly Vacuity[];
  /** What of the scenario itself was left out, because only the planned faults strike. */
  readonly leftOut: LeftOut;
}

/** Faults of a scenario that a search leaves out. */
export interface LeftOut {
  /** How many faults the scenario lists. */
  readonly faults: number;
  /** Whether it has a storm of drawn faults. */
  readonly storm: boolean;
}

/** How `exploreCrashPoints` runs a scenario. */
export interface CrashPointOptions extends WorldParts {
  /** The seed of every run; default 1. */
  readonly seed?: number;
  /** How many pairs of faults are tried after the single ones; default 100. */
  readonly pairs?: number;
  /** Called after each run with the number of finished runs and of all runs. */
  readonly onRun?: (done: number, all: number) => void;
  /** Ends the exploration, with what was tried so far, when it is aborted. */
  readonly signal?: AbortSignal;
}

const OPTIONS = [...PART_NAMES, "seed", "pairs", "onRun", "signal"] as const;
const PAIRS_DEFAULT = 100;
/** How long a crashed host stays down. */
const RESTART_MS = 3_000;

/** How long the safety phase of a trial goes on after the last event of the run without faults. */
const AFTERMATH_MS = 60_000;

/**
 * Runs a scenario without faults, numbers every effect boundary, and runs it again with each of
 * three outcomes at each boundary, then with pairs of them.
 *
 * Shape: boundaries up to the last event of the run without faults; later calls change nothing.
 * Where a promise breaks in that run already, no fault is tried.
 * Holds: the boundaries include the crash windows F1 to F18.
 *
 * @throws {TypeError} when an option is unknown
 * @throws {RangeError} when the seed is not a whole number from 0
 * @throws {NotDeterministic} when a trial of code under test breaks a promise, and its repetition
 *   differs from it
 *
 * @example
 * ```ts
 * import { exploreCrashPoints, parseScenario } from "faultlane/sim";
 *
 * const text = `{
 *   story: A job and its worker, world: tasks, phases: { safety: 5m },
 *   tasks: [{ name: etl, operator: resumable, retries: 3 }],
 * }`;
 * const { jobs, secondJob } = await exploreCrashPoints(parseScenario(text, "mine"), { pairs: 0 });
 * console.log(jobs, secondJob?.strike.outcome); // => 1 after
 * ```
 */
export async function exploreCrashPoints(
  scenario: Scenario,
  options: CrashPointOptions = {},
): Promise<CrashPointReport> {
  checkedOptions(options, OPTIONS, "exploreCrashPoints");
  const { seed = 1, pairs: pairsMax = PAIRS_DEFAULT } = options;
  const calm = withoutFaults(scenario);
  const watched: Boundary[] = [];
  const calmRun = await runWith(calm, seed, options, [watchInto(watched)]);
  const brokenCalm = calmRun.verdict === "broken" ? calmRun : undefined;
  const last = lastEventAt(calmRun.trace);
  const boundaries = watched.filter(({ at }) => at <= last);
  const trialled = endingAfter(calm, last + AFTERMATH_MS);
  const strikes = brokenCalm === undefined ? boundaries.flatMap(strikesAt) : [];
  let { vacuous } = calmRun;
  let firstBroken: RunReport | undefined;
  const pairs = pairsOf(strikes, pairsMax).filter(([a, b]) => a.boundary !== b.boundary);
  const all = strikes.length + pairs.length;
  let done = 0;
  const runTrial = async (struck: readonly CrashStrike[]): Promise<CrashTrial> => {
    const { trial, report } = await trialOf(trialled, seed, options, struck, boundaries);
    vacuous = vacuousInAll([{ vacuous }, report]);
    if (trial.broken.length > 0) firstBroken ??= report;
    done += 1;
    options.onRun?.(done, all);
    return trial;
  };
  const isOver = (): boolean => options.signal?.aborted === true;
  const trials: CrashTrial[] = [];
  for (const strike of strikes) if (!isOver()) trials.push(await runTrial([strike]));
  const jobs = jobsOf(calm, calmRun);
  const costly = trials.find((trial) => (trial.jobs ?? 0) > (jobs ?? 0))?.strikes[0];
  const paired: CrashTrial[] = [];
  for (const pair of pairs) if (!isOver()) paired.push(await runTrial(pair));
  return {
    scenario: scenario.name,
    seed,
    boundaries,
    outcomes: CRASH_OUTCOMES,
    jobs,
    windows: windowsOf(calmRun.trace, boundaries),
    trials,
    pairs: paired,
    secondJob: costly && {
      strike: costly,
      story: await storyOf(trialled, seed, options, costly, boundaries),
    },
    coverage: { planned: strikes.length, struck: trials.filter(({ struck }) => struck).length },
    brokenCalm,
    firstBroken,
    vacuous:
      brokenCalm === undefined ? [...vacuous, ...idleTrials(strikes.length, trials)] : vacuous,
    leftOut: leftOutOf(scenario),
  };
}

/** What the trials themselves leave undone. */
function idleTrials(planned: number, trials: readonly CrashTrial[]): readonly Vacuity[] {
  const kind = "fault-never-struck";
  if (planned === 0) {
    return [{ kind, path: "", words: "the run passes no boundary, so that no crash was tried" }];
  }
  const idle = trials.filter(({ struck }) => !struck).length;
  const words = `${idle} of ${planned} planned faults never struck`;
  return idle === 0 ? [] : [{ kind, path: "", words }];
}

function leftOutOf(scenario: Scenario): LeftOut {
  const { makeup } = worldKindOf(scenario);
  return { faults: makeup.faults(scenario).length, storm: makeup.hasStorm(scenario) };
}

/** Returns the scenario without its faults and its storm; what users do stays. */
function withoutFaults(scenario: Scenario): Scenario {
  const { makeup } = worldKindOf(scenario);
  return makeup.withoutStorm(makeup.withFaults(scenario, []));
}

function endingAfter(scenario: Scenario, ms: number): Scenario {
  const { safety, liveness } = scenario.phases;
  return { ...scenario, phases: { safety: Math.min(safety, ms), liveness } };
}

function runWith(
  scenario: Scenario,
  seed: number,
  parts: WorldParts,
  rules: readonly FaultRule[],
): Promise<RunReport> {
  return simulate(scenario, { ...partsOf(parts), seed, rules });
}

function watchInto(boundaries: Boundary[]): FaultRule {
  const counts = new Map<string, number>();
  return {
    name: "watch",
    decide({ site, host, isPoint }, at) {
      const nth = (counts.get(`${site} ${host}`) ?? 0) + 1;
      counts.set(`${site} ${host}`, nth);
      boundaries.push({ number: boundaries.length + 1, site, host, nth, at, isPoint });
      return PASS;
    },
  };
}

/** What goes on when nothing happens any more: phases, and sweeps that come again and again. */
const RECURRENT: ReadonlySet<TraceEvent["kind"]> = new Set(["phase", "sweep-done"]);

/** Returns the time of the last event of a kind that does not simply recur. */
function lastEventAt(trace: readonly TraceEvent[]): number {
  return trace.findLast(({ kind }) => !RECURRENT.has(kind))?.at ?? 0;
}

function strikesAt({ number: boundary, isPoint }: Boundary): readonly CrashStrike[] {
  if (isPoint) return [{ boundary, outcome: "before" }];
  return CRASH_OUTCOMES.map((outcome) => ({ boundary, outcome }));
}

function rulesFrom(
  strikes: readonly CrashStrike[],
  boundaries: readonly Boundary[],
): readonly FaultRule[] {
  return strikes.map(({ boundary, outcome }) =>
    strikeAt(boundaries[boundary - 1] as Boundary, verdictFrom(outcome)),
  );
}

async function storyOf(
  calm: Scenario,
  seed: number,
  options: CrashPointOptions,
  strike: CrashStrike,
  boundaries: readonly Boundary[],
): Promise<readonly string[]> {
  const { trace } = await runWith(calm, seed, options, rulesFrom([strike], boundaries));
  return taskRunStory(trace);
}

async function trialOf(
  calm: Scenario,
  seed: number,
  options: CrashPointOptions,
  strikes: readonly CrashStrike[],
  boundaries: readonly Boundary[],
): Promise<{ readonly trial: CrashTrial; readonly report: RunReport }> {
  const again = (): Promise<RunReport> =>
    runWith(calm, seed, options, rulesFrom(strikes, boundaries));
  const report = await again();
  const code = codeUnderTestIn(options);
  if (report.verdict === "broken" && code !== undefined) {
    await assertSameAgain({ ...code, scenario: calm.name, seed, again }, report);
  }
  const unexpected = report.violations.filter(
    ({ checker }) => !calm.expect.broken.includes(checker),
  );
  const faults = report.trace.filter(({ kind }) => kind === "fault").length;
  const trial = {
    strikes,
    struck: faults >= strikes.length,
    broken: [...new Set(unexpected.map(({ checker }) => checker))],
    detail: unexpected[0]?.detail ?? "",
    jobs: jobsOf(calm, report),
    decisions: decisionsOf(report.trace),
  };
  return { trial, report };
}

function verdictFrom(outcome: CrashOutcome): Verdict {
  if (outcome === "reply-lost") return { kind: "drop", what: "reply" };
  return { kind: "crash", when: outcome, restartAfterMs: RESTART_MS };
}

function strikeAt({ number, site, host, nth }: Boundary, verdict: Verdict): FaultRule {
  let seen = 0;
  return {
    name: `boundary ${number}`,
    decide(call: SiteCall) {
      if (call.site !== site || call.host !== host) return PASS;
      seen += 1;
      return seen === nth ? verdict : PASS;
    },
  };
}

function jobsOf(scenario: Scenario, { trace }: RunReport): number | undefined {
  if (!worldKindOf(scenario).hasJobs) return undefined;
  return trace.filter(({ kind }) => kind === "job-accepted").length;
}

/** Returns the resume decisions of all attempts after a task's first, in order. */
function decisionsOf(trace: readonly TraceEvent[]): readonly string[] {
  const firstOf = new Map<string, number>();
  const decisions: string[] = [];
  for (const event of trace) {
    if (event.kind === "attempt" && !firstOf.has(event.task)) {
      firstOf.set(event.task, event.attempt);
    }
    if (event.kind !== "resume-counted" || event.counter === "reconnect_attempt") continue;
    if (![...firstOf.values()].includes(event.attempt)) decisions.push(event.counter);
  }
  return decisions;
}

function windowsOf(
  trace: readonly TraceEvent[],
  boundaries: readonly Boundary[],
): readonly SubmitWindow[] {
  const windows: SubmitWindow[] = [];
  for (const [at, event] of trace.entries()) {
    if (event.kind !== "job-accepted") continue;
    const stored = trace
      .slice(at)
      .find((later) => later.kind === "state-set" && names(later.value, event));
    if (stored === undefined) continue;
    const [openedAt, closedAt] = [event.at, stored.at];
    // The submit itself is the first boundary that can lose a job, because its reply may be lost.
    const first = boundaries.findLast(({ site, at: asked }) => {
      return site === "job.submit" && asked <= openedAt;
    });
    const within = boundaries.filter(
      ({ number, at: asked }) => number >= (first?.number ?? 0) && asked <= closedAt,
    );
    const numbers = within.map(({ number }) => number);
    windows.push({ task: event.task, openedAt, closedAt, boundaries: numbers });
  }
  return windows;
}
