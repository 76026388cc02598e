import { checkedOptions } from "../checked-options.ts";
import { type Logger, consoleLogger } from "../time/mod.ts";
import type { StateBackend } from "./backend.ts";
import { callBackend } from "./backend-call.ts";
import { describeScope, type TaskInstanceScope } from "./scope.ts";
import type { StateStoreSettings } from "./state-store-settings.ts";

/** The only task instance state that `clearOnSuccess` acts on. */
const SUCCESS = "success";

/** Settings of {@linkcode clearOnSuccess}. */
export interface ClearOnSuccessOptions {
  /** The state of the task instance that has been persisted. */
  readonly state: string;
  /**
   * The settings of the deployment: nothing is cleared where their `clearOnSuccess` is false.
   * Without them every success clears.
   */
  readonly settings?: StateStoreSettings;
  /** Where a failing clear is logged; by default the console. */
  readonly logger?: Logger;
}

/**
 * Clears the state of a task instance if it has succeeded.
 *
 * Call it after the success has been persisted. A crash in between leaves entries for the sweep to
 * delete; in the other order a crash would lose the state of a task that will be retried.
 *
 * Holds: only `"success"` clears, and only this map index. A failing clear is logged and does not
 * reject: the task has succeeded.
 *
 * @example
 * ```ts
 * import { clearOnSuccess, MemoryStateBackend } from "faultlane";
 *
 * const backend = new MemoryStateBackend();
 * const scope = {
 *   kind: "task-instance",
 *   dagId: "etl",
 *   runId: "r1",
 *   taskId: "load",
 *   mapIndex: -1,
 * } as const;
 * await backend.set(scope, "last_page", "5", { expiresAt: null });
 * await clearOnSuccess(backend, scope, { state: "up_for_retry" });
 * console.log((await backend.get(scope, "last_page"))?.value); // => 5
 * await clearOnSuccess(backend, scope, { state: "success" });
 * console.log(await backend.get(scope, "last_page")); // => undefined
 * ```
 *
 * @throws {TypeError} when the scope is not a task instance, or there is another option
 *
 * Source: Airflow 3.3, core-concepts/task-state-store, "Automatic cleanup (clear_on_success)"
 */
export async function clearOnSuccess(
  backend: StateBackend,
  scope: TaskInstanceScope,
  options: ClearOnSuccessOptions,
): Promise<void> {
  if (scope.kind !== "task-instance") {
    throw new TypeError(
      `Cannot clear ${describeScope(scope)} on success: it is not a task instance`,
    );
  }
  checkedOptions(options, ["state", "settings", "logger"], "clearOnSuccess");
  if (options.state !== SUCCESS || options.settings?.clearOnSuccess === false) return;
  try {
    await backend.clear(scope);
  } catch (error) {
    const logger = options.logger ?? consoleLogger;
    logger.error("Cannot clear task state after success", { scope: describeScope(scope), error });
  }
}

/** Settings of {@linkcode clearTaskInstances}. */
export interface ClearTaskInstancesOptions {
  /** Resets the task instances, so that they run again. */
  readonly reset: () => Promise<void>;
  /**
   * Whether the next attempt finds what the last one left, such as a job to reconnect to. True by
   * default, since state is documented to survive a clear. With false the task starts over, and a
   * job that still runs in an external system runs twice.
   */
  readonly keepTaskState?: boolean;
}

/**
 * Clears task instances so that they run again, as a user does in the interface.
 *
 * Holds: state is deleted only after the reset succeeded. A failing delete rejects, so that the
 * caller's transaction can roll both back.
 *
 * @example Start over, and forget what the last attempt stored
 * ```ts
 * import { clearTaskInstances, MemoryStateBackend } from "faultlane";
 *
 * const backend = new MemoryStateBackend();
 * const load = { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load" } as const;
 * await clearTaskInstances(backend, [{ ...load, mapIndex: -1 }], {
 *   reset: async () => console.log("reset"), // => reset
 *   keepTaskState: false,
 * });
 * ```
 *
 * @throws {TypeError} when there is another option
 * @throws whatever `reset` throws
 * @throws {StoreUnavailable} when the backend failed to delete the state of one
 */
export async function clearTaskInstances(
  backend: StateBackend,
  scopes: readonly TaskInstanceScope[],
  options: ClearTaskInstancesOptions,
): Promise<void> {
  checkedOptions(options, ["reset", "keepTaskState"], "clearTaskInstances");
  await options.reset();
  if (options.keepTaskState ?? true) return;
  for (const scope of scopes) {
    await callBackend(
      () => `delete the state of ${describeScope(scope)}`,
      () => backend.clear(scope),
    );
  }
}
