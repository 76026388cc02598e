import type { KillCategory } from "../../../src/operator/mod.ts";
import type { ProgressForm, ProgressScope } from "../../workloads/progress-memory.ts";
import type { Ratio } from "../../faults/rule.ts";
import type { JobSystemSpec } from "../job-system-spec.ts";
import type { HostFault, HostStorm, ScenarioBase, SiteFault } from "../../codecs/scenario-parts.ts";

/**
 * The settings that every task has.
 *
 * Units: virtual milliseconds.
 */
export interface TaskSpecBase {
  /** The name of the task. */
  readonly name: string;
  /** How many runs there are; each starts after the run before it is over, unless they overlap. */
  readonly runs: number;
  /** How long after a run the next one starts at the earliest. */
  readonly every: number;
  /** Whether the next run also starts while the one before it is not over; default false. */
  readonly overlap?: boolean | undefined;
  /** How many map indices each run has; 0: the task is not mapped. */
  readonly mapped: number;
  /** How many tries there are after the first one. */
  readonly retries: number;
  /** How long a failed task instance waits for its next try. */
  readonly retryDelay: number;
  /** How long an attempt may run; undefined: without a limit. */
  readonly executionTimeout?: number | undefined;
  /** Whether the task's state is deleted when it succeeds. */
  readonly clearOnSuccess: boolean;
  /** The default retention of the state store; undefined: the store's own default. */
  readonly retention?: number | "never" | undefined;
}

/** A task that loads pages and stores the number of the last one. */
export interface PageSpec extends TaskSpecBase {
  /** What distinguishes this kind of task. */
  readonly operator: "pages";
  /** How many pages there are. */
  readonly pages: number;
  /** How long one page takes. */
  readonly pageTakes: number;
  /** Where it stores its progress. */
  readonly progressIn: ProgressScope;
  /** How it writes it; default "number". */
  readonly progressAs?: ProgressForm | undefined;
  /** After each page it gives up its worker, and goes on so much later; undefined: it does not. */
  readonly reschedule?: number | undefined;
}

/** A task that loads what has arrived since the last watermark. */
export interface WatermarkSpec extends TaskSpecBase {
  /** What distinguishes this kind of task. */
  readonly operator: "watermark";
  /** Where it stores its watermark. */
  readonly progressIn: ProgressScope;
  /** How it stores it, if not as a number; a model belongs to a task, a run of it or a process. */
  readonly progressAs?: "model" | undefined;
  /** How often rows arrive at its source. */
  readonly rowsEvery: number;
  /**
   * How it writes its watermark; default "set". `raise`: by compare-and-set, unless a higher one is
   * there.
   */
  readonly writes?: "set" | "raise" | undefined;
}

/** A task that keeps pieces of its work in its state and removes them itself. */
export interface ScratchSpec extends TaskSpecBase {
  /** What distinguishes this kind of task. */
  readonly operator: "scratch";
  /** How many pieces there are. */
  readonly pieces: number;
  /** How long it works on them. */
  readonly works: number;
  /** Whether it clears the state of all map indices, or only its own. */
  readonly clearsAll: boolean;
}

/**
 * How a task works with an external job. `resumable`: the mixin; `resumable-twice`: the mixin for
 * two jobs, one after the other, each with its own key; `resumable-checkpoint`: the mixin and AIP-96's checkpoint; `deferrable-resumable`: its decision, then a deferral. The others are
 * contrasts: `plain`, `hand-written` (the store's documentation), `checkpoint` and `deferrable`
 * (AIP-96, paths 1 and 2).
 */
export type JobOperator =
  | "resumable"
  | "resumable-twice"
  | "resumable-checkpoint"
  | "deferrable-resumable"
  | "plain"
  | "hand-written"
  | "checkpoint"
  | "deferrable";

/** A task that submits a job to an external system and waits for it. */
export interface JobSpec extends TaskSpecBase {
  /** How the task works with its job. */
  readonly operator: JobOperator;
  /** The key under which the job's id is stored. */
  readonly externalIdKey: string;
  /** Whether the job's id is stored. */
  readonly durable: boolean;
  /** How often the job's status is polled. */
  readonly pollEvery: number;
  /** How long a deferral waits for its trigger; undefined: without a limit. */
  readonly deferralTimeout?: number | undefined;
}

/** A task and its settings. */
export type TaskSpec = PageSpec | WatermarkSpec | ScratchSpec | JobSpec;

/**
 * SIGTERM to a worker, then its end.
 *
 * Units: virtual milliseconds.
 */
