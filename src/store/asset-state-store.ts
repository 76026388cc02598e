import type { JsonValue } from "../json-value.ts";
import type { Clock } from "../time/mod.ts";
import type { StateBackend, WriteOptions } from "./backend.ts";
import { checkedOptions } from "../checked-options.ts";
import type { AssetRef } from "./scope.ts";
import { ScopedState } from "./scoped-state.ts";
import { checkedWriter, type Writer } from "./writer.ts";

/** Settings of an {@linkcode AssetStateStore}. */
export interface AssetStateStoreOptions {
  /** Its wall time is recorded with each write. */
  readonly clock: Clock;
  /** Who writes; recorded with each write. */
  readonly writer?: Writer;
  /**
   * The longest JSON text of one value, in UTF-16 code units; 0 means no limit. 65,535 by default.
   */
  readonly valueCharsMax?: number;
}

const OPTIONS: readonly (keyof AssetStateStoreOptions)[] = ["clock", "writer", "valueCharsMax"];

/**
 * The state of one asset: a watermark, a cursor, anything that belongs to the data rather than to a
 * run of a task.
 *
 * Holds:
 * - **It never expires**, and clearing tasks, sweeping and `clearOnSuccess` leave it alone.
 * - **Everybody shares it**: runs, tasks, map indices and watchers write the same entries, and the
 *   last write wins. Give each mapped task a key of its own, or change what was read with
 *   `compareAndSet`, as a watermark that must not fall needs it.
 * - **Name and URI are separate addresses**: all who share an asset must refer to it the same way.
 *
 * @example
 * ```ts
 * import { AssetStateStore, MemoryStateBackend } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const backend = new MemoryStateBackend();
 * const store = new AssetStateStore(backend, { name: "orders" }, { clock: systemClock });
 * const watermark = await store.get("watermark", 0);
 * await store.set("watermark", Math.max(watermark, 17));
 * console.log(await store.get("watermark")); // => 17
 * ```
 *
 * Source: Airflow 3.3, core-concepts/asset-state-store
 */
export class AssetStateStore {
  readonly #state: ScopedState;
  readonly #clock: Clock;
  readonly #writer: Writer | undefined;

  /**
   * Creates a store for the asset with this name, this URI, or both.
   *
   * @throws {TypeError} when the asset has neither, the writer is incomplete, or an option unknown
   * @throws {RangeError} when `valueCharsMax` is not an integer of 0 or more
   */
  constructor(
    backend: StateBackend,
    asset: AssetRef & { readonly kind?: "asset" },
    options: AssetStateStoreOptions,
  ) {
    if (asset.kind !== undefined && asset.kind !== "asset") {
      throw new TypeError(
        `Cannot keep asset state for a ${String(asset.kind)}: use TaskStateStore`,
      );
    }
    checkedOptions(options, OPTIONS, "AssetStateStore");
    this.#state = new ScopedState(backend, { ...asset, kind: "asset" }, options.valueCharsMax);
    this.#clock = options.clock;
    this.#writer = options.writer === undefined ? undefined : checkedWriter(options.writer);
  }

  /**
   * Returns the value under `key`, or null when it is absent.
   *
   * @throws {StoreUnavailable} when the backend failed
   * @throws {UnreadableValue} when the entry cannot be read
   */
  get<T extends JsonValue = JsonValue>(key: string): Promise<T | null>;
  /** Returns the value under `key`, or `defaultValue` when it is absent. */
  get<T>(key: string, defaultValue: T): Promise<T>;
  async get(key: string, defaultValue: unknown = null): Promise<unknown> {
    const entry = await this.#state.entry(key);
    return entry === undefined ? defaultValue : this.#state.valueFrom(entry);
  }

  /**
   * Writes or overwrites one key, which then lives until it is deleted.
   *
   * @throws {TypeError} when JSON cannot represent `value`, or options are given: there is no
   *   retention
   * @throws {RangeError} when the key or the value is too long
   * @throws {StoreUnavailable} when the backend failed; the write may have taken effect
   */
  async set(key: string, value: NonNullable<JsonValue>, ...rest: never[]): Promise<void> {
    if (rest.length > 0) {
      throw new TypeError("Cannot use options with set of an asset: its state never expires");
    }
    const text = this.#state.textFrom(key, value);
    await this.#state.set(key, text, this.#write());
  }

  /**
   * Writes `value` if the value under `key` is still `expected`, or if there is none where
   * `expected` is null, and returns whether it did. Of several that expect the same, one writes.
   *
   * @example A watermark that tasks share and that does not fall
   * ```ts
   * import { AssetStateStore, MemoryStateBackend } from "faultlane";
   * import { systemClock } from "faultlane/platform";
   *
   * const backend = new MemoryStateBackend();
   * const store = new AssetStateStore(backend, { name: "orders" }, { clock: systemClock });
   * const found = await store.get<number>("watermark");
   * console.log(await store.compareAndSet("watermark", found, 17)); // => true
   * console.log(await store.compareAndSet("watermark", found, 12)); // => false
   * ```
   *
   * @throws {TypeError} when JSON cannot represent a value, or the backend has no `compareAndSet`
   * @throws {RangeError} when the key or the value is too long
   * @throws {StoreUnavailable} when the backend failed; the write may have taken effect
   */
  async compareAndSet(
    key: string,
    expected: JsonValue | null,
    value: NonNullable<JsonValue>,
  ): Promise<boolean> {
    const text = this.#state.textFrom(key, value);
    return this.#state.exchange(key, { expected, text }, this.#write());
  }

  /** Deletes one key; does nothing when it is absent. */
  async delete(key: string): Promise<void> {
    await this.#state.delete(key);
  }

  /**
   * Deletes every key of the asset. `allMapIndices` is accepted as in `TaskStateStore` and changes
   * nothing: an asset has no map indices.
   */
  async clear(options: { readonly allMapIndices?: boolean } = {}): Promise<void> {
    checkedOptions(options, ["allMapIndices"], "clear");
    await this.#state.clear();
  }

  #write(): WriteOptions {
    return {
      expiresAt: null,
      updatedAt: Math.floor(this.#clock.wallNow()),
      ...(this.#writer === undefined ? {} : { writer: this.#writer }),
    };
  }
}
