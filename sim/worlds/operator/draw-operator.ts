import type { KillCategory } from "../../../src/operator/mod.ts";
import type { Dice } from "../../choices/dice.ts";
import type { SiteFault } from "../../codecs/scenario-parts.ts";
import type { SiteName } from "../../faults/site.ts";
import type { VerdictName } from "../../faults/verdict.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import { JOB_SYSTEM_NAMES, type JobSystemName, jobSystemKnobs } from "../../jobs/presets.ts";
import { JOB_SYSTEM_HOST } from "../add-job-system.ts";
import { EXPECT_ALL, LATE_COMMIT_MS } from "../drawn-parts.ts";
import type { JobSystemSpec } from "../job-system-spec.ts";
import {
  atMidnight,
  besideOtherRun,
  lateMisfortunes,
  type OperatorRun,
  withoutCause,
} from "./drawn-circumstances.ts";
import type { OperatorFault, OtherJobs } from "./operator-scenario.ts";

/** How long faults may strike before everything calms down, unless a user ends the task. */
const SAFETY_MS = 240_000;
const LIVENESS_MS = 3_600_000;
/** For how long a new job may be missing; an operator that is more patient is right. */
const VISIBILITY_LAG_MS = 5_000;
const RETENTION_MS = 20_000;
/** A job that has ended is known until an operator has looked for it that often. */
const WAITS_RETAINED = 3;
/** How long a job is gone when the next attempt begins. */
const CLEANED_AFTER_MS = 70_000;
const LONG_JOB_MS = 600_000;
/** A job of several at once is known until the others have ended, and somebody has looked again. */
const RETENTION_AT_ONCE_MS = 2 * LONG_JOB_MS;
/** A job that takes longer than that is not drawn. */
const OUTLIVED_MS_MAX = 6 * 3_600_000;
/** For how long at least a user lets an attempt run, and twice as long at most. */
const PATIENCES_MS = [10_000, 35_000, 75_000, 150_000, 300_000] as const;
const FALSE_SUCCESS_MS = 3_000;
const LOOKUPS_DOWN_MS = 10_000;
/** Shorter than anybody waits who looks a missing job up again. */
const LIES_FOR_MS = 5_000;
const RESTART_MS = 3_000;
/** For how long a write is on its way: until an attempt that is asked to stop meanwhile is over. */
const ON_ITS_WAY_MS = 8_000;
const DELAYS_MS = [10_000, 30_000, 90_000, 200_000] as const;
const KILLS: readonly KillCategory[] = ["timeout", "infrastructure", "user"];
const EXTRAS_MAX = 3;

const VERDICTS: readonly VerdictName[] = [
  "crash-before",
  "crash-after",
  "fail-before",
  "fail-after",
  "drop-reply",
];
const CALLS: readonly (readonly [site: SiteName, most: number])[] = [
  ["job.submit", 2],
  ["api.set-task-state", 2],
  ["job.status", 4],
  ["api.xcom", 1],
  ["job.result", 2],
  ["api.get-task-state", 2],
];
/** Every boundary of the first calls, in each of its outcomes. */
const BOUNDARIES: readonly SiteFault[] = VERDICTS.flatMap((verdict) =>
  CALLS.flatMap(([site, most]) =>
    Array.from({ length: most }, (_, at) => strike(site, verdict, at + 1)),
  ),
);
const CALLEE_CRASHES: readonly { readonly site: SiteName; readonly verdict: VerdictName }[] = [
  { site: "job.submit", verdict: "crash-callee-after" },
  { site: "job.submit", verdict: "crash-callee-before" },
  { site: "job.status", verdict: "crash-callee-before" },
  { site: "job.result", verdict: "crash-callee-after" },
];
/** What befalls the n-th transaction of the store. */
const DATABASE_FAULTS: readonly ((nth: number) => SiteFault)[] = [
  (nth) => ({ ...strike("api.set-task-state", "fail-before", nth), error: "lock-timeout" }),
  (nth) => ({ ...strike("api.set-task-state", "fail-before", nth), error: "deadlock" }),
  (nth) => ({ ...strike("api.set-task-state", "fail-before", nth), error: "pool-exhausted" }),
  (nth) => ({ ...strike("api.get-task-state", "fail-before", nth), error: "pool-exhausted" }),
  (nth) => ({ ...strike("api.set-task-state", "delay-commit", nth), for: LATE_COMMIT_MS }),
];
/** For how long the system may be gone without a word: longer than three calls wait. */
const SILENCE_MS = 45_000;
/** The first sweep over the boundaries has no other faults than its strikes. */
const SWEEPS = 4;

