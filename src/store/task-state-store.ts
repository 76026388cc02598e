import type { Clock } from "../time/mod.ts";
import type { StateBackend } from "./backend.ts";
import type { JsonValue } from "./json-value.ts";
import {
  DEFAULT_RETENTION,
  expiresAtFrom,
  isExpired,
  NEVER_EXPIRE,
  type Retention,
} from "./retention.ts";
import { type AssetScope, describeScope, scopeAddressFrom, type StoreScope } from "./scope.ts";
import { checkedKey } from "./state-key.ts";
import {
  checkedOptions,
  fromBackend,
  type Holder,
  holderFrom,
  storedTextFrom,
  valueFromEntry,
} from "./stored-value.ts";

export interface TaskStateStoreOptions {
  /**
   * Whose wall time decides when an entry expires, at the write, and what has expired, at the read.
   */
  readonly clock: Clock;
  /**
   * For writes that do not say; zero: never. 30 days for a task instance, never for other scopes.
   */
  readonly defaultRetention?: Retention;
  /** The longest JSON text of one value; 0: no limit. */
  readonly valueCharsMax?: number;
}

export interface SetOptions {
  readonly retention?: Retention;
}

/**
 * The state of one task instance: what one attempt leaves for the next.
 *
 * Also takes the two scopes of AIP-30, a task over all of its runs and a process by names of its
 * own; these keep their entries until somebody deletes them, unless told otherwise.
 *
 * Holds:
 * - **It outlives the attempt**: no attempt number is part of the scope.
 * - **Nothing bad is sent**: keys, values and options are checked before the backend is asked for
 *   anything.
 * - **Absence is never guessed**: `get` answers its default only when the key is absent or expired;
 *   every failure rejects.
 *
 * Source: Airflow 3.3, core-concepts/task-state-store
 */
export class TaskStateStore {
  readonly #holder: Holder;
  readonly #clock: Clock;
  readonly #defaultRetention: Retention;

  /**
   * @throws {TypeError} when the scope is none of a task instance, a task or a process
   * @throws {RangeError} when the map index is not a whole number from -1 up
   */
  constructor(
    backend: StateBackend,
    scope: Exclude<StoreScope, AssetScope>,
    options: TaskStateStoreOptions,
  ) {
    scopeAddressFrom(scope);
    if ((scope as StoreScope).kind === "asset") {
      throw new TypeError("Cannot keep task state for an asset: use AssetStateStore");
    }
    this.#holder = holderFrom(backend, scope, options.valueCharsMax);
    this.#clock = options.clock;
    this.#defaultRetention =
      options.defaultRetention ??
      (scope.kind === "task-instance" ? DEFAULT_RETENTION : NEVER_EXPIRE);
  }

