import type { KillCategory } from "../../../src/operator/mod.ts";
import type { ProgressScope } from "../../workloads/progress-memory.ts";
import type { Ratio } from "../../faults/rule.ts";
import type { JobSystemSpec } from "../job-system-spec.ts";
import type { HostFault, HostStorm, ScenarioBase, SiteFault } from "../../codecs/scenario-parts.ts";

/** What a deployment says of every task. Durations are virtual milliseconds. */
interface TaskSpecBase {
  readonly name: string;
  /** So many runs, one started `every` so long, each after the one before it is over. */
  readonly runs: number;
  readonly every: number;
  /** How many map indices it has; 0: it is not mapped. */
  readonly mapped: number;
  readonly retries: number;
  readonly retryDelay: number;
  readonly executionTimeout?: number | undefined;
  readonly clearOnSuccess: boolean;
  /** Of writes to the state store that do not say; undefined: the store's own default. */
  readonly retention?: number | "never" | undefined;
}

/** Loads pages and remembers the last one. */
export interface PageSpec extends TaskSpecBase {
  readonly operator: "pages";
  readonly pages: number;
  readonly pageTakes: number;
  readonly progressIn: ProgressScope;
}

/** Loads what is new since the last watermark. */
export interface WatermarkSpec extends TaskSpecBase {
  readonly operator: "watermark";
  readonly progressIn: ProgressScope;
  /** How often rows arrive at its source. */
  readonly rowsEvery: number;
}

/**
 * How a task deals with an outside job. `resumable`: the mixin; `resumable-checkpoint`: the mixin
 * and AIP-96's checkpoint; `deferrable-resumable`: its decision, then a deferral. The others are
 * contrasts: `plain`, `hand-written` (the store's documentation), `checkpoint` and `deferrable`
 * (AIP-96, paths 1 and 2).
 */
export type JobOperator =
  | "resumable"
  | "resumable-checkpoint"
  | "deferrable-resumable"
  | "plain"
  | "hand-written"
  | "checkpoint"
  | "deferrable";

/** Submits a job to an outside system and waits for it. */
export interface JobSpec extends TaskSpecBase {
  readonly operator: JobOperator;
  readonly externalIdKey: string;
  readonly durable: boolean;
  readonly pollEvery: number;
}

export type TaskSpec = PageSpec | WatermarkSpec | JobSpec;

/** SIGTERM to a worker: so much grace, then it is gone and comes back after `restartAfter`. */
export interface SoftKill {
  readonly at: number;
  readonly softKill: string;
  readonly category: KillCategory;
  readonly grace: number;
  readonly restartAfter: number;
}

export type TaskFault = SiteFault | HostFault | SoftKill;

/** What users and operators do; a task instance is named "pages/run-1" or "pages/run-1[2]". */
export type TaskOperation =
  | { readonly at: number; readonly clear: string; readonly keepState: boolean }
  | { readonly at: number; readonly stop: string }
  | {
      readonly at: number;
      /** What begins from then on is of new code: a task of this name with other settings. */
      readonly deploy: string;
      readonly taskId?: string | undefined;
      readonly externalIdKey?: string | undefined;
      readonly durable?: boolean | undefined;
    };

/** Random faults: the chance of each kind, per host and virtual minute. */
export interface TaskStorm extends HostStorm {
  readonly softKills: Ratio;
}

/** A scheduler, workers, an API server, a metadata database with its state store, tasks. */
export interface TaskScenario extends ScenarioBase {
  readonly world: "tasks";
  readonly workers: number;
  readonly tasks: readonly TaskSpec[];
  readonly jobServer: JobSystemSpec;
  readonly schedulerEvery: number;
  readonly heartbeat: number;
  /** An attempt that was not heard of for so long is declared dead. */
  readonly deadAfter: number;
  /** So many failed heartbeats and a worker kills its own attempt; 0: it never does. */
  readonly heartbeatFailures: number;
  /** How long a killed attempt may still take. */
  readonly grace: number;
  readonly sweep?:
    | { readonly every: number; readonly batchSize: number; readonly grace: number }
    | undefined;
  readonly operations: readonly TaskOperation[];
  readonly faults: readonly TaskFault[];
  readonly storm?: TaskStorm | undefined;
}