/** What befalls a task beside its first fault; each part may be empty. */
interface Extra {
  readonly faults?: readonly OperatorFault[];
  readonly system?: Partial<Omit<JobSystemSpec, "system" | "failFirst">>;
  /** How many more of the task's first jobs fail. */
  readonly failures?: number;
  readonly operations?: readonly OtherJobs[];
}

type Draw = (dice: Dice) => Extra;

/** What the draws of an operator depend on. */
interface OperatorBasis {
  readonly system: JobSystemName;
  readonly knobs: JobSystemKnobs;
  /** The longest that the operator waits at a time without faults, in milliseconds; default 0. */
  readonly longestWaitMs?: number;
  /** Whether it waits for several jobs at once; default false. */
  readonly areAtOnce?: boolean;
  /** For how long the operator asks to keep the id of its job, in milliseconds; default: for ever. */
  readonly idRetentionMs?: number | undefined;
}

interface FaultCount {
  readonly first: SiteFault;
  readonly extras: number;
}

/** Draws a whole scenario of the operator world that checks every promise. */
export function drawOperatorScenario(dice: Dice): OperatorRun {
  const system = dice.from(JOB_SYSTEM_NAMES);
  const first = dice.from(BOUNDARIES);
  const extras = dice.below(EXTRAS_MAX + 1);
  return drawRun(dice, { system, knobs: jobSystemKnobs(system), first, extras });
}

/**
 * Draws the scenario of one run of a sweep.
 *
 * Holds: the seeds 0 to 64 strike each boundary of the first calls in each of its outcomes, and
 * nothing else; the seeds after them strike there among other faults.
 */
export function drawOperatorSweep(dice: Dice, seed: number, basis: OperatorBasis): OperatorRun {
  const first = BOUNDARIES[seed % BOUNDARIES.length] as SiteFault;
  const isBare = Math.floor(seed / BOUNDARIES.length) % SWEEPS === 0;
  const extras = isBare ? 0 : dice.below(EXTRAS_MAX + 1);
  return drawRun(dice, { ...basis, first, extras });
}

/** The same task on the same system without any faults. */
export function calmOperatorScenario(system: JobSystemName): OperatorRun {
  return scenarioFrom({ system }, [], []);
}

function drawRun(
  dice: Dice,
  { first, extras: count, ...basis }: OperatorBasis & FaultCount,
): OperatorRun {
  const { system, knobs } = basis;
  const draws = drawsFor(basis);
  const extras: Extra[] = [];
  for (let nth = 0; nth < count; nth += 1) extras.push(dice.from(draws)(dice));
  const failures = extras.reduce((sum, extra) => sum + (extra.failures ?? 0), 0);
  let spec: JobSystemSpec = { system };
  for (const extra of extras) spec = { ...spec, ...extra.system };
  if (failures > 0) spec = { ...spec, failFirst: knobs.failFirst + failures };
  const faults = [first, ...extras.flatMap(({ faults: more = [] }) => more)];
  // Drawn last, so that the rest of a seed's scenario stays as it was before there were these.
  if (count > 0 && dice.oneIn(4)) faults.push(...drawCalleeFaults(dice, basis));
  if (count > 0 && dice.oneIn(4)) faults.push(dice.from(DATABASE_FAULTS)(1 + dice.below(3)));
  if (count > 0 && dice.oneIn(4)) {
    faults.push(drawOverload(dice));
  }
  const operations = extras.flatMap(({ operations: more = [] }) => more);
  const isPrompt = spec.visibilityLag === undefined && knobs.concurrencyLimit === undefined;
  if (count > 0 && isPrompt && dice.oneIn(4)) {
    operations.push({ at: dice.below(5_000), otherJobs: 1 });
    faults.push(...lookupsLieToTheNext(dice));
  }
  if (count > 0 && dice.oneIn(6)) {
    const site = dice.from(["job.submit", "job.status", "job.result"] as const);
    faults.push(strike(site, "corrupt-reply", 1 + dice.below(3)));
  }
  if (count > 0 && dice.oneIn(6)) {
    faults.push(strike("api.delete-task-state", dice.from(VERDICTS), 1 + dice.below(2)));
  }
  if (count > 0 && dice.oneIn(6)) faults.push(...killedInTheWindow(dice));
  if (count > 0 && dice.oneIn(6)) {
    spec = { ...spec, ...LONG_JOBS };
    faults.push(endedByUser(dice));
    const run = atMidnight(scenarioFrom(spec, faults, operations, LONG_JOB_MS), count, dice);
    return lateMisfortunes(besideOtherRun(run, knobs, dice), knobs, dice);
  }
  const run = atMidnight(scenarioFrom(spec, faults, operations), count, dice);
  if (count === 0) return run;
  const beside = besideOtherRun(withoutCause(outliving(run, basis, dice), dice), knobs, dice);
  return lateMisfortunes(beside, knobs, dice);
}

