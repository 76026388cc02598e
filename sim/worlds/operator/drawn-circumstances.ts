import type { Dice } from "../../choices/dice.ts";
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
