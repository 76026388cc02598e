import { scopeAddressFrom, type StateEntry, type StoreScope } from "../../../src/store/mod.ts";

/** What the plain twin of a store remembers of an entry. */
export interface ModelEntry {
  readonly scope: StoreScope;
  readonly key: string;
  readonly value: string;
  readonly expiresAt: number | null;
}

/**
 * The simplest thing that a store could be: one flat map, and a clock that a command moves.
 *
 * It is written without looking at any backend, so that it does not share their mistakes.
 */
export class StateModel {
  readonly #entries = new Map<string, ModelEntry>();
  now = 1_000;

  get(scope: StoreScope, key: string): ModelEntry | undefined {
    return this.#entries.get(idOf(scope, key));
  }

  set(entry: ModelEntry): void {
    this.#entries.set(idOf(entry.scope, entry.key), entry);
  }

  delete(scope: StoreScope, key: string): void {
    this.#entries.delete(idOf(scope, key));
  }

  /** Removes the entries for which `isGone` returns true, and returns how many there were. */
  remove(isGone: (entry: ModelEntry) => boolean): number {
    let removed = 0;
    for (const [id, entry] of this.#entries) {
      if (!isGone(entry)) continue;
      this.#entries.delete(id);
      removed += 1;
    }
    return removed;
  }

  /** Every entry of a scope that is visible at `now`, ordered by key. */
  list(scope: StoreScope, now: number): ModelEntry[] {
    const place = placeOf(scope);
    return [...this.#entries.values()]
      .filter((entry) => placeOf(entry.scope) === place)
      .filter((entry) => entry.expiresAt === null || entry.expiresAt > now)
      .sort((left, right) => (left.key < right.key ? -1 : 1));
  }
}

export function placeOf(scope: StoreScope): string {
  const { group, mapIndex } = scopeAddressFrom(scope);
  return JSON.stringify([group, mapIndex]);
}

/** The same for every map index of one task. */
export function groupOf(scope: StoreScope): string {
  return scopeAddressFrom(scope).group;
}

function idOf(scope: StoreScope, key: string): string {
  return JSON.stringify([placeOf(scope), key]);
}

/** What of an entry the model knows about. */
export function projected(entry: StateEntry | ModelEntry | undefined): object | undefined {
  if (entry === undefined) return undefined;
  return { key: entry.key, value: entry.value, expiresAt: entry.expiresAt };
}
