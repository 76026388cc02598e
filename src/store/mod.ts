/**
 * Persistent key-value state of tasks, assets and processes, which outlives the attempt that wrote
 * it.
 *
 * ```ts
 * import { MemoryStateBackend, NEVER_EXPIRE, TaskStateStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const store = new TaskStateStore(
 *   new MemoryStateBackend(),
 *   { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 },
 *   { clock: systemClock },
 * );
 * const jobId = (await store.get<string>("job_id")) ?? "app-17";
 * await store.set("job_id", jobId, { retention: NEVER_EXPIRE });
 * console.log(await store.get("job_id")); // => app-17
 * ```
 *
 * Holds:
 * - **The scope is part of every key**, and the try number is not: a retry finds what the previous
 *   attempt left.
 * - **Scopes never collide**, whatever characters their parts contain; the map index -1 is an index
 *   and no wildcard.
 * - **Values round-trip**; what JSON cannot represent is refused with the path to it, before
 *   anything is sent.
 * - **The writer's clock sets the expiry**, anew with each write. From that instant on `get` does
 *   not return the entry; a sweep deletes it once the instant is strictly in the past.
 * - **A sweep never deletes a refreshed key**, and an interrupted sweep can be continued.
 * - **Absence is never guessed**: failures reject with `StoreUnavailable` or `UnreadableValue`.
 * - **The last write wins** as a whole. A watermark that must not fall needs one writer, one key
 *   for each writer, or `compareAndSet`, which each store has.
 *
 * Why so, where the documents that this follows disagree or are silent:
 * - A stored `0`, `false`, `""`, `[]` or `{}` is a value; `get` returns the default only for an
 *   absent key (Q1).
 * - What a job returns does not concern the store; every attempt reads the same value (Q2).
 * - No key is special: a write without a retention gets the default of its store (Q3).
 * - A bare number, a boolean or anything else that is no duration is a TypeError that says what to
 *   write instead (Q4).
 * - `NEVER_EXPIRE` is a registered symbol: no computed length equals it, and it cannot be cloned
 *   into something similar (Q5).
 * - An entry that never expires has a null expiry, and no separate flag (Q6).
 * - A sweep deletes only entries with an expiry, so never an asset's (Q7). The state of an asset
 *   that no DAG declares any more goes when `clearOrphanedAssets` is called.
 * - Nothing sweeps by itself: call `sweepStore` or run `faultlane store sweep` (Q8, Q12).
 * - A task is given its store as an object, so there is no order of base classes to get wrong (Q9).
 * - The classes have the names of the public API, `TaskStateStore` and so on, and not those of the
 *   files upstream (Q10).
 * - Each option has one name, and an unknown option is a TypeError rather than ignored (Q11).
 * - The store keeps no list of runs and task instances. The HTTP handler responds 404 for one that
 *   does not exist if it is given `hasTaskInstance` (Q13).
 * - Marking a run as success marks each of its task instances: call `clearOnSuccess` for each
 *   (Q14).
 * - A value that is too large is a RangeError, and 422 over HTTP (Q15).
 * - An explicit retention of zero expires at once (A39), and an expired entry is invisible before
 *   it is swept (A10).
 * - Non-finite numbers are refused at any depth (A19).
 * - Clearing a task instance keeps its state unless told otherwise (A84, A85).
 *
 * Otherwise than the accessors of Airflow 3.3.2, beside which the tests play drawn sequences:
 * - What has expired is absent; there `get` returns it until the clean-up.
 * - A value over the limit is refused; a task is only warned there, and it is stored.
 * - The keys ".", ".." and those with a line break are keys; there they cannot be written, and
 *   `delete(".")` deletes every key of the task instance.
 * - A key of more than 512 characters is refused, whatever the database does with it.
 * - A retention is not negative and has whole milliseconds.
 * - A number that is not finite is refused within a value, too; null takes its place there. Half of
 *   a surrogate pair is a text, which cannot be sent there.
 * - An integer of 2^53 or more that somebody else stored, and that a JavaScript number cannot hold,
 *   is an `UnreadableValue`; Python has it.
 * - `clear` can take all map indices, which only the REST API can there.
 * - The name and the URI of an asset are two addresses; there both lead to the same state.
 *
 * @module
 */
export { AssetStateStore, type AssetStateStoreOptions } from "./asset-state-store.ts";
export { AssetStateStores } from "./asset-state-stores.ts";
export {
  type ClearOptions,
  DRY_RUN_ENTRIES_MAX,
  type EntryPage,
  type ExpiredEntry,
  type ListPage,
  type ScopePage,
  type StateBackend,
  type StateEntry,
  SWEEP_BATCH_DEFAULT,
  type SweepReport,
  type SweepRequest,
  type StateChange,
  type WriteOptions,
} from "./backend.ts";
export { contextStores, type ContextStores, type ContextStoresOptions } from "./context-stores.ts";
export { StoreUnavailable, UnreadableValue } from "./errors.ts";
export { isEqualJson, type JsonValue, jsonValueFromText } from "../json-value.ts";
export { listNamespaces, listProcesses } from "./list-processes.ts";
export { MemoryStateBackend } from "./memory-backend.ts";
export { clearOrphanedAssets, type ClearOrphanedAssetsOptions } from "./orphaned-assets.ts";
export {
  MemoryPayloadStore,
  OffloadingStateBackend,
  type PayloadStore,
} from "./offloading-backend.ts";
export {
  DEFAULT_RETENTION,
  EXPIRES_AT_MAX_MS,
  expiresAtFrom,
  isExpired,
  NEVER_EXPIRE,
  type Retention,
} from "./retention.ts";
export {
  type AssetRef,
  type AssetScope,
  type DagRunRef,
  describeScope,
  type ProcessScope,
  type ScopeAddress,
  scopeAddressFrom,
  scopeFromAddress,
  type StoreScope,
  type TaskInstanceScope,
  type TaskScope,
} from "./scope.ts";
export {
  STATE_MODEL_KEY,
  StateModel,
  type StateModelOptions,
  type StateRecord,
} from "./state-model.ts";
export {
  STATE_STORE_DEFAULTS,
  stateStoreSettings,
  type StateStoreSettings,
  stateStoreSettingsFromEnv,
} from "./state-store-settings.ts";
export { checkedKey, KEY_CHARS_MAX } from "./state-key.ts";
export { storedTextFrom, VALUE_CHARS_MAX } from "./stored-value.ts";
export { sweepInBatches, sweepPlanFrom, sweepStore, type SweepOptions } from "./sweep.ts";
export {
  clearOnSuccess,
  type ClearOnSuccessOptions,
  clearTaskInstances,
  type ClearTaskInstancesOptions,
} from "./task-lifecycle.ts";
export { type SetOptions, TaskStateStore, type TaskStateStoreOptions } from "./task-state-store.ts";
export type { Writer } from "./writer.ts";
