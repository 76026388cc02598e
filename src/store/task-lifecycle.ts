import { type Logger, silentLogger } from "../time/mod.ts";
import type { StateBackend } from "./backend.ts";
import { describeScope, type TaskInstanceScope } from "./scope.ts";
import { fromBackend } from "./stored-value.ts";

/** The one state of a task instance that `clearOnSuccess` acts on. */
const SUCCESS = "success";

/**
 * Clears the state of a task instance that has succeeded.
 *
 * Call it after the success is durable and never before: a crash in between leaves entries for the
 * sweep, the other order would lose the state of a task that is going to be retried.
 *
 * Holds: only `"success"` clears, only this map index, and never an asset. A clear that fails is
 * logged and does not fail the success.
 *
 * Source: Airflow 3.3, core-concepts/task-state-store, "Automatic cleanup (clear_on_success)"
 */
export async function clearOnSuccess(
  backend: StateBackend,
  scope: TaskInstanceScope,
  options: { readonly state: string; readonly logger?: Logger },
): Promise<void> {
  if (scope.kind !== "task-instance") {
    throw new TypeError(`Cannot clear ${describeScope(scope)} on success: it is no task instance`);
  }
  if (options.state !== SUCCESS) return;
  try {
    await backend.clear(scope);
  } catch (error) {
    const logger = options.logger ?? silentLogger;
    logger.error("Cannot clear task state after success", { scope: describeScope(scope), error });
  }
}

export interface ClearTaskInstancesOptions {
  /**
   * Resets the task instances themselves, so that they run again; the state is discarded after it.
   */
  readonly reset: () => Promise<void>;
  /**
   * Whether the next attempt finds what the last one left: a job to reconnect to, a page to resume
   * at. True unless said otherwise, as the state is documented to survive a clear; false starts
   * from nothing, and a job that is still running outside then runs twice.
   */
  readonly keepTaskState?: boolean;
}

/**
 * Clears task instances as a person does who wants them to run again.
 *
 * Holds: nothing is discarded unless the reset succeeded; a discard that fails rejects, so that the
 * caller's transaction can roll both back.
 *
 * @throws whatever `reset` throws
 * @throws {StoreUnavailable} when the state of one could not be discarded
 */
export async function clearTaskInstances(
  backend: StateBackend,
  scopes: readonly TaskInstanceScope[],
  options: ClearTaskInstancesOptions,
): Promise<void> {
  await options.reset();
  if (options.keepTaskState ?? true) return;
  for (const scope of scopes) {
    await fromBackend(
      () => `discard the state of ${describeScope(scope)}`,
      () => backend.clear(scope),
    );
  }
}