/** In some runs the job takes longer than its id is kept, and its attempt is lost behind that. */
function outliving(run: OperatorRun, { idRetentionMs }: OperatorBasis, dice: Dice): OperatorRun {
  if (idRetentionMs === undefined || idRetentionMs > OUTLIVED_MS_MAX) return run;
  if (!dice.oneIn(3)) return run;
  const ms = idRetentionMs + LONG_JOB_MS;
  const loss: OperatorFault = dice.oneIn(2)
    ? { loseAttempt: 1, after: idRetentionMs + dice.below(LONG_JOB_MS) }
    : strike("job.result", "crash-before", 1);
  const { system, faults } = run;
  return {
    ...run,
    // A job that fails may be followed by another one, whether its id is there or not.
    system: { ...system, failFirst: 0, takes: { min: ms, max: ms } },
    faults: [...faults, loss],
    phases: { safety: 2 * ms, liveness: LIVENESS_MS + 3 * ms },
  };
}

/** The system crashes while it serves a call, or without a word; a copy of a submit comes late. */
function drawCalleeFaults(dice: Dice, { knobs }: OperatorBasis): readonly OperatorFault[] {
  const { site, verdict } = dice.from(CALLEE_CRASHES);
  const nth = 1 + dice.below(2);
  switch (dice.below(3)) {
    case 0:
      return [strike(site, verdict, nth)];
    case 1:
      return [
        {
          at: dice.below(30_000),
          crash: JOB_SYSTEM_HOST,
          restartAfter: SILENCE_MS,
          halfOpen: true,
        },
      ];
    default:
      // A system that does not recognise a repetition takes it for a new job, whatever one does.
      if (!recognisesEnded(knobs)) return [strike(site, "delay-reply", nth)];
      return [{ ...strike("job.submit", "duplicate-late", nth), for: 1_000 + dice.below(7_000) }];
  }
}

/** The system has too much to do for all calls, or for those of one operation. */
function drawOverload(dice: Dice): OperatorFault {
  const calls = dice.from([undefined, "job.status", "job.submit", "job.status"] as const);
  const which = calls === undefined ? {} : { calls };
  const ms = 5_000 + dice.below(40_000);
  return { at: dice.below(60_000), overload: JOB_SYSTEM_HOST, admits: 0, ...which, for: ms };
}

/** Whether the system returns the job of an earlier submit, or refuses, even if it has ended. */
function recognisesEnded({ idempotency }: JobSystemKnobs): boolean {
  return idempotency.kind === "return-existing" && idempotency.evenIfTerminal;
}

function scenarioFrom(
  system: JobSystemSpec,
  faults: readonly OperatorFault[],
  operations: readonly OtherJobs[],
  safetyMs = SAFETY_MS,
): OperatorRun {
  const isCalm = faults.length + operations.length === 0;
  return {
    story: "Drawn from a seed.",
    world: "operator",
    system,
    operations,
    faults,
    phases: { safety: isCalm ? 0 : safetyMs, liveness: LIVENESS_MS },
    expect: EXPECT_ALL,
  };
}

function strike(site: SiteName, verdict: VerdictName, nth: number): SiteFault {
  return { site, verdict, nth, times: 1, for: 2_000, restartAfter: RESTART_MS };
}

/** Returns the faults that are possible on this system. */
function drawsFor({ knobs, longestWaitMs = 0, areAtOnce = false }: OperatorBasis): readonly Draw[] {
  const failing: Draw = () => ({ failures: 1 });
  const least = areAtOnce ? RETENTION_AT_ONCE_MS : RETENTION_MS;
  const retention = Math.max(least, WAITS_RETAINED * longestWaitMs);
  const draws: Draw[] = [
    failing,
    failing,
    () => ({ system: LONG_JOBS }),
    () => ({ system: { unknownStatuses: { numerator: 1, denominator: 3 } } }),
    (dice) => ({ system: { visibilityLag: VISIBILITY_LAG_MS }, faults: [lost(dice, 4_000)] }),
    (dice) => ({ faults: [lost(dice, 60_000)] }),
    (dice) => ({ faults: [kill(dice)] }),
    (dice) => ({ faults: [delay(dice)] }),
    (dice) => ({ faults: [lost(dice, 60_000), delay(dice)] }),
    (dice) => ({ faults: [lost(dice, 20_000), kill(dice)] }),
    (dice) => ({ faults: [lookupsFail(dice.below(40_000))] }),
    lookupsFailForTheNext,
    (dice) => ({ faults: [restart(dice)] }),
  ];
  if (knobs.retention.kind !== "forever") {
    draws.push((dice) => ({ system: { retention }, failures: 1, faults: [lost(dice, 60_000)] }));
    draws.push((dice) => {
      return { system: { retention }, faults: [delay(dice)], ...otherJobs(knobs, dice) };
    });
  }
  if (knobs.objectVanishes !== undefined) draws.push((dice) => cleanedAway(dice, retention));
  if (knobs.concurrencyLimit !== undefined) draws.push(refused, refused);
  if (knobs.flappingTerminal !== undefined) {
    draws.push(() => ({ system: { falseSuccess: FALSE_SUCCESS_MS } }));
  }
  // Somebody else's job would only take the one place there is.
  if (knobs.concurrencyLimit === undefined) draws.push((dice) => otherJobs(knobs, dice));
  if (knobs.idReset) {
    draws.push((dice) => ({ faults: [restart(dice)], ...otherJobs(knobs, dice) }));
  }
  return draws;
}

