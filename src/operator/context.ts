import type { Logger } from "../time/mod.ts";

/** What a task asks of its state store; `TaskStateStore` of the store room fits. */
export interface TaskStatePort {
  get(key: string): Promise<unknown>;
  set(key: string, value: string | number | boolean | object): Promise<void>;
}

/** Which task instance this is. The attempt is `tryNumber`; everything else is the task key. */
export interface TaskKey {
  readonly dagId: string;
  readonly runId: string;
  readonly taskId: string;
  /** -1 for a task that is not mapped. */
  readonly mapIndex: number;
}

/**
 * What one attempt of a task is given.
 *
 * Holds: `signal` aborts when the attempt is killed; its reason is a `TaskKilled` when the killer
 * said why.
 *
 * Source: Airflow's TypeScript SDK, the names of the fields
 */
export interface TaskContext extends TaskKey {
  /** From 1 up. A resume after a deferral or a checkpoint belongs to the same try. */
  readonly tryNumber: number;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Absent where the deployment has none. */
  readonly taskStateStore?: TaskStatePort | undefined;
  /** What every metric of this task instance is tagged with, `team_name` for one. */
  readonly statsTags?: Readonly<Record<string, string>> | undefined;
}
