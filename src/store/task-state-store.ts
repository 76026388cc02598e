import type { JsonValue } from "../json-value.ts";
import type { Clock } from "../time/mod.ts";
import type { StateBackend, WriteOptions } from "./backend.ts";
import { checkedOptions } from "../checked-options.ts";
import {
  DEFAULT_RETENTION,
  expiresAtFrom,
  isExpired,
  NEVER_EXPIRE,
  type Retention,
} from "./retention.ts";
import type { AssetScope, StoreScope } from "./scope.ts";
import { ScopedState } from "./scoped-state.ts";

/** Settings of a {@linkcode TaskStateStore}. */
export interface TaskStateStoreOptions {
  /** Its wall time decides when a written entry expires and whether a read entry has expired. */
  readonly clock: Clock;
  /**
   * Retention of writes that name none; zero means never. By default 30 days for a task instance
   * and never for other scopes.
   */
  readonly defaultRetention?: Retention;
  /**
   * The longest JSON text of one value, in UTF-16 code units; 0 means no limit. 65,535 by default.
   */
  readonly valueCharsMax?: number;
}

const OPTIONS: readonly (keyof TaskStateStoreOptions)[] = [
  "clock",
  "defaultRetention",
  "valueCharsMax",
];

/** Options of a write. */
export interface SetOptions {
  /**
   * How long the entry lives; zero: it expires at once. Null, as Airflow's None, and absent mean
   * the store's default retention.
   */
  readonly retention?: Retention | null;
}

/**
 * The state of one task instance: what one attempt leaves for the next.
 *
 * Also serves the two other scopes of AIP-30, a task across its runs and a named process; their
 * entries never expire by default.
 *
 * Holds:
 * - **It outlives the attempt**: the try number is not part of the scope.
 * - **Nothing invalid is sent**: keys, values and options are checked before the backend is called.
 * - **Absence is never guessed**: `get` returns its default only when the key is absent or expired;
 *   every failure rejects.
 *
 * @example
 * ```ts
 * import { MemoryStateBackend, NEVER_EXPIRE, TaskStateStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const store = new TaskStateStore(
 *   new MemoryStateBackend(),
 *   { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 },
 *   { clock: systemClock },
 * );
 * await store.set("job_id", "app-17", { retention: NEVER_EXPIRE });
 * await store.set("progress", { page: 3 }, { retention: { hours: 6 } });
 * console.log(await store.get("job_id")); // => app-17
 * console.log(await store.get("last_page", 0)); // => 0
 * ```
 *
 * Source: Airflow 3.3, core-concepts/task-state-store
 */
export class TaskStateStore {
  readonly #state: ScopedState;
  readonly #clock: Clock;
  readonly #defaultRetention: Retention;

  /**
   * Creates a store for one task instance, task or process.
   *
   * @throws {TypeError} when the scope is of another kind or incomplete, or an option is unknown
   * @throws {RangeError} when the map index is not an integer of -1 or more, or `valueCharsMax` not
   *   one of 0 or more
   */
  constructor(
    backend: StateBackend,
    scope: Exclude<StoreScope, AssetScope>,
    options: TaskStateStoreOptions,
  ) {
    checkedOptions(options, OPTIONS, "TaskStateStore");
    this.#state = new ScopedState(backend, scope, options.valueCharsMax);
    if ((scope as StoreScope).kind === "asset") {
      throw new TypeError("Cannot keep task state for an asset: use AssetStateStore");
    }
    this.#clock = options.clock;
    this.#defaultRetention =
      options.defaultRetention ??
      (scope.kind === "task-instance" ? DEFAULT_RETENTION : NEVER_EXPIRE);
  }

