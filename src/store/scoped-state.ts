import type { JsonValue } from "../json-value.ts";
import type {
  ClearOptions,
  StateBackend,
  StateChange,
  StateEntry,
  WriteOptions,
} from "./backend.ts";
import { isEqualJson } from "../json-value.ts";
import { callBackend, ForeignEntry, ownEntry } from "./backend-call.ts";
import { isExpired } from "./retention.ts";
import { describeScope, scopeAddressFrom, type StoreScope } from "./scope.ts";
import { checkedKey } from "./state-key.ts";
import {
  storedTextFrom,
  VALUE_CHARS_MAX,
  valueFromEntry,
  type ValueTarget,
} from "./stored-value.ts";

/** A text in place of a value that is expected. */
export interface Exchange {
  /** The value that has to be there; null: none. */
  readonly expected: JsonValue | null;
  /** The JSON text that takes its place. */
  readonly text: string;
  /** When given, an entry that has expired by this time counts as none. */
  readonly now?: number;
}

/**
 * The entries of one scope in a backend: what the stores of tasks and of assets have in common.
 *
 * Holds: keys and values are checked before the backend is called, and every failure of the backend
 * names the call, the key and the scope.
 */
export class ScopedState {
  readonly #target: ValueTarget;

  /**
   * @throws {TypeError} when the scope is invalid
   * @throws {RangeError} when its map index or the limit is not an integer in range
   */
  constructor(backend: StateBackend, scope: StoreScope, valueCharsMax: number = VALUE_CHARS_MAX) {
    scopeAddressFrom(scope);
    if (!Number.isSafeInteger(valueCharsMax) || valueCharsMax < 0) {
      throw new RangeError(
        `Cannot use ${String(valueCharsMax)} as valueCharsMax: write an integer of 0 or more, 0 for no limit`,
      );
    }
    // A frozen copy, so that the caller cannot change the scope later.
    this.#target = { backend, scope: Object.freeze({ ...scope }), valueCharsMax };
  }

  /** @throws {StoreUnavailable} also when the entry that the backend returns is another key's */
  entry(key: string): Promise<StateEntry | undefined> {
    const { backend, scope } = this.#target;
    checkedKey(key);
    return callBackend(this.#what("get", `"${key}"`), () => ownEntry(backend, scope, key));
  }

  /**
   * Returns those of `keys` that exist, in any order.
   *
   * @throws {StoreUnavailable} also when the backend returns an entry of another key
   */
  entries(keys: readonly string[]): Promise<readonly StateEntry[]> {
    for (const key of keys) checkedKey(key);
    return callBackend(this.#what("get", `${keys.length} keys`), async () => {
      const found = (await this.#entriesFrom(keys)).filter((entry) => entry !== undefined);
      const foreign = found.find((entry) => !keys.includes(entry.key));
      if (foreign !== undefined) throw new ForeignEntry(foreign.key);
      return found;
    });
  }

  async #entriesFrom(keys: readonly string[]): Promise<readonly (StateEntry | undefined)[]> {
    const { backend, scope } = this.#target;
    if (backend.getMany !== undefined) return backend.getMany(scope, keys);
    const found = [];
    for (const key of keys) found.push(await backend.get(scope, key));
    return found;
  }

  /** @throws {UnreadableValue} when the text of the entry cannot be read */
  valueFrom(entry: StateEntry): JsonValue {
    return valueFromEntry(this.#target.scope, entry);
  }

  /**
   * Returns the JSON text of `value`.
   *
   * @throws {TypeError} when `key` is no string or JSON cannot represent `value`
   * @throws {RangeError} when the key or the text is too long
   */
  textFrom(key: string, value: unknown): string {
    return storedTextFrom(this.#target, checkedKey(key), value);
  }

  set(key: string, text: string, write: WriteOptions): Promise<void> {
    const { backend, scope } = this.#target;
    return callBackend(this.#what("set", `"${key}"`), () => backend.set(scope, key, text, write));
  }

  /** @throws {TypeError} when the backend has no `compareAndSet` */
  compareAndSet(key: string, change: StateChange, write: WriteOptions): Promise<boolean> {
    const { backend, scope } = this.#target;
    if (backend.compareAndSet === undefined) {
      throw new TypeError(
        `Cannot ${this.#what("compare and set", `"${key}"`)()}: the backend has no compareAndSet`,
      );
    }
    const call = backend.compareAndSet.bind(backend);
    return callBackend(this.#what("compare and set", `"${key}"`), () =>
      call(scope, key, change, write),
    );
  }

  /**
   * Writes a text if the value that it expects is there, however it is written, and returns whether
   * it did. Of several that expect the same, one writes.
   *
   * @throws {TypeError} when the backend has no `compareAndSet`
   */
  async exchange(
    key: string,
    { expected, text, now }: Exchange,
    write: WriteOptions,
  ): Promise<boolean> {
    const entry = await this.entry(key);
    const isThere = entry !== undefined && (now === undefined || !isExpired(entry.expiresAt, now));
    if (!isEqualJson(isThere ? this.valueFrom(entry) : null, expected)) return false;
    return this.compareAndSet(key, { expected: entry?.value ?? null, value: text }, write);
  }

  setMany(
    texts: readonly (readonly [key: string, text: string])[],
    write: WriteOptions,
  ): Promise<void> {
    const { backend, scope } = this.#target;
    return callBackend(this.#what("set", `${texts.length} keys`), async () => {
      if (backend.setMany !== undefined) return backend.setMany(scope, texts, write);
      for (const [key, text] of texts) await backend.set(scope, key, text, write);
    });
  }

  delete(key: string): Promise<void> {
    const { backend, scope } = this.#target;
    checkedKey(key);
    return callBackend(this.#what("delete", `"${key}"`), () => backend.delete(scope, key));
  }

  clear(options?: ClearOptions): Promise<void> {
    const { backend, scope } = this.#target;
    return callBackend(
      () => `clear the state of ${describeScope(scope)}`,
      () => backend.clear(scope, options),
    );
  }

  #what(verb: string, object: string): () => string {
    return () => `${verb} ${object} of ${describeScope(this.#target.scope)}`;
  }
}
