import type { AssetStateStores, StateModel, TaskStateStore } from "../store/mod.ts";
import type { Logger } from "../time/mod.ts";

/** The state of the task instance: what one attempt leaves for the next. */
export type TaskStatePort = Pick<
  TaskStateStore,
  "get" | "set" | "compareAndSet" | "delete" | "clear"
>;

/** The state of the assets that the task declares as inlets and outlets. */
export type AssetStatePort = Pick<
  AssetStateStores,
  "of" | "get" | "set" | "compareAndSet" | "delete" | "clear"
>;

/** One value and when it was written: a state of AIP-30. */
export type StateModelPort = Pick<
  StateModel,
  "get" | "read" | "set" | "delete" | "compareAndSet" | "raise"
>;

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
  /**
   * The state of this task instance; absent, like the other states, where the deployment has no
   * state store. `contextStores` creates all of them.
   */
  readonly taskStateStore?: TaskStatePort | undefined;
  /** The state of the task's assets. */
  readonly assetStateStore?: AssetStatePort | undefined;
  /** AIP-30's TaskState: one value across the runs of the task, such as a watermark. */
  readonly taskState?: StateModelPort | undefined;
  /** AIP-30's TaskInstanceState: one value that the attempts of this task instance share. */
  readonly taskInstanceState?: StateModelPort | undefined;
  /** AIP-30's ProcessState: one value of a process that no dag or task gives its name. */
  readonly processState?: ((namespace: string, processName: string) => StateModelPort) | undefined;
  /** Tags for every metric of this task instance, such as `team_name`. */
  readonly statsTags?: Readonly<Record<string, string>> | undefined;
}