  /**
   * Returns the value under `key`, or null when it is absent or expired.
   *
   * Holds: a stored `0`, `false`, `""`, `[]` or `{}` is a value.
   *
   * @throws {StoreUnavailable} when the backend failed
   * @throws {UnreadableValue} when the entry cannot be read
   *
   * Source: Airflow 3.3, core-concepts/task-state-store, "get(key, default)"
   */
  get<T extends JsonValue = JsonValue>(key: string): Promise<T | null>;
  /** Returns the value under `key`, or `defaultValue`, which is never written. */
  get<T>(key: string, defaultValue: T): Promise<T>;
  async get(key: string, defaultValue: unknown = null): Promise<unknown> {
    const entry = await this.#state.entry(key);
    if (entry === undefined || isExpired(entry.expiresAt, this.#clock.wallNow())) {
      return defaultValue;
    }
    return this.#state.valueFrom(entry);
  }

  /**
   * Writes or overwrites one key.
   *
   * Shape: `value` is any JSON value except a top-level null; `key` has 1 to 512 characters.
   * Units: `retention` is counted in whole milliseconds from the wall time of the store's clock.
   * Holds: once this resolves, `get` of any attempt returns the value until it expires. Each write
   * starts the retention anew.
   *
   * @throws {TypeError} when JSON cannot represent `value` (the message has the path to the part),
   *   or `retention` is no duration
   * @throws {RangeError} when the key or the value is too long, or `retention` is negative or ends
   *   after the year 9999
   * @throws {StoreUnavailable} when the backend failed; the write may have taken effect
   *
   * Source: Airflow 3.3, core-concepts/task-state-store, "set(key, value, *, retention)"
   */
  async set(key: string, value: NonNullable<JsonValue>, options: SetOptions = {}): Promise<void> {
    const text = this.#state.textFrom(key, value);
    await this.#state.set(key, text, this.#writeOptions(options, "set"));
  }

  /**
   * Writes `value` if the value under `key` is still `expected`, or if there is none where
   * `expected` is null, and returns whether it did. Of several that expect the same, one writes.
   *
   * Holds: an expired value counts as none.
   *
   * @example
   * ```ts
   * import { MemoryStateBackend, TaskStateStore } from "faultlane";
   * import { systemClock } from "faultlane/platform";
   *
   * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
   * const store = new TaskStateStore(new MemoryStateBackend(), scope, { clock: systemClock });
   * console.log(await store.compareAndSet("owner", null, "run-1")); // => true
   * console.log(await store.compareAndSet("owner", null, "run-2")); // => false
   * ```
   *
   * @throws {TypeError} as {@linkcode TaskStateStore.set} does, or when the backend has no
   *   `compareAndSet`
   * @throws {RangeError} as {@linkcode TaskStateStore.set} does
   * @throws {StoreUnavailable} when the backend failed; the write may have taken effect
   */
  async compareAndSet(
    key: string,
    expected: JsonValue | null,
    value: NonNullable<JsonValue>,
    options: SetOptions = {},
  ): Promise<boolean> {
    const text = this.#state.textFrom(key, value);
    const write = this.#writeOptions(options, "compareAndSet");
    return this.#state.exchange(key, { expected, text, now: this.#clock.wallNow() }, write);
  }

  /**
   * Writes several keys with one retention; of equal keys the last one wins.
   *
   * Holds: all or nothing if the backend has `setMany`, as all backends of this package do.
   *
   * @throws as {@linkcode TaskStateStore.set} does, before anything is sent
   */
  async setMany(
    entries: Iterable<readonly [key: string, value: NonNullable<JsonValue>]>,
    options: SetOptions = {},
  ): Promise<void> {
    const texts: (readonly [key: string, text: string])[] = [];
    for (const [key, value] of entries) texts.push([key, this.#state.textFrom(key, value)]);
    const write = this.#writeOptions(options, "setMany");
    if (texts.length > 0) await this.#state.setMany(texts, write);
  }

  /**
   * Returns the values of those of `keys` that exist and have not expired, in the order of `keys`.
   */
  async getMany(keys: Iterable<string>): Promise<Map<string, JsonValue>> {
    const wanted = [...new Set(keys)];
    const entries = await this.#state.entries(wanted);
    const now = this.#clock.wallNow();
    const byKey = new Map(entries.map((entry) => [entry.key, entry]));
    const values = new Map<string, JsonValue>();
    for (const key of wanted) {
      const entry = byKey.get(key);
      if (entry === undefined || isExpired(entry.expiresAt, now)) continue;
      values.set(key, this.#state.valueFrom(entry));
    }
    return values;
  }

  /** Deletes one key; does nothing when it is absent. */
  async delete(key: string): Promise<void> {
    await this.#state.delete(key);
  }

  /**
   * Deletes every key of this scope or, with `allMapIndices`, of every map index of the task.
   *
   * Holds: what a sibling writes after it clears all map indices stays.
   */
  async clear(options: { readonly allMapIndices?: boolean } = {}): Promise<void> {
    const { allMapIndices } = checkedOptions(options, ["allMapIndices"], "clear");
    await this.#state.clear(allMapIndices === true ? { allMapIndices: true } : {});
  }

  #writeOptions(options: SetOptions, method: string): WriteOptions {
    const { retention } = checkedOptions(options, ["retention"], method);
    const now = Math.floor(this.#clock.wallNow());
    return { expiresAt: expiresAtFrom(retention, this.#defaultRetention, now), updatedAt: now };
  }
}
