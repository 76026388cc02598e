import type { KillCategory } from "../../../src/operator/mod.ts";
import type { HostFault, ScenarioBase, SiteFault } from "../../codecs/scenario-parts.ts";
import type { JobSystemSpec } from "../job-system-spec.ts";

/** Strikes an attempt of the task, by its number from 1. Durations are virtual milliseconds. */
export type AttemptFault =
  /** Its worker is lost, so long after the attempt began. */
  | { readonly loseAttempt: number; readonly after: number }
  /** It is told to stop, so long after it began, and has a grace period. */
  | { readonly killAttempt: number; readonly after: number; readonly category: KillCategory }
  /** It begins so long after the one before it ended, instead of the usual retry delay. */
  | { readonly delayAttempt: number; readonly by: number };

export type OperatorFault = SiteFault | HostFault | AttemptFault;

/** Somebody else submits jobs to the same system. */
export interface OtherJobs {
  readonly at: number;
  readonly otherJobs: number;
}

/** One task whose operator is a user's, and the outside system that it submits its job to. */
export interface OperatorScenario extends ScenarioBase {
  readonly world: "operator";
  /** The path of the operator's module, seen from the scenario's file. */
  readonly operator?: string | undefined;
  readonly system: JobSystemSpec;
  readonly operations: readonly OtherJobs[];
  readonly faults: readonly OperatorFault[];
}