  /**
   * The value under `key`, or `defaultValue` (null unless given) when it is absent or expired.
   *
   * Holds: a stored `0`, `false`, `""`, `[]` or `{}` is a value; the default is never written.
   *
   * @throws {StoreUnavailable} when the backend could not say; never taken for absence
   * @throws {UnreadableValue} when what is stored cannot be read
   *
   * Source: Airflow 3.3, core-concepts/task-state-store, "get(key, default)"
   */
  get<T extends JsonValue = JsonValue>(key: string): Promise<T | null>;
  get<T>(key: string, defaultValue: T): Promise<T>;
  async get(key: string, defaultValue: unknown = null): Promise<unknown> {
    const { backend, scope } = this.#holder;
    checkedKey(key);
    const entry = await fromBackend(this.#phrase("get", key), () => backend.get(scope, key));
    if (entry === undefined || isExpired(entry.expiresAt, this.#clock.wallNow())) {
      return defaultValue;
    }
    return valueFromEntry(scope, entry);
  }

  /**
   * Writes or overwrites one key.
   *
   * Shape: `value` is any JSON value except a top-level null; `key` is 1 to 512 characters.
   * Units: `retention` in whole milliseconds, counted from this store's clock at the call.
   * Holds: once fulfilled, a later `get` of any attempt sees this value until it expires; each set
   * starts the retention anew.
   *
   * @throws {TypeError} when `value` cannot be said in JSON (the message has the path to the
   *   culprit), or `retention` is no duration
   * @throws {RangeError} when the key or the value is too long, or `retention` negative or beyond
   *   the year 9999
   * @throws {StoreUnavailable} when the backend did not take the write, or did not say so
   *
   * Source: Airflow 3.3, core-concepts/task-state-store, "set(key, value, *, retention)"
   */
  async set(key: string, value: NonNullable<JsonValue>, options: SetOptions = {}): Promise<void> {
    const { backend, scope } = this.#holder;
    const text = storedTextFrom(this.#holder, checkedKey(key), value);
    const write = this.#writeOptions(options, "set");
    await fromBackend(this.#phrase("set", key), () => backend.set(scope, key, text, write));
  }

  /**
   * Writes several keys, with one retention; of equal keys the last one wins.
   *
   * Holds: all or nothing where the backend has `setMany`, as those of this kit have.
   *
   * @throws as `set` does; then nothing was sent
   */
  async setMany(
    entries: Iterable<readonly [key: string, value: NonNullable<JsonValue>]>,
    options: SetOptions = {},
  ): Promise<void> {
    const { backend, scope } = this.#holder;
    const texts: (readonly [string, string])[] = [];
    for (const [key, value] of entries) {
      texts.push([checkedKey(key), storedTextFrom(this.#holder, key, value)]);
    }
    const write = this.#writeOptions(options, "setMany");
    if (texts.length === 0) return;
    await fromBackend(this.#phrase("set", `${texts.length} keys`), async () => {
      if (backend.setMany !== undefined) return backend.setMany(scope, texts, write);
      for (const [key, text] of texts) await backend.set(scope, key, text, write);
    });
  }

  /** The values of those of `keys` that are there and not expired, in the order of `keys`. */
  async getMany(keys: Iterable<string>): Promise<Map<string, JsonValue>> {
    const { backend, scope } = this.#holder;
    const wanted = [...new Set(keys)].map((key) => checkedKey(key));
    const entries = await fromBackend(this.#phrase("get", `${wanted.length} keys`), async () => {
      if (backend.getMany !== undefined) return backend.getMany(scope, wanted);
      const found = [];
      for (const key of wanted) found.push(await backend.get(scope, key));
      return found.filter((entry) => entry !== undefined);
    });
    const now = this.#clock.wallNow();
    const byKey = new Map(entries.map((entry) => [entry.key, entry]));
    const values = new Map<string, JsonValue>();
    for (const key of wanted) {
      const entry = byKey.get(key);
      if (entry === undefined || isExpired(entry.expiresAt, now)) continue;
      values.set(key, valueFromEntry(scope, entry));
    }
    return values;
  }

  /** Deletes one key; nothing happens when it is absent. */
  async delete(key: string): Promise<void> {
    const { backend, scope } = this.#holder;
    checkedKey(key);
    await fromBackend(this.#phrase("delete", key), () => backend.delete(scope, key));
  }

  /**
   * Deletes every key of this scope; with `allMapIndices` those of every map index of the task.
   *
   * Holds: a sibling that writes after a clear of all indices keeps what it wrote.
   */
  async clear(options: { readonly allMapIndices?: boolean } = {}): Promise<void> {
    const { backend, scope } = this.#holder;
    const { allMapIndices } = checkedOptions(options, ["allMapIndices"], "clear");
    await fromBackend(
      () => `clear the state of ${describeScope(scope)}`,
      () => backend.clear(scope, allMapIndices === true ? { allMapIndices: true } : {}),
    );
  }

  #writeOptions(
    options: SetOptions,
    call: string,
  ): { expiresAt: number | null; updatedAt: number } {
    const { retention } = checkedOptions(options, ["retention"], call);
    const now = Math.floor(this.#clock.wallNow());
    return { expiresAt: expiresAtFrom(retention, this.#defaultRetention, now), updatedAt: now };
  }

  #phrase(verb: string, key: string): () => string {
    return () => `${verb} "${key}" of ${describeScope(this.#holder.scope)}`;
  }
}
