import type {
  ClearOptions,
  EntryPage,
  ListPage,
  ScopePage,
  StateBackend,
  StateChange,
  StateEntry,
  SweepReport,
  SweepRequest,
  WriteOptions,
} from "./backend.ts";
import { checkedOptions } from "../checked-options.ts";
import { ownEntry } from "./backend-call.ts";
import { UnreadableValue } from "./errors.ts";
import {
  encodePart,
  groupPrefix,
  indexPrefix,
  payloadName,
  payloadRefFromText,
  payloadRefText,
  type PayloadSlot,
  valueTextFrom,
} from "./payload-ref.ts";
import { type DagRunRef, describeScope, runGroupPrefix, type StoreScope } from "./scope.ts";

/** The port to where large values are stored, such as an object store or a directory. */
export interface PayloadStore {
  /**
   * Writes or overwrites a payload; resolves once it is durable. `name` has ASCII letters, digits
   * and `-_.~/`.
   */
  put(name: string, text: string): Promise<void>;
  /** Returns a payload; undefined when there is none. */
  get(name: string): Promise<string | undefined>;
  /** Deletes a payload; does nothing when there is none. */
  delete(name: string): Promise<void>;
  /** Deletes every payload whose name begins with `prefix`. */
  deletePrefix(prefix: string): Promise<void>;
}

/** The longest text that stays in the database by default, in UTF-16 code units. */
const OFFLOAD_CHARS_DEFAULT = 16_384;

/**
 * A {@linkcode StateBackend} that stores large values in a {@linkcode PayloadStore} and a reference
 * in the database.
 *
 * A crash at any point is safe because of the order of writes:
 * 1. A write stores the payload first, in the slot that the database does not refer to, and then
 *    the reference. After a crash in between the old value is still valid, and the next write
 *    reuses the slot.
 * 2. A delete or a clear removes references first and payloads second. After a crash in between the
 *    payloads are orphans; their names depend on scope and key alone, so the next write overwrites
 *    them, and the next delete or clear removes them.
 * 3. Hence every reference has its payload, and no reader sees half of a write.
 *
 * A value that `compareAndSet` writes stays in the database, however long it is: two writers that
 * compare would otherwise write their payloads into the same slot before it is known whose counts.
 *
 * A key has at most two payloads. A sweep deletes references only: give the payload store a life
 * cycle rule longer than the longest retention. A key must have one writer at a time, as task state
 * does, or writers that compare. To clear all map indices is to write the keys of each: what one
 * of them sets meanwhile may lose its payload, and a `get` then throws `UnreadableValue`.
 *
 * @example
 * ```ts
 * import { MemoryPayloadStore, MemoryStateBackend, OffloadingStateBackend } from "faultlane";
 *
 * const payloads = new MemoryPayloadStore();
 * const backend = new OffloadingStateBackend(new MemoryStateBackend(), payloads, {
 *   inlineCharsMax: 100,
 * });
 * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
 * await backend.set(scope, "rows", JSON.stringify("x".repeat(1_000)), { expiresAt: null });
 * console.log((await backend.get(scope, "rows"))?.value.length); // => 1002
 * console.log(payloads.names().length); // => 1
 * ```
 */
export class OffloadingStateBackend implements StateBackend {
  readonly #inner: StateBackend;
  readonly #payloads: PayloadStore;
  readonly #inlineCharsMax: number;

  /**
   * Wraps `inner`. Values with a JSON text of up to `inlineCharsMax` UTF-16 code units, 16,384 by
   * default, stay in it.
   */
  constructor(
    inner: StateBackend,
    payloads: PayloadStore,
    options: { readonly inlineCharsMax?: number } = {},
  ) {
    checkedOptions(options, ["inlineCharsMax"], "OffloadingStateBackend");
    this.#inner = inner;
    this.#payloads = payloads;
    this.#inlineCharsMax = options.inlineCharsMax ?? OFFLOAD_CHARS_DEFAULT;
  }

  /** Returns the length of the text that the inner backend would hold for `value`. */
  storedChars(scope: StoreScope, key: string, value: string): number {
    if (value.length <= this.#inlineCharsMax) return value.length;
    return payloadRefText(scope, key, 0).length;
  }

  /** Returns the entry under `key` with its payload; undefined when there is none. */
  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    const entry = await ownEntry(this.#inner, scope, key);
    return entry === undefined ? undefined : this.#resolved(scope, entry);
  }

  /** Writes or overwrites one entry. */
  async set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    const text = await this.#offload(scope, key, value);
    await this.#inner.set(scope, key, text, options);
  }

