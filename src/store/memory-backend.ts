import {
  type ClearOptions,
  DRY_RUN_ENTRIES_MAX,
  type EntryPage,
  type ExpiredEntry,
  type ListPage,
  type ScopePage,
  type StateBackend,
  type StateChange,
  type StateEntry,
  type SweepReport,
  type SweepRequest,
  type WriteOptions,
} from "./backend.ts";
import { checkedPage } from "./list-page.ts";
import { isExpired } from "./retention.ts";
import {
  type DagRunRef,
  runGroupPrefix,
  scopeAddressFrom,
  scopeFromAddress,
  type StoreScope,
} from "./scope.ts";
import { checkedKey, compareKeys } from "./state-key.ts";
import { sweepInBatches, sweepPlanFrom } from "./sweep.ts";

type Entries = Map<string, StateEntry>;

/**
 * A {@linkcode StateBackend} in memory, for tests and simulations; the reference that the SQL
 * backends are compared with.
 *
 * Holds: each call takes effect atomically and before its promise is returned.
 *
 * @example
 * ```ts
 * import { MemoryStateBackend } from "faultlane";
 *
 * const backend = new MemoryStateBackend();
 * const asset = { kind: "asset", name: "orders" } as const;
 * await backend.set(asset, "watermark", "17", { expiresAt: null });
 * console.log((await backend.get(asset, "watermark"))?.value); // => 17
 * ```
 */
export class MemoryStateBackend implements StateBackend {
  readonly #groups = new Map<string, Map<number, Entries>>();

