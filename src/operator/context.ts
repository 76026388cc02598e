import type { Logger } from "../time/mod.ts";

/** The part of a state store that a task needs; a `TaskStateStore` fits. */
export interface TaskStatePort {
  /** Returns the value under `key`; null or undefined when it is absent. */
  get(key: string): Promise<unknown>;
  /** Writes or overwrites one key. */
  set(key: string, value: string | number | boolean | object): Promise<void>;
}

/** A task instance without its try number: all attempts share it. */
export interface TaskKey {
  /** The id of the dag. */
  readonly dagId: string;
  /** The id of the dag run. */
  readonly runId: string;
  /** The id of the task within the dag. */
  readonly taskId: string;
  /** -1 for a task that is not mapped. */
  readonly mapIndex: number;
}

/**
 * What one attempt of a task is given.
 *
 * Holds: `signal` aborts when the attempt is killed; its reason is a `TaskKilled` if the cause is
 * known.
 *
 * Source: the field names of Airflow's TypeScript SDK
 */
export interface TaskContext extends TaskKey {
  /** From 1 up. A resume after a deferral or a checkpoint belongs to the same try. */
  readonly tryNumber: number;
  /** Aborts when the attempt is killed. */
  readonly signal: AbortSignal;
  /** The log of the task. */
  readonly logger: Logger;
  /** The state of this task instance; absent where the deployment has no state store. */
  readonly taskStateStore?: TaskStatePort | undefined;
  /** Tags for every metric of this task instance, such as `team_name`. */
  readonly statsTags?: Readonly<Record<string, string>> | undefined;
}
