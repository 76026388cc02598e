import {
  type ClearOptions,
  DRY_RUN_ENTRIES_MAX,
  type EntryPage,
  type ExpiredEntry,
  type ListPage,
  type ScopePage,
  type StateBackend,
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
 * State in memory: the reference that the databases are compared with, and the simulator's store.
 *
 * Holds: each call takes effect at once and whole; what the promise adds is only the hop.
 */
export class MemoryStateBackend implements StateBackend {
  readonly #groups = new Map<string, Map<number, Entries>>();

  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    return this.#entries(scope)?.get(checkedKey(key));
  }

  async set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    this.#write(scope, key, value, options);
  }

  async setMany(
    scope: StoreScope,
    entries: readonly (readonly [key: string, value: string])[],
    options: WriteOptions,
  ): Promise<void> {
    for (const [key] of entries) checkedKey(key);
    for (const [key, value] of entries) this.#write(scope, key, value, options);
  }

  async getMany(scope: StoreScope, keys: readonly string[]): Promise<readonly StateEntry[]> {
    const entries = this.#entries(scope);
    const found = [...new Set(keys)].map((key) => entries?.get(checkedKey(key)));
    return found
      .filter((entry) => entry !== undefined)
      .sort((left, right) => compareKeys(left.key, right.key));
  }

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

  async delete(scope: StoreScope, key: string): Promise<void> {
    const { group, mapIndex } = scopeAddressFrom(scope);
    const entries = this.#groups.get(group)?.get(mapIndex);
    entries?.delete(checkedKey(key));
    if (entries?.size === 0) this.#drop(group, mapIndex);
  }

  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    const { group, mapIndex } = scopeAddressFrom(scope);
    if (options.allMapIndices === true) this.#groups.delete(group);
    else this.#drop(group, mapIndex);
  }

  async clearRun(run: DagRunRef): Promise<void> {
    const prefix = runGroupPrefix(run);
    for (const group of this.#groups.keys()) {
      if (group.startsWith(prefix)) this.#groups.delete(group);
    }
  }

  async list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    const { limit, offset, now } = checkedPage(page);
    const visible = [...(this.#entries(scope)?.values() ?? [])]
      .filter((entry) => now === undefined || !isExpired(entry.expiresAt, now))
      .sort((left, right) => compareKeys(left.key, right.key));
    return { entries: visible.slice(offset, offset + limit), total: visible.length };
  }

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

  async sweepExpired(request: SweepRequest): Promise<SweepReport> {
    const plan = sweepPlanFrom(request);
    if (plan.dryRun) return this.#dryRun(plan.now);
    const expired = this.#expired(plan.now);
    return sweepInBatches(plan, async () => {
      // Reading and deleting one entry is one act, so what was refreshed between two batches is not
      // taken.
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
