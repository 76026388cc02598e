import type { JsonValue } from "../json-value.ts";
import { AssetStateStore, type AssetStateStoreOptions } from "./asset-state-store.ts";
import type { StateBackend } from "./backend.ts";
import { type AssetRef, describeScope } from "./scope.ts";

/**
 * The states of the assets that a task declares as inlets or outlets.
 *
 * Shape: `of` chooses an asset by its name, its URI or its reference. Where the task declares
 * exactly one, `get`, `set`, `compareAndSet`, `delete` and `clear` go to it without `of`.
 * Holds: a task reaches no asset that it does not declare.
 *
 * @example
 * ```ts
 * import { AssetStateStores, MemoryStateBackend } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const assets = [{ name: "orders" }, { name: "refunds", uri: "s3://shop/refunds" }];
 * const stores = new AssetStateStores(new MemoryStateBackend(), assets, { clock: systemClock });
 * await stores.of("orders").set("watermark", 17);
 * console.log(await stores.of({ name: "orders" }).get("watermark", 0)); // => 17
 * console.log(await stores.of("s3://shop/refunds").get("watermark", 0)); // => 0
 * ```
 *
 * Source: Airflow 3.3, core-concepts/asset-state-store, `context["asset_state_store"]` (A99)
 */
export class AssetStateStores {
  readonly #stores: readonly (readonly [asset: AssetRef, store: AssetStateStore])[];

  /**
   * Takes the assets of a task; of equal ones the first counts.
   *
   * @throws {TypeError} when an asset has neither name nor URI, or the writer is incomplete
   * @throws {RangeError} when `valueCharsMax` is not an integer of 0 or more
   */
  constructor(backend: StateBackend, assets: readonly AssetRef[], options: AssetStateStoreOptions) {
    const distinct = new Map(
      assets.toReversed().map((asset) => [JSON.stringify([asset.name, asset.uri]), asset]),
    );
    this.#stores = [...distinct.values()]
      .toReversed()
      .map((asset) => [{ ...asset }, new AssetStateStore(backend, asset, options)]);
  }

  /**
   * Returns the state of an asset: the one whose name or else URI is `asset`, or whose reference it
   * is.
   *
   * @throws {TypeError} when `asset` is neither text nor an object
   * @throws {RangeError} when the task does not declare it
   */
  of(asset: string | AssetRef): AssetStateStore {
    const found = typeof asset === "string" ? this.#named(asset) : this.#referred(asset);
    if (found !== undefined) return found;
    const text = typeof asset === "string" ? `"${asset}"` : describeScope(scopeOf(asset));
    throw new RangeError(
      `Cannot use the state of ${text}: the task declares ${this.#declared()} as inlets and outlets`,
    );
  }

  /** Returns a value of the only asset; null when it is absent. */
  get<T extends JsonValue = JsonValue>(key: string): Promise<T | null>;
  /** Returns a value of the only asset; `defaultValue` when it is absent. */
  get<T>(key: string, defaultValue: T): Promise<T>;
  async get(key: string, defaultValue: unknown = null): Promise<unknown> {
    return this.#only("get").get(key, defaultValue);
  }

  /** Writes one key of the only asset. */
  async set(key: string, value: NonNullable<JsonValue>, ...rest: never[]): Promise<void> {
    await this.#only("set").set(key, value, ...rest);
  }

  /** Writes one key of the only asset if the value there is still `expected`; null: none. */
  async compareAndSet(
    key: string,
    expected: JsonValue | null,
    value: NonNullable<JsonValue>,
  ): Promise<boolean> {
    return this.#only("compareAndSet").compareAndSet(key, expected, value);
  }

  /** Deletes one key of the only asset. */
  async delete(key: string): Promise<void> {
    await this.#only("delete").delete(key);
  }

  /** Deletes every key of the only asset. */
  async clear(options: { readonly allMapIndices?: boolean } = {}): Promise<void> {
    await this.#only("clear").clear(options);
  }

  #named(text: string): AssetStateStore | undefined {
    const found =
      this.#stores.find(([{ name }]) => name === text) ??
      this.#stores.find(([{ uri }]) => uri === text);
    return found?.[1];
  }

  #referred(asset: AssetRef): AssetStateStore | undefined {
    const { name, uri } = scopeOf(asset);
    return this.#stores.find(([known]) => known.name === name && known.uri === uri)?.[1];
  }

  #only(method: string): AssetStateStore {
    const [first, ...others] = this.#stores;
    if (first !== undefined && others.length === 0) return first[1];
    throw new RangeError(
      `Cannot ${method} the state of an asset without its name: the task declares ${this.#declared()} as inlets and outlets, use of("name")`,
    );
  }

  #declared(): string {
    const texts = this.#stores.map(([asset]) => describeScope(scopeOf(asset)));
    return texts.length === 0 ? "no asset" : texts.join(", ");
  }
}

function scopeOf(asset: AssetRef): AssetRef & { readonly kind: "asset" } {
  if (typeof asset !== "object" || asset === null) {
    throw new TypeError(`Cannot use ${String(asset)} as an asset: write its name or { name, uri }`);
  }
  return { ...asset, kind: "asset" };
}
