import { checkedOptions } from "../checked-options.ts";
import type { Clock } from "../time/mod.ts";
import { AssetStateStores } from "./asset-state-stores.ts";
import type { StateBackend } from "./backend.ts";
import type { AssetRef, TaskInstanceScope } from "./scope.ts";
import { StateModel } from "./state-model.ts";
import { STATE_STORE_DEFAULTS, type StateStoreSettings } from "./state-store-settings.ts";
import { TaskStateStore } from "./task-state-store.ts";

/** What the stores of a context are created with. */
export interface ContextStoresOptions {
  /** Dates writes, and decides what has expired. */
  readonly clock: Clock;
  /** The settings of the deployment; those of one that sets nothing by default. */
  readonly settings?: StateStoreSettings;
  /** The task's inlets and outlets; none by default. */
  readonly assets?: readonly AssetRef[];
}

/** The stores of a task's context, by the names that they have there. */
export interface ContextStores {
  /** What the attempts of the task instance share. */
  readonly taskStateStore: TaskStateStore;
  /** The state of the task's inlets and outlets. */
  readonly assetStateStore: AssetStateStores;
  /** AIP-30's TaskState: one value across the runs of the task. */
  readonly taskState: StateModel;
  /** AIP-30's TaskInstanceState: one value of the task instance. */
  readonly taskInstanceState: StateModel;
  /** AIP-30's ProcessState: one value of a process with a name of its own. */
  readonly processState: (namespace: string, processName: string) => StateModel;
}

/**
 * Creates the stores of the context of one task instance; spread them into a `TaskContext`.
 *
 * @example
 * ```ts
 * import { contextStores, MemoryStateBackend, runTask, silentLogger } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const key = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 };
 * const outcome = await runTask(
 *   async (ctx) => {
 *     await ctx.taskStateStore?.set("last_page", 5, { retention: { hours: 6 } });
 *     await ctx.assetStateStore?.of("orders").set("watermark", 17);
 *     await ctx.taskState?.set("2026-11-23");
 *     return ctx.taskStateStore?.get("last_page", 0);
 *   },
 *   {
 *     ...key,
 *     ...contextStores(new MemoryStateBackend(), key, {
 *       clock: systemClock,
 *       assets: [{ name: "orders" }],
 *     }),
 *     tryNumber: 1,
 *     signal: new AbortController().signal,
 *     logger: silentLogger,
 *   },
 * );
 * console.log(outcome.kind === "success" && outcome.result); // => 5
 * ```
 *
 * @throws {TypeError} when a part of the key is missing, an asset has neither name nor URI, or an
 *   option is unknown
 * @throws {RangeError} when the map index or a setting is out of range
 *
 * Source: Airflow 3.3, `context["task_state_store"]` and `context["asset_state_store"]`; AIP-30
 */
export function contextStores(
  backend: StateBackend,
  { dagId, runId, taskId, mapIndex }: Omit<TaskInstanceScope, "kind">,
  options: ContextStoresOptions,
): ContextStores {
  checkedOptions(options, ["clock", "settings", "assets"], "contextStores");
  const { clock, settings = STATE_STORE_DEFAULTS, assets = [] } = options;
  const key = { dagId, runId, taskId, mapIndex };
  const instance = { kind: "task-instance", ...key } as const;
  const { defaultRetention, valueCharsMax } = settings;
  const shared = { clock, valueCharsMax };
  return {
    taskStateStore: new TaskStateStore(backend, instance, { ...shared, defaultRetention }),
    assetStateStore: new AssetStateStores(backend, assets, {
      ...shared,
      writer: { kind: "task", ...key },
    }),
    taskState: new StateModel(backend, { kind: "task", dagId, taskId }, shared),
    taskInstanceState: new StateModel(backend, instance, shared),
    processState: (namespace, processName) =>
      new StateModel(backend, { kind: "process", namespace, processName }, shared),
  };
}
