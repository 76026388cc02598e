/**
 * What a task, an asset or a process leaves for later: a persistent key-value store by scope.
 *
 * ```ts
 * const backend = new MemoryStateBackend();
 * const scope = { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 }
 * as const; const store = new TaskStateStore(backend, scope, { clock });
 * const jobId = await store.get<string>("job_id") ?? await submitJob();
 * await store.set("job_id", jobId, { retention: NEVER_EXPIRE });
 * ```
 *
 * Holds:
 * - **The scope is part of every key**, and the attempt is not: a retry finds what the attempt
 *   before it left.
 * - **Scopes never collide**, whatever characters their parts hold; map index -1 is an index and no
 *   wildcard.
 * - **What goes in comes out equal**; what JSON cannot say is refused with the path to it, before
 *   anything is sent.
 * - **Expiry is the writer's**: computed from its clock at the write, anew with each one. An entry
 *   is invisible to `get` from that instant on, and swept once it lies strictly in the past.
 * - **A sweep never takes a refreshed key**, and one that was interrupted goes on later.
 * - **Absence is never guessed**: what fails rejects, with `StoreUnavailable` or `UnreadableValue`.
 * - **The last writer wins**, whole. A watermark that must not fall has one writer, or a key for
 *   each.
 *
 * Why so, where the sources disagree with each other or say nothing (numbers of
 * spec/store-and-resumable.md):
 * - Q1: a stored `0`, `false`, `""`, `[]` or `{}` is a value; only an absent key answers the
 *   default.
 * - Q2: what a job returns is no matter of the store; `get` answers the same value to every
 *   attempt.
 * - Q3: no key is special: a write that names no retention gets the default of its store, whoever
 *   writes it.
 * - Q4: a bare number, boolean or anything else that is no duration is a TypeError that names the
 *   cure.
 * - Q5: NEVER_EXPIRE is a registered symbol: no computed length can equal it, no clone can almost
 *   be it.
 * - Q6: an entry that never expires has a null expiry and no flag beside it.
 * - Q7: a sweep takes entries with an expiry only, so never an asset's; those go when somebody
 *   clears them.
 * - Q8: a sweep runs when it is called (`sweepStore`, `faultlane store sweep`); nothing runs by
 *   itself.
 * - Q9: a store is an object that a task is given; no order of base classes matters to it.
 * - Q10: names follow the seed's API, `TaskStateStore`, whatever file upstream keeps it in.
 * - Q11: an option has one name; a member that no option has is a TypeError and not ignored.
 * - Q12: the verb is `store sweep`.
 * - Q13: a run or task instance that is gone is the caller's to know: the HTTP surface answers 404
 *   where it is told how to ask, the store itself keeps no list of runs.
 * - Q14: a run marked success is each of its task instances marked success: call `clearOnSuccess`
 *   for each.
 * - Q15: too large is a RangeError here and 422 over HTTP, as upstream's route tests have it.
 *
 * And where the seed is silent: an explicit retention of zero expires at once (A39), an expired
 * entry is invisible before it is swept (A10), non-finite numbers are refused at any depth (A19),
 * clearing a task instance keeps its state unless told otherwise (A84, A85; the seed says state
 * survives a clear).
 *
 * @module
 */
export { AssetStateStore, type AssetStateStoreOptions } from "./asset-state-store.ts";
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
  type WriteOptions,
} from "./backend.ts";
export { StoreUnavailable, UnreadableValue } from "./errors.ts";
export { jsonTextFrom, type JsonValue, jsonValueFromText, VALUE_DEPTH_MAX } from "./json-value.ts";
export { MemoryStateBackend } from "./memory-backend.ts";
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
  CREATE_VERSION_TABLE,
  migrationFrom,
  SELECT_VERSION,
  type SqlDialect,
} from "./sql-schema.ts";
export {
  type SqlDriver,
  type SqlParam,
  type SqlRow,
  SqlStateBackend,
} from "./sql-state-backend.ts";
export { type SqlStatement, sqlStatements } from "./sql-text.ts";
export { checkedKey, KEY_CHARS_MAX } from "./state-key.ts";
export { storedTextFrom, VALUE_CHARS_MAX } from "./stored-value.ts";
export { sweepStore, type SweepOptions } from "./sweep.ts";
export {
  clearOnSuccess,
  clearTaskInstances,
  type ClearTaskInstancesOptions,
} from "./task-lifecycle.ts";
export { type SetOptions, TaskStateStore, type TaskStateStoreOptions } from "./task-state-store.ts";
export { checkedWriter, type Writer } from "./writer.ts";
