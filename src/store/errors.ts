import { recogniseAnyCopy } from "../any-copy.ts";

/**
 * The backend failed; `cause` is its own error. After a failed write it is unknown whether the
 * write took effect.
 *
 * @example Try again later when the database is down
 * ```ts
 * import { MemoryStateBackend, StoreUnavailable, TaskStateStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const backend = new MemoryStateBackend();
 * backend.get = () => Promise.reject(new Error("connection refused"));
 * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
 * const store = new TaskStateStore(backend, scope, { clock: systemClock });
 * try {
 *   await store.get("last_page");
 * } catch (error) {
 *   if (!(error instanceof StoreUnavailable)) throw error;
 *   console.log(error.message);
 *   // => Cannot get "last_page" of task (dag "etl", task "load"): connection refused
 * }
 * ```
 */
export class StoreUnavailable extends Error {
  static {
    recogniseAnyCopy(this, "StoreUnavailable");
  }

  /** Always `"StoreUnavailable"`. */
  override readonly name = "StoreUnavailable";
}

/**
 * An entry exists and cannot be read back as the value that was written.
 *
 * It is an error and never treated as absence: a task that found nothing would submit its job a
 * second time.
 *
 * @example Delete what cannot be read
 * ```ts
 * import { MemoryStateBackend, TaskStateStore, UnreadableValue } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const backend = new MemoryStateBackend();
 * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
 * await backend.set(scope, "last_page", "{broken", { expiresAt: null });
 *
 * const store = new TaskStateStore(backend, scope, { clock: systemClock });
 * try {
 *   await store.get("last_page");
 * } catch (error) {
 *   if (!(error instanceof UnreadableValue)) throw error;
 *   await store.delete(error.key);
 * }
 * console.log(await store.get("last_page")); // => null
 * ```
 */
export class UnreadableValue extends Error {
  static {
    recogniseAnyCopy(this, "UnreadableValue");
  }

  /** Always `"UnreadableValue"`. */
  override readonly name = "UnreadableValue";
  /** The key of the entry. */
  readonly key: string;

  /** Names the key; `options.cause` is the error of the parser, if there is one. */
  constructor(key: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.key = key;
  }
}
