import { names } from "../checkers/task/job-names.ts";
import type { FaultRule, SiteCall } from "../faults/rule.ts";
import type { SiteName } from "../faults/site.ts";
import { PASS, type Verdict } from "../faults/verdict.ts";
import { taskRunStory } from "../story/task-story.ts";
import type { RunReport } from "../run/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { simulate } from "../run/simulate.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import type { TraceEvent } from "../trace/trace.ts";

/**
 * What is made of one call: a crash of the caller before its effect or after it, or an effect whose
 * reply is lost.
 */
export type CrashOutcome = "before" | "after" | "reply-lost";

const CRASH_OUTCOMES: readonly CrashOutcome[] = ["before", "after", "reply-lost"];

/** One effect boundary of a run without faults. */
export interface Boundary {
  /** From 1, in the order of the run. */
  readonly number: number;
  readonly site: SiteName;
  readonly host: string;
  /** Which call of this host at this site, from 1. */
  readonly nth: number;
  /** Virtual milliseconds. */
  readonly at: number;
  /** Whether nothing is asked of anybody there, so that only a crash before it makes sense. */
  readonly isPoint: boolean;
}

/** A run with faults at one boundary, or at two. */
export interface CrashTrial {
  readonly strikes: readonly { readonly boundary: number; readonly outcome: CrashOutcome }[];
  /** Whether every one of them struck. */
  readonly struck: boolean;
  /** The promises that broke and should not have. */
  readonly broken: readonly string[];
  /** What was seen of the first of them. */
  readonly detail: string;
  /** Outside jobs that were accepted; undefined in a world without any. */
  readonly jobs: number | undefined;
  /** What the attempts decided after the first one, in order. */
  readonly decisions: readonly string[];
}

/** From a job's acceptance to the commit of its id, in the run without faults. */
export interface SubmitWindow {
  readonly task: string;
  readonly openedAt: number;
  readonly closedAt: number;
  /** The boundaries that lie within. */
  readonly boundaries: readonly number[];
}

export interface CrashPointReport {
  readonly scenario: string;
  readonly seed: number;
  readonly boundaries: readonly Boundary[];
  readonly outcomes: readonly CrashOutcome[];
  /** Outside jobs of the run without faults. */
  readonly jobs: number | undefined;
  readonly windows: readonly SubmitWindow[];
  readonly trials: readonly CrashTrial[];
  readonly pairs: readonly CrashTrial[];
  /** The first trial that cost another job, told. */
  readonly secondJob: { readonly strike: Strike; readonly story: readonly string[] } | undefined;
  /** Boundaries times outcomes: how many there are, and how many struck. */
  readonly coverage: { readonly planned: number; readonly struck: number };
}

export interface CrashPointOptions extends WorldParts {
  readonly seed?: number;
  /** How many pairs of strikes are tried after the single ones; default 100. */
  readonly pairs?: number;
  /** Told of each run that is over, and how many there will be. */
  readonly onRun?: (done: number, all: number) => void;
}

const PAIRS_DEFAULT = 100;
/** How long a host that a strike took down stays down. */
const RESTART_MS = 3_000;

/** How long after the last happening of the calm run the safety phase of a trial goes on. */
const AFTERMATH_MS = 60_000;

type Strike = CrashTrial["strikes"][number];

/**
 * Runs a scenario without faults, numbers every effect boundary, and runs it again with each of
 * three outcomes at each one, then with pairs of them.
 *
 * Shape: boundaries up to the last thing that happened in the run without faults; what hosts ask
 * of each other after that changes nothing.
 *
 * These boundaries include the crash windows F1 to F18.
 */