  /** Returns the entry under `key`, expired or not; undefined when there is none. */
  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    return this.#entries(scope)?.get(checkedKey(key));
  }

  /** Writes or overwrites one entry. */
  async set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    this.#write(scope, key, value, options);
  }

  /** Writes several entries; of equal keys the last one wins. */
  async setMany(
    scope: StoreScope,
    entries: readonly (readonly [key: string, value: string])[],
    options: WriteOptions,
  ): Promise<void> {
    for (const [key] of entries) checkedKey(key);
    for (const [key, value] of entries) this.#write(scope, key, value, options);
  }

  /** Returns those of `keys` that exist, ordered by key. */
  async getMany(scope: StoreScope, keys: readonly string[]): Promise<readonly StateEntry[]> {
    const entries = this.#entries(scope);
    const found = [...new Set(keys)].map((key) => entries?.get(checkedKey(key)));
    return found
      .filter((entry) => entry !== undefined)
      .sort((left, right) => compareKeys(left.key, right.key));
  }

  /** Replaces the value of an existing entry and returns whether there was one. */
  async update(
    scope: StoreScope,
    key: string,
    value: string,
    options: Omit<WriteOptions, "expiresAt">,
  ): Promise<boolean> {
    const before = this.#entries(scope)?.get(checkedKey(key));
    if (before === undefined) return false;
    this.#write(scope, key, value, { ...options, expiresAt: before.expiresAt });
    return true;
  }

  /** Writes if the text under `key` is `expected`, and returns whether it did. */
  async compareAndSet(
    scope: StoreScope,
    key: string,
    { expected, value }: StateChange,
    options: WriteOptions,
  ): Promise<boolean> {
    const before = this.#entries(scope)?.get(checkedKey(key));
    if ((before?.value ?? null) !== expected) return false;
    this.#write(scope, key, value, options);
    return true;
  }

  /** Deletes one entry; does nothing when it is absent. */
  async delete(scope: StoreScope, key: string): Promise<void> {
    const { group, mapIndex } = scopeAddressFrom(scope);
    const entries = this.#groups.get(group)?.get(mapIndex);
    entries?.delete(checkedKey(key));
    if (entries?.size === 0) this.#drop(group, mapIndex);
  }

  /** Deletes every entry of the scope, or of all map indices of its task. */
  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    const { group, mapIndex } = scopeAddressFrom(scope);
    if (options.allMapIndices === true) this.#groups.delete(group);
    else this.#drop(group, mapIndex);
  }

  /** Deletes every entry of every task instance of one run. */
  async clearRun(run: DagRunRef): Promise<void> {
    const prefix = runGroupPrefix(run);
    for (const group of this.#groups.keys()) {
      if (group.startsWith(prefix)) this.#groups.delete(group);
    }
  }

  /** Returns one page of the entries of a scope, ordered by key. */
  async list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    const { limit, offset, now } = checkedPage(page);
    const visible = [...(this.#entries(scope)?.values() ?? [])]
      .filter((entry) => now === undefined || !isExpired(entry.expiresAt, now))
      .sort((left, right) => compareKeys(left.key, right.key));
    return { entries: visible.slice(offset, offset + limit), total: visible.length };
  }

  /** Returns one page of the scopes that have entries. */
  async listScopes(page: Omit<ListPage, "now">): Promise<ScopePage> {
    const { limit, offset } = checkedPage(page);
    const addresses = [...this.#groups]
      .flatMap(([group, indices]) =>
        [...indices].map(([mapIndex, entries]) => ({ group, mapIndex, entries: entries.size })),
      )
      .sort(
        (left, right) => compareKeys(left.group, right.group) || left.mapIndex - right.mapIndex,
      );
    const scopes = addresses
      .slice(offset, offset + limit)
      .map(({ entries, ...address }) => ({ scope: scopeFromAddress(address), entries }));
    return { scopes, total: addresses.length };
  }

  /** Deletes expired entries, a batch at a time. */
  async sweepExpired(request: SweepRequest): Promise<SweepReport> {
    const plan = sweepPlanFrom(request);
    if (plan.dryRun) return this.#dryRun(plan.now);
    const expired = this.#expired(plan.now);
    return sweepInBatches(plan, async () => {
      // The generator reads each entry just before it is deleted, so an entry that was written
      // between two batches survives.
      let deleted = 0;
      while (deleted < plan.batchSize) {
        const next = expired.next();
        if (next.done === true) break;
        const { group, mapIndex, entries, entry } = next.value;
        entries.delete(entry.key);
        if (entries.size === 0) this.#drop(group, mapIndex);
        deleted += 1;
      }
      return deleted;
    });
  }

  #dryRun(now: number): SweepReport {
    const found: ExpiredEntry[] = [];
    let expired = 0;
    for (const { group, mapIndex, entry } of this.#expired(now)) {
      expired += 1;
      const { key, expiresAt } = entry;
      if (found.length === DRY_RUN_ENTRIES_MAX || expiresAt === null) continue;
      found.push({ scope: scopeFromAddress({ group, mapIndex }), key, expiresAt });
    }
    return { expired, batches: 0, entries: found };
  }

  *#expired(
    now: number,
  ): Generator<{ group: string; mapIndex: number; entries: Entries; entry: StateEntry }> {
    for (const [group, indices] of this.#groups) {
      for (const [mapIndex, entries] of indices) {
        for (const entry of entries.values()) {
          if (entry.expiresAt === null || entry.expiresAt >= now) continue;
          yield { group, mapIndex, entries, entry };
        }
      }
    }
  }

  #entries(scope: StoreScope): Entries | undefined {
    const { group, mapIndex } = scopeAddressFrom(scope);
    return this.#groups.get(group)?.get(mapIndex);
  }

  #write(scope: StoreScope, key: string, value: string, options: WriteOptions): void {
    const { group, mapIndex } = scopeAddressFrom(scope);
    checkedKey(key);
    const indices = this.#groups.get(group) ?? new Map<number, Entries>();
    const entries: Entries = indices.get(mapIndex) ?? new Map<string, StateEntry>();
    this.#groups.set(group, indices);
    indices.set(mapIndex, entries);
    const { expiresAt, updatedAt = null, writer = entries.get(key)?.writer ?? null } = options;
    entries.set(key, Object.freeze({ key, value, expiresAt, updatedAt, writer }));
  }

  #drop(group: string, mapIndex: number): void {
    const indices = this.#groups.get(group);
    indices?.delete(mapIndex);
    if (indices?.size === 0) this.#groups.delete(group);
  }
}