  /** Replaces the value of an existing entry and returns whether there was one. */
  async update(
    scope: StoreScope,
    key: string,
    value: string,
    options: Omit<WriteOptions, "expiresAt">,
  ): Promise<boolean> {
    const entry = await ownEntry(this.#inner, scope, key);
    if (entry === undefined) return false;
    const text = await this.#offload(scope, key, value);
    if (this.#inner.update !== undefined) return this.#inner.update(scope, key, text, options);
    await this.#inner.set(scope, key, text, { ...options, expiresAt: entry.expiresAt });
    return true;
  }

  /**
   * Writes if the text under `key` is `expected`, and returns whether it did.
   *
   * @throws {TypeError} when the inner backend has no `compareAndSet`
   * @throws {RangeError} when the value that is there is a payload, written by `set`
   */
  async compareAndSet(
    scope: StoreScope,
    key: string,
    { expected, value }: StateChange,
    options: WriteOptions,
  ): Promise<boolean> {
    const inner = this.#inner;
    if (inner.compareAndSet === undefined) {
      throw new TypeError("Cannot compare and set: the inner backend has no compareAndSet");
    }
    if (expected !== null) {
      const entry = await ownEntry(inner, scope, key);
      // A reference names one of two slots, so that it may be there again with another payload.
      if (entry !== undefined && payloadRefFromText(entry.value) !== undefined) {
        throw new RangeError(
          `Cannot compare "${key}" of ${describeScope(scope)}: set has stored its value as a payload; write it with compareAndSet, or no longer than ${this.#inlineCharsMax} characters`,
        );
      }
    }
    const texts = {
      expected: expected === null ? null : valueTextFrom(expected),
      value: valueTextFrom(value),
    };
    return inner.compareAndSet(scope, key, texts, options);
  }

  /** Deletes one entry and its payloads; does nothing when it is absent. */
  async delete(scope: StoreScope, key: string): Promise<void> {
    await this.#inner.delete(scope, key);
    await this.#payloads.delete(payloadName(scope, key, 0));
    await this.#payloads.delete(payloadName(scope, key, 1));
  }

  /** Deletes every entry of the scope, or of all map indices of its task. */
  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    await this.#inner.clear(scope, options);
    const all = options.allMapIndices === true && scope.kind === "task-instance";
    await this.#payloads.deletePrefix(all ? groupPrefix(scope) : indexPrefix(scope));
  }

  /**
   * Deletes every entry of every task instance of one run.
   *
   * @throws {TypeError} when the inner backend has no `clearRun`
   */
  async clearRun(run: DagRunRef): Promise<void> {
    if (this.#inner.clearRun === undefined) {
      throw new TypeError("Cannot clear a run: the inner backend has no clearRun");
    }
    await this.#inner.clearRun(run);
    await this.#payloads.deletePrefix(encodePart(runGroupPrefix(run)));
  }

  /** Returns one page of the entries of a scope with their payloads, ordered by key. */
  async list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    const { entries, total } = await this.#inner.list(scope, page);
    const resolved: StateEntry[] = [];
    for (const entry of entries) resolved.push(await this.#resolved(scope, entry));
    return { entries: resolved, total };
  }

  /**
   * Returns one page of the scopes that have entries.
   *
   * @throws {TypeError} when the inner backend has no `listScopes`
   */
  async listScopes(page: Omit<ListPage, "now">): Promise<ScopePage> {
    if (this.#inner.listScopes === undefined) {
      throw new TypeError("Cannot list scopes: the inner backend has no listScopes");
    }
    return this.#inner.listScopes(page);
  }

  /** Deletes expired entries; their payloads stay. */
  sweepExpired(request: SweepRequest): Promise<SweepReport> {
    return this.#inner.sweepExpired(request);
  }

  /** Stores `value` as a payload if it is large, and returns the text for the database. */
  async #offload(scope: StoreScope, key: string, value: string): Promise<string> {
    const text = valueTextFrom(value);
    if (text.length <= this.#inlineCharsMax) return text;
    const before = await ownEntry(this.#inner, scope, key);
    const slot = freeSlot(before);
    await this.#payloads.put(payloadName(scope, key, slot), text);
    return payloadRefText(scope, key, slot);
  }

  async #resolved(scope: StoreScope, entry: StateEntry): Promise<StateEntry> {
    const ref = payloadRefFromText(entry.value);
    if (ref === undefined) return entry;
    const value = await this.#payloads.get(ref.name);
    if (value === undefined) {
      throw new UnreadableValue(
        entry.key,
        `Cannot read "${entry.key}" of ${describeScope(scope)}: its payload "${ref.name}" is missing`,
      );
    }
    return { ...entry, value };
  }
}

function freeSlot(entry: StateEntry | undefined): PayloadSlot {
  const ref = entry === undefined ? undefined : payloadRefFromText(entry.value);
  return ref?.slot === 0 ? 1 : 0;
}

/**
 * A {@linkcode PayloadStore} in memory, for tests and simulations.
 *
 * @example
 * ```ts
 * import { MemoryPayloadStore } from "faultlane";
 *
 * const payloads = new MemoryPayloadStore();
 * await payloads.put("etl/load/0", "[1,2,3]");
 * console.log(await payloads.get("etl/load/0")); // => [1,2,3]
 * ```
 */
export class MemoryPayloadStore implements PayloadStore {
  readonly #texts = new Map<string, string>();

  /** Writes or overwrites a payload. */
  async put(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
  }

  /** Returns a payload; undefined when there is none. */
  async get(name: string): Promise<string | undefined> {
    return this.#texts.get(name);
  }

  /** Deletes a payload; does nothing when there is none. */
  async delete(name: string): Promise<void> {
    this.#texts.delete(name);
  }

  /** Deletes every payload whose name begins with `prefix`. */
  async deletePrefix(prefix: string): Promise<void> {
    for (const name of this.#texts.keys()) {
      if (name.startsWith(prefix)) this.#texts.delete(name);
    }
  }

  /** Returns the names of all payloads, sorted. */
  names(): readonly string[] {
    return [...this.#texts.keys()].sort();
  }
}