export async function exploreCrashPoints(
  scenario: Scenario,
  options: CrashPointOptions = {},
): Promise<CrashPointReport> {
  const { seed = 1, pairs: pairsMax = PAIRS_DEFAULT } = options;
  const calm = withoutFaults(scenario);
  const watched: Boundary[] = [];
  const calmRun = await runWith(calm, seed, options, [watchInto(watched)]);
  const last = lastHappening(calmRun.trace);
  const boundaries = watched.filter(({ at }) => at <= last);
  const trialled = endingAfter(calm, last + AFTERMATH_MS);
  const strikes = boundaries.flatMap(strikesAt);
  const pairs = pairsOf(strikes, pairsMax);
  const all = strikes.length + pairs.length;
  let done = 0;
  const tryOut = async (struck: readonly Strike[]): Promise<CrashTrial> => {
    const trial = await trialOf(trialled, seed, options, struck, boundaries);
    done += 1;
    options.onRun?.(done, all);
    return trial;
  };
  const trials: CrashTrial[] = [];
  for (const strike of strikes) trials.push(await tryOut([strike]));
  const jobs = jobsOf(calm, calmRun);
  const dear = trials.find((trial) => (trial.jobs ?? 0) > (jobs ?? 0))?.strikes[0];
  const paired: CrashTrial[] = [];
  for (const pair of pairs) paired.push(await tryOut(pair));
  return {
    scenario: scenario.name,
    seed,
    boundaries,
    outcomes: CRASH_OUTCOMES,
    jobs,
    windows: windowsOf(calmRun.trace, boundaries),
    trials,
    pairs: paired,
    secondJob: dear && {
      strike: dear,
      story: await storyOf(trialled, seed, options, dear, boundaries),
    },
    coverage: { planned: strikes.length, struck: trials.filter(({ struck }) => struck).length },
  };
}

/** The scenario as it is when nothing goes wrong; what users do stays. */
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
  return simulate(scenario, {
    ...parts,
    seed,
    rules,
  });
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

/** When something last happened that is more than one host asking another. */
function lastHappening(trace: readonly TraceEvent[]): number {
  return trace.findLast(({ kind }) => kind !== "phase")?.at ?? 0;
}

function strikesAt({ number: boundary, isPoint }: Boundary): readonly Strike[] {
  if (isPoint) return [{ boundary, outcome: "before" }];
  return CRASH_OUTCOMES.map((outcome) => ({ boundary, outcome }));
}

/** At most `max` pairs, spread evenly over all that there are. */
function pairsOf(strikes: readonly Strike[], max: number): readonly (readonly [Strike, Strike])[] {
  const all = (strikes.length * (strikes.length - 1)) / 2;
  const wanted = Math.min(max, all);
  const pairs: (readonly [Strike, Strike])[] = [];
  for (let at = 0; at < wanted; at += 1) {
    const pair = pairAt(strikes, Math.floor((at * all) / wanted));
    if (pair[0].boundary !== pair[1].boundary) pairs.push(pair);
  }
  return pairs;
}

/** The `ordinal`-th of all pairs, the first strike running slowest. */
function pairAt(strikes: readonly Strike[], ordinal: number): readonly [Strike, Strike] {
  let left = ordinal;
  let first = 0;
  while (left >= strikes.length - 1 - first) {
    left -= strikes.length - 1 - first;
    first += 1;
  }
  return [strikes[first] as Strike, strikes[first + 1 + left] as Strike];
}

function rulesFrom(
  strikes: readonly Strike[],
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
  strike: Strike,
  boundaries: readonly Boundary[],
): Promise<readonly string[]> {
  const { trace } = await runWith(calm, seed, options, rulesFrom([strike], boundaries));
  return taskRunStory(trace);
}

async function trialOf(
  calm: Scenario,
  seed: number,
  options: CrashPointOptions,
  strikes: readonly Strike[],
  boundaries: readonly Boundary[],
): Promise<CrashTrial> {
  const report = await runWith(calm, seed, options, rulesFrom(strikes, boundaries));
  const unexpected = report.violations.filter(
    ({ checker }) => !calm.expect.broken.includes(checker),
  );
  const faults = report.trace.filter(({ kind }) => kind === "fault").length;
  return {
    strikes,
    struck: faults >= strikes.length,
    broken: [...new Set(unexpected.map(({ checker }) => checker))],
    detail: unexpected[0]?.detail ?? "",
    jobs: jobsOf(calm, report),
    decisions: decisionsOf(report.trace),
  };
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

/** What every attempt but the first one counted as its decision. */
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
    // The call that was accepted is the first that can lose a job: its reply may.
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
