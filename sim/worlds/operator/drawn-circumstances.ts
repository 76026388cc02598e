import type { Dice } from "../../choices/dice.ts";
import type { SiteFault } from "../../codecs/scenario-parts.ts";
import type { SiteName } from "../../faults/site.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import type { OperatorFault, OperatorScenario } from "./operator-scenario.ts";

/** A drawn run, which gets its name later. */
export type OperatorRun = Omit<OperatorScenario, "name">;

/** The run before the one that is under test. */
const OTHER_RUN = "run-0";
/** For how long at most a job of that run has the one place that a system has. */
const PLACE_TAKEN_MS_MAX = 60_000;

/**
 * In some runs the run before has its jobs in the system, under names and keys of its own. They may
 * have the one place that there is, but not for longer than a task tries again.
 */
export function besideOtherRun(
  run: OperatorRun,
  { concurrencyLimit, runMs }: JobSystemKnobs,
  dice: Dice,
): OperatorRun {
  const { max } = run.system.takes ?? runMs;
  const isForLong = concurrencyLimit !== undefined && max > PLACE_TAKEN_MS_MAX;
  if (isForLong || !dice.oneIn(4)) return run;
  return { ...run, operations: [...run.operations, { at: 0, otherRun: OTHER_RUN }] };
}

/** In some runs nobody says why an attempt has to stop; its job is cancelled then, too (C5). */
export function withoutCause(run: OperatorRun, dice: Dice): OperatorRun {
  if (!run.faults.some(isTimeout) || !dice.oneIn(3)) return run;
  const faults = run.faults.map((fault) =>
    isTimeout(fault) ? { ...fault, category: "unknown" as const } : fault,
  );
  return { ...run, faults };
}

function isTimeout(fault: OperatorFault): boolean {
  return "killAttempt" in fault && fault.category === "timeout";
}

/** Begins some runs shortly before midnight, so that an attempt and its retry differ in the date. */
export function atMidnight(run: OperatorRun, count: number, dice: Dice): OperatorRun {
  if (count === 0 || !dice.oneIn(8)) return run;
  const second = String(59 - dice.below(50)).padStart(2, "0");
  return { ...run, startsAt: `2026-06-30T23:59:${second}Z` };
}

type Changeable<T> = { -readonly [Name in keyof T]: T[Name] };
type Changed = Changeable<Omit<OperatorRun, "system">> & {
  readonly system: Changeable<OperatorRun["system"]>;
};

/** How many jobs others submit to a system that is busy: more than one page of a list. */
const BUSY_JOBS = 120;
/** For how long at most a job is being cancelled. */
const CANCEL_MS_MAX = 60_000;
const KILLS_BY_ATTEMPT_MAX = 30_000;

/** For how long the write of a job's id is on its way: an attempt may be told to stop meanwhile. */
const WRITE_MS = 8_000;
const RESTART_MS = 3_000;

/**
 * What befalls some runs beside all else: (1) An attempt that has submitted its job anew is told
 * to stop, so that there are two jobs whose ids it knows. (2) A cancelled job takes a while to
 * end, longer than until the next try. (3) Others submit many jobs. (4) An attempt is told to stop
 * while the id of its job is on its way to the store: one that defers is over soon after that. (5)
 * The next attempt goes on with a checkpoint alone, and is lost. (6) An attempt that is told to
 * stop fails at its first cancel: whether it has several jobs shows then.
 */
export function lateMisfortunes(
  run: OperatorRun,
  { cancel, concurrencyLimit }: JobSystemKnobs,
  dice: Dice,
): OperatorRun {
  const changed: Changed = { ...run, system: { ...run.system } };
  if (dice.oneIn(8)) {
    const { failFirst = 0 } = run.system;
    changed.system.failFirst = Math.max(1, failFirst);
    changed.faults = [...changed.faults, killed(2 + dice.below(2), dice)];
  }
  if (cancel.kind === "async" && dice.oneIn(8)) {
    changed.system.cancelTakes = 5_000 + dice.below(CANCEL_MS_MAX - 5_000);
    changed.faults = [...changed.faults, killed(1 + dice.below(2), dice)];
  }
  if (concurrencyLimit === undefined && dice.oneIn(16)) {
    const at = dice.below(60_000);
    changed.operations = [...changed.operations, { at, otherJobs: BUSY_JOBS }];
  }
  if (dice.oneIn(12)) {
    const stop = { ...killed(1, dice), after: 1_000 + dice.below(WRITE_MS - 2_000) };
    changed.faults = [...changed.faults, delayed("api.set-task-state", WRITE_MS), stop];
  }
  if (dice.oneIn(12)) changed.faults = [...changed.faults, ...checkpointAlone(dice)];
  if (dice.oneIn(10)) changed.faults = [...changed.faults, ...cancelledInVain(dice)];
  return changed;
}

/**
 * The first attempt is evicted while the id of its job is on its way to the store. The next one
 * goes on with its checkpoint, and the worker of whoever fetches the result is lost: all that is
 * left is what was stored by then.
 */
function checkpointAlone(dice: Dice): readonly OperatorFault[] {
  const lost = { site: "job.result", verdict: "crash-before", nth: 1, times: 1 } as const;
  return [
    delayed("api.set-task-state", WRITE_MS),
    { killAttempt: 1, after: 1_000 + dice.below(4_000), category: "infrastructure" },
    { ...lost, for: 0, restartAfter: RESTART_MS },
  ];
}

/** An attempt is told to stop while its jobs run, and its first cancel fails. */
function cancelledInVain(dice: Dice): readonly OperatorFault[] {
  const fails = { site: "job.cancel", verdict: "fail-before", nth: 1, times: 1 } as const;
  return [killed(1 + dice.below(2), dice), { ...fails, for: 0, restartAfter: RESTART_MS }];
}

/** The first call of its kind is on its way for so long. */
function delayed(site: SiteName, ms: number): SiteFault {
  return { site, verdict: "delay", nth: 1, times: 1, for: ms, restartAfter: 0 };
}

/** An attempt is told to stop by its own time, or by its user. */
function killed(attempt: number, dice: Dice): OperatorFault {
  const category = dice.oneIn(2) ? "timeout" : "user";
  return { killAttempt: attempt, after: 5_000 + dice.below(KILLS_BY_ATTEMPT_MAX), category };
}
