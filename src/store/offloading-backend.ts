import type {
  ClearOptions,
  EntryPage,
  ListPage,
  ScopePage,
  StateBackend,
  StateEntry,
  SweepReport,
  SweepRequest,
  WriteOptions,
} from "./backend.ts";
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

/**
 * Where large values lie: an object store, a directory. Names are made of letters, digits and
 * `-_.~/`.
 */
export interface PayloadStore {
  /** Writes or overwrites; fulfilled when it is durable. */
  put(name: string, text: string): Promise<void>;
  get(name: string): Promise<string | undefined>;
  /** Nothing happens when there is none of this name. */
  delete(name: string): Promise<void>;
  /** Deletes every payload whose name begins with `prefix`. */
  deletePrefix(prefix: string): Promise<void>;
}

/** From how many characters on a value lies outside unless told otherwise. */
const OFFLOAD_CHARS_DEFAULT = 16_384;

/**
 * A worker-side backend: keeps large values outside of the database, which holds a reference.
 *
 * The order of things is what makes it safe to crash:
 * 1. A write puts the payload first, into the slot that the database does not point to, then the
 *    reference. A crash in between leaves an orphan in that slot and the old value in force; the
 *    next write takes the same slot.
 * 2. A delete or a clear removes references first, then payloads. A crash in between leaves orphans
 *    under names that follow from scope and key alone: later writes use them again, the next delete
 *    or clear removes them.
 * 3. So a reference in the database always has its payload, and no reader sees a half of a write.
 *
 * A write never deletes a payload: a key has two at most. A sweep deletes references only; a life
 * cycle rule of the payload store that is longer than the longest retention takes what it leaves.
 * Slots make a key safe for one writer at a time, as task state has it.
 */
export class OffloadingStateBackend implements StateBackend {
  readonly #inner: StateBackend;
  readonly #payloads: PayloadStore;
  readonly #inlineCharsMax: number;

  constructor(
    inner: StateBackend,
    payloads: PayloadStore,
    options: { readonly inlineCharsMax?: number } = {},
  ) {
    this.#inner = inner;
    this.#payloads = payloads;
    this.#inlineCharsMax = options.inlineCharsMax ?? OFFLOAD_CHARS_DEFAULT;
  }

  storedChars(scope: StoreScope, key: string, value: string): number {
    if (value.length <= this.#inlineCharsMax) return value.length;
    return payloadRefText(scope, key, 0).length;
  }

  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    const entry = await this.#inner.get(scope, key);
    return entry === undefined ? undefined : this.#resolved(scope, entry);
  }

  async set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    const text = await this.#outside(scope, key, value);
    await this.#inner.set(scope, key, text, options);
  }

  async update(
    scope: StoreScope,
    key: string,
    value: string,
    options: Omit<WriteOptions, "expiresAt">,
  ): Promise<boolean> {
    const entry = await this.#inner.get(scope, key);
    if (entry === undefined) return false;
    const text = await this.#outside(scope, key, value);
    if (this.#inner.update !== undefined) return this.#inner.update(scope, key, text, options);
    await this.#inner.set(scope, key, text, { ...options, expiresAt: entry.expiresAt });
    return true;
  }

  async delete(scope: StoreScope, key: string): Promise<void> {
    await this.#inner.delete(scope, key);
    await this.#payloads.delete(payloadName(scope, key, 0));
    await this.#payloads.delete(payloadName(scope, key, 1));
  }

  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    await this.#inner.clear(scope, options);
    const all = options.allMapIndices === true && scope.kind === "task-instance";
    await this.#payloads.deletePrefix(all ? groupPrefix(scope) : indexPrefix(scope));
  }

  async clearRun(run: DagRunRef): Promise<void> {
    if (this.#inner.clearRun === undefined) {
      throw new TypeError("Cannot clear a run: the backend inside has no clearRun");
    }
    await this.#inner.clearRun(run);
    await this.#payloads.deletePrefix(encodePart(runGroupPrefix(run)));
  }

  async list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    const { entries, total } = await this.#inner.list(scope, page);
    const resolved: StateEntry[] = [];
    for (const entry of entries) resolved.push(await this.#resolved(scope, entry));
    return { entries: resolved, total };
  }

  async listScopes(page: Omit<ListPage, "now">): Promise<ScopePage> {
    if (this.#inner.listScopes === undefined) {
      throw new TypeError("Cannot list scopes: the backend inside has no listScopes");
    }
    return this.#inner.listScopes(page);
  }

  sweepExpired(request: SweepRequest): Promise<SweepReport> {
    return this.#inner.sweepExpired(request);
  }

  /** What goes into the database for `value`, after what does not has been put outside. */
  async #outside(scope: StoreScope, key: string, value: string): Promise<string> {
    const text = valueTextFrom(value);
    if (text.length <= this.#inlineCharsMax) return text;
    const before = await this.#inner.get(scope, key);
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
        `Cannot read "${entry.key}" of ${describeScope(scope)}: its payload "${ref.name}" is gone`,
      );
    }
    return { ...entry, value };
  }
}

function freeSlot(entry: StateEntry | undefined): PayloadSlot {
  const ref = entry === undefined ? undefined : payloadRefFromText(entry.value);
  return ref?.slot === 0 ? 1 : 0;
}

/** A payload store in memory: for tests and for simulated workers. */
export class MemoryPayloadStore implements PayloadStore {
  readonly #texts = new Map<string, string>();

  async put(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
  }

  async get(name: string): Promise<string | undefined> {
    return this.#texts.get(name);
  }

  async delete(name: string): Promise<void> {
    this.#texts.delete(name);
  }

  async deletePrefix(prefix: string): Promise<void> {
    for (const name of this.#texts.keys()) {
      if (name.startsWith(prefix)) this.#texts.delete(name);
    }
  }

  /** The names of everything in it, in order. */
  names(): readonly string[] {
    return [...this.#texts.keys()].sort();
  }
}
