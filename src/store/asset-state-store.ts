import type { Clock } from "../time/mod.ts";
import type { StateBackend } from "./backend.ts";
import type { JsonValue } from "./json-value.ts";
import { type AssetScope, describeScope, scopeAddressFrom } from "./scope.ts";
import { checkedKey } from "./state-key.ts";
import {
  checkedOptions,
  fromBackend,
  type Holder,
  holderFrom,
  storedTextFrom,
  valueFromEntry,
} from "./stored-value.ts";
import { checkedWriter, type Writer } from "./writer.ts";

export interface AssetStateStoreOptions {
  readonly clock: Clock;
  /** Who writes; kept beside each entry. */
  readonly writer?: Writer;
  /** The longest JSON text of one value; 0: no limit. */
  readonly valueCharsMax?: number;
}

/**
 * The state of one asset: a watermark, a cursor, whatever belongs to the data and to no run of a
 * task.
 *
 * Holds:
 * - **It never expires**, and clearing tasks, sweeping and `clearOnSuccess` do not touch it.
 * - **Everyone shares it**: runs, tasks, map indices and watchers write one entry, and the last one
 *   wins. Give each mapped task a key of its own, and let a watermark only rise.
 * - **One asset, one address**: by name and by uri are two addresses. Whoever shares an asset says
 *   it alike.
 *
 * Source: Airflow 3.3, core-concepts/asset-state-store
 */
export class AssetStateStore {
  readonly #holder: Holder;
  readonly #clock: Clock;
  readonly #writer: Writer | undefined;

  /** @throws {TypeError} when the asset has neither name nor uri, or the writer is not whole */
  constructor(
    backend: StateBackend,
    asset: Omit<AssetScope, "kind"> & { readonly kind?: "asset" },
    options: AssetStateStoreOptions,
  ) {
    if (asset.kind !== undefined && asset.kind !== "asset") {
      throw new TypeError(
        `Cannot keep asset state for a ${String(asset.kind)}: use TaskStateStore`,
      );
    }
    const scope: AssetScope = { ...asset, kind: "asset" };
    scopeAddressFrom(scope);
    this.#holder = holderFrom(backend, scope, options.valueCharsMax);
    this.#clock = options.clock;
    this.#writer = options.writer === undefined ? undefined : checkedWriter(options.writer);
  }

  /** The value under `key`, or `defaultValue` (null unless given) when it is absent. */
  get<T extends JsonValue = JsonValue>(key: string): Promise<T | null>;
  get<T>(key: string, defaultValue: T): Promise<T>;
  async get(key: string, defaultValue: unknown = null): Promise<unknown> {
    const { backend, scope } = this.#holder;
    checkedKey(key);
    const entry = await fromBackend(this.#phrase("get", key), () => backend.get(scope, key));
    return entry === undefined ? defaultValue : valueFromEntry(scope, entry);
  }

  /**
   * Writes or overwrites one key, to live until it is deleted.
   *
   * @throws {TypeError} when `value` cannot be said in JSON, or a retention is given
   * @throws {RangeError} when the key or the value is too long
   * @throws {StoreUnavailable} when the backend did not take the write, or did not say so
   */
  async set(key: string, value: NonNullable<JsonValue>, ...rest: never[]): Promise<void> {
    const { backend, scope } = this.#holder;
    if (rest.length > 0) {
      throw new TypeError("Cannot use options with set of an asset: its state never expires");
    }
    const text = storedTextFrom(this.#holder, checkedKey(key), value);
    const writer = this.#writer === undefined ? {} : { writer: this.#writer };
    const write = { expiresAt: null, updatedAt: Math.floor(this.#clock.wallNow()), ...writer };
    await fromBackend(this.#phrase("set", key), () => backend.set(scope, key, text, write));
  }

  /** Deletes one key; nothing happens when it is absent. */
  async delete(key: string): Promise<void> {
    const { backend, scope } = this.#holder;
    checkedKey(key);
    await fromBackend(this.#phrase("delete", key), () => backend.delete(scope, key));
  }

  /**
   * Deletes every key of this asset; an asset has no map indices, so `allMapIndices` changes
   * nothing.
   */
  async clear(options: { readonly allMapIndices?: boolean } = {}): Promise<void> {
    const { backend, scope } = this.#holder;
    checkedOptions(options, ["allMapIndices"], "clear");
    await fromBackend(
      () => `clear the state of ${describeScope(scope)}`,
      () => backend.clear(scope),
    );
  }

  #phrase(verb: string, key: string): () => string {
    return () => `${verb} "${key}" of ${describeScope(this.#holder.scope)}`;
  }
}