const LONG_JOBS = { takes: { min: LONG_JOB_MS, max: LONG_JOB_MS } } as const;

/** The attempt is lost in the window, and its long job takes the one place there is. */
function refused(): Extra {
  return { system: LONG_JOBS, faults: [strike("job.submit", "crash-after", 1)] };
}

/** The attempt that saw its job succeed is lost, and the job is gone before the next attempt. */
function cleanedAway(dice: Dice, retention: number): Extra {
  const fetch = strike("job.result", "crash-before", 1 + dice.below(2));
  return {
    system: { retention },
    faults: [fetch, { delayAttempt: 2, by: retention + CLEANED_AFTER_MS }],
  };
}

function lost(dice: Dice, within: number): OperatorFault {
  return { loseAttempt: 1 + dice.below(2), after: dice.below(within) };
}

function kill(dice: Dice): OperatorFault {
  const category = dice.from(KILLS);
  return { killAttempt: 1 + dice.below(2), after: dice.below(30_000), category };
}

function delay(dice: Dice): OperatorFault {
  const by = dice.from(DELAYS_MS);
  return { delayAttempt: 2 + dice.below(2), by };
}

function lookupsFail(from: number): SiteFault {
  return {
    site: "job.status",
    verdict: "fail-before",
    rate: { numerator: 1, denominator: 1 },
    from,
    until: from + LOOKUPS_DOWN_MS,
    times: 1,
    for: 2_000,
    restartAfter: RESTART_MS,
  };
}

/**
 * The attempt is asked to stop while the write of its job's id is on its way: only its checkpoint
 * has the id. The attempt that goes on with it fails, and the next one has the store alone.
 */
function killedInTheWindow(dice: Dice): readonly OperatorFault[] {
  const kill = { killAttempt: 1, after: 1_000 + dice.below(4_000) } as const;
  return [
    { ...strike("api.set-task-state", "delay", 1), for: ON_ITS_WAY_MS },
    { ...kill, category: "infrastructure" },
    lookupsFail(20_000 + dice.below(20_000)),
  ];
}

/**
 * A user ends the task, to stop it or to have it run again: soon after the attempt began, or much
 * later, so that each phase of a task that defers several times is met.
 */
function endedByUser(dice: Dice): OperatorFault {
  const attempt = 1 + dice.below(2);
  const least = dice.from(PATIENCES_MS);
  const after = least + dice.below(least);
  if (dice.oneIn(2)) return { clearAttempt: attempt, after };
  return { killAttempt: attempt, after, category: "user" };
}

/** The attempt is lost, and the system does not reply to the next one. */
function lookupsFailForTheNext(dice: Dice): Extra {
  const after = dice.below(20_000);
  return { faults: [{ loseAttempt: 1, after }, lookupsFail(after)] };
}

/** The attempt is lost, and the next one is told about another's job, which may have ended. */
function lookupsLieToTheNext(dice: Dice): readonly OperatorFault[] {
  const after = 15_000 + dice.below(40_000);
  const until = after + LIES_FOR_MS;
  const lie = { ...lookupsFail(after), verdict: "answer-other", until } as const;
  return [{ loseAttempt: 1 + dice.below(2), after }, lie];
}

function restart(dice: Dice): OperatorFault {
  return { at: dice.below(60_000), crash: JOB_SYSTEM_HOST, restartAfter: RESTART_MS };
}

function otherJobs({ concurrencyLimit }: JobSystemKnobs, dice: Dice): Extra {
  if (concurrencyLimit !== undefined) return {};
  const times = Array.from({ length: 1 + dice.below(3) }, () => dice.below(SAFETY_MS / 2));
  return { operations: times.map((at) => ({ at, otherJobs: 1 })) };
}