export interface SoftKill {
  /** When the worker gets the signal. */
  readonly at: number;
  /** The name of the worker. */
  readonly softKill: string;
  /** Why it is killed. */
  readonly category: KillCategory;
  /** How long the worker may still run after the signal. */
  readonly grace: number;
  /** How long the worker stays down. */
  readonly restartAfter: number;
}

/**
 * The state store is read from a replica that lags behind the metadata database.
 *
 * Units: virtual milliseconds.
 */
export interface ReplicaLag {
  /** When the replica begins to lag. */
  readonly at: number;
  /** Whose replica. */
  readonly lag: "database";
  /** How old the commits are that a read gets, at least. */
  readonly by: number;
  /** For how long it lags. */
  readonly for: number;
}

/**
 * A replica of the metadata database takes over, which had not got the last commits yet.
 *
 * Units: virtual milliseconds.
 */
export interface FailOver {
  /** When the database fails. */
  readonly at: number;
  /** Which database. */
  readonly failOver: "database";
  /** What was committed in so many milliseconds before is lost, though it was acknowledged. */
  readonly losing: number;
  /** How long it takes the replica to take over. */
  readonly downFor: number;
}

/** A fault that only worlds with tasks have. */
export type OwnTaskFault = SoftKill | ReplicaLag | FailOver;

/** A fault that a scenario with tasks can list. */
export type TaskFault = SiteFault | HostFault | OwnTaskFault;

/**
 * What users do to task instances, named "pages/run-1" or "pages/run-1[2]", and to deployments.
 *
 * - `clear`: clears a task instance, so that it runs again.
 * - `stop`: kills a running task instance; one that is not running fails.
 * - `rewind`: sets a watermark back.
 * - `trigger`: starts a run by hand, for a logical date, beside those that are scheduled.
 * - `remove`: once all runs of a task are over, it is removed from its DAG, and nothing declares the
 *   asset that it keeps state for.
 * - `deploy`: changes settings of a task for all attempts that start later.
 *
 * Units: virtual milliseconds.
 */
export type TaskOperation =
  | { readonly at: number; readonly migrate: "database"; readonly every: number }
  | { readonly at: number; readonly clear: string; readonly keepState: boolean }
  | { readonly at: number; readonly stop: string }
  | { readonly at: number; readonly remove: string }
  | { readonly at: number; readonly rewind: string; readonly to: number }
  | { readonly at: number; readonly trigger: string; readonly logicalDate: number }
  | {
      readonly at: number;
      readonly deploy: string;
      readonly taskId?: string | undefined;
      readonly externalIdKey?: string | undefined;
      readonly durable?: boolean | undefined;
    };

/** Random faults: the probability of each kind, per host and virtual minute. */
export interface TaskStorm extends HostStorm {
  /** That a worker gets SIGTERM. */
  readonly softKills: Ratio;
}

/**
 * A scenario with tasks: a scheduler, workers, an API server, a metadata database with the state
 * store, and an external job system.
 *
 * Units: virtual milliseconds.
 */
export interface TaskScenario extends ScenarioBase {
  /** What distinguishes this kind of scenario. */
  readonly world: "tasks";
  /** How many workers there are: worker-1, worker-2, and so on. */
  readonly workers: number;
  /** The tasks that are run. */
  readonly tasks: readonly TaskSpec[];
  /** The external system that jobs are submitted to. */
  readonly jobServer: JobSystemSpec;
  /** How often the scheduler loops. */
  readonly schedulerEvery: number;
  /** How often a worker sends a heartbeat for its attempt. */
  readonly heartbeat: number;
  /** How long an attempt may go without a heartbeat before it is declared dead. */
  readonly deadAfter: number;
  /** After how many failed heartbeats in a row a worker kills its own attempt; 0: never. */
  readonly heartbeatFailures: number;
  /** How long a killed attempt may still run. */
  readonly grace: number;
  /**
   * Deletes expired state entries at intervals, `batchSize` at a time, except for those that
   * expired less than `grace` ago; undefined: never.
   */
  readonly sweep?:
    | { readonly every: number; readonly batchSize: number; readonly grace: number }
    | undefined;
  /**
   * Somebody looks at the state of one task or another over HTTP, at intervals; `notes`: and writes
   * and deletes entries of their own there. Undefined: nobody does.
   */
  readonly dashboard?: { readonly every: number; readonly notes: boolean } | undefined;
  /**
   * Values with a JSON text of more than `inlineChars` characters are kept in a payload store, and a
   * reference in the database; undefined: all values are kept in the database.
   */
  readonly payloads?: { readonly inlineChars: number } | undefined;
  /** What users do. */
  readonly operations: readonly TaskOperation[];
  /** The faults that strike. */
  readonly faults: readonly TaskFault[];
  /** Random faults in addition. */
  readonly storm?: TaskStorm | undefined;
}
