import type { KillCategory } from "../../../src/operator/mod.ts";
import type { HostFault, ScenarioBase, SiteFault } from "../../codecs/scenario-parts.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import type { JobSystemSpec } from "../job-system-spec.ts";

/**
 * Strikes an attempt of the task, by its number from 1.
 *
 * Shape: `loseAttempt`: its worker is lost; `killAttempt`: it has to stop within a grace period, or,
 * if it is deferred by then, its triggerer has to where the category is `infrastructure`, and where
 * it is `user` its trigger is told; `clearAttempt`: a user clears the task while it runs or is
 * deferred, so that it begins anew and keeps its state; `delayAttempt`: it begins later than after the usual retry delay.
 * Units: virtual milliseconds. `after` counts from the attempt's begin, `by` from the end of the
 * attempt before it.
 */
export type AttemptFault =
  | { readonly loseAttempt: number; readonly after: number }
  | {
      readonly killAttempt: number;
      readonly after: number;
      /** `unknown`: its `onKill` gets null. */
      readonly category: KillCategory | "unknown";
    }
  | { readonly clearAttempt: number; readonly after: number }
  | { readonly delayAttempt: number; readonly by: number };

const ATTEMPT_FAULTS = ["loseAttempt", "killAttempt", "clearAttempt", "delayAttempt"] as const;

/** What may strike in an operator world. */
export type OperatorFault = SiteFault | HostFault | AttemptFault;

/** Somebody else submits jobs to the same system. */
export interface OtherJobs {
  /** When, in virtual milliseconds. */
  readonly at: number;
  /** How many. */
  readonly otherJobs: number;
}

/** Another run of the same task has submitted what the operator submits for it without faults. */
export interface OtherRun {
  /** When it has submitted them, in virtual milliseconds. */
  readonly at: number;
  /** The id of that run. */
  readonly otherRun: string;
}

/** A task whose operator is a user's, and the external system that it submits its job to. */
export interface OperatorScenario extends ScenarioBase {
  /** What distinguishes this kind of scenario. */
  readonly world: "operator";
  /** The path of the operator's module, seen from the scenario's file. */
  readonly operator?: string | undefined;
  /** The run that the task belongs to; default "run-1". */
  readonly runId?: string | undefined;
  /** The external system, and how it differs from its preset. */
  readonly system: JobSystemSpec;
  /** What other users of the system do. */
  readonly operations: readonly (OtherJobs | OtherRun)[];
  /** The faults that strike, at calls, at times or at attempts. */
  readonly faults: readonly OperatorFault[];
}

/** Whether nothing befalls a run, so that no attempt has a reason to fail but a job that failed. */
export function isCalm({ faults, operations }: OperatorScenario, knobs: JobSystemKnobs): boolean {
  const { unknownBursts, flappingTerminal, visibilityLag } = knobs;
  const isOdd = unknownBursts !== undefined || flappingTerminal !== undefined;
  return faults.length + operations.length === 0 && !isOdd && visibilityLag.ms === 0;
}

export function isFaultOfWorld(fault: OperatorFault): fault is SiteFault | HostFault {
  return !isAttemptFault(fault);
}

export function isAttemptFault(fault: OperatorFault): fault is AttemptFault {
  return ATTEMPT_FAULTS.some((name) => name in fault);
}
