import type { DagRunRef, StoreScope } from "./scope.ts";
import type { Writer } from "./writer.ts";

/** One key and its value, as a backend stores them. */
export interface StateEntry {
  /** The key within the scope. */
  readonly key: string;
  /** JSON text, exactly as it was set. */
  readonly value: string;
  /** When the entry expires, in milliseconds since the epoch; null means never. */
  readonly expiresAt: number | null;
  /** When it was last written, by the writer's clock; null when the write did not say. */
  readonly updatedAt: number | null;
  /** Who wrote it last, among the writes that said so; null when none did. */
  readonly writer: Writer | null;
}

/** What is stored beside the value. */
export interface WriteOptions {
  /** When the entry expires, in milliseconds since the epoch; null means never. */
  readonly expiresAt: number | null;
  /** The writer's wall time, in milliseconds since the epoch. */
  readonly updatedAt?: number;
  /** Who writes. */
  readonly writer?: Writer;
}

/** A value in place of the one that {@linkcode StateBackend.compareAndSet} expects. */
export interface StateChange {
  /** The JSON text that has to be there, expired or not; null: no entry. */
  readonly expected: string | null;
  /** The JSON text that takes its place. */
  readonly value: string;
}

/** What {@linkcode StateBackend.clear} deletes. */
export interface ClearOptions {
  /** Deletes every map index of the task instead of one; only task instances have them. */
  readonly allMapIndices?: boolean;
}

/** Which part of a list to return. */
export interface ListPage {
  /** The largest number of items to return. */
  readonly limit: number;
  /** How many items to skip. */
  readonly offset: number;
  /** When given, entries that have expired by this time are neither listed nor counted. */
  readonly now?: number;
}

/** One page of the entries of a scope. */
export interface EntryPage {
  /** Ordered by key, by code point. */
  readonly entries: readonly StateEntry[];
  /** The number of entries on all pages. */
  readonly total: number;
}

/** One page of the scopes of a backend. */
export interface ScopePage {
  /** The scopes, each with the number of its entries, expired ones included. */
  readonly scopes: readonly { readonly scope: StoreScope; readonly entries: number }[];
  /** The number of scopes on all pages. */
  readonly total: number;
}

/** What a sweep deletes. */
export interface SweepRequest {
  /** Entries that expired before this time are deleted; in milliseconds since the epoch. */
  readonly now: number;
  /**
   * How many entries one transaction deletes; 0 means all of them. By default {@linkcode
   * SWEEP_BATCH_DEFAULT}.
   */
  readonly batchSize?: number;
  /** Reports what would be deleted and deletes nothing. */
  readonly dryRun?: boolean;
  /** Stops the sweep between two batches; earlier batches stay deleted. */
  readonly signal?: AbortSignal;
}

/** The result of a sweep. */
export interface SweepReport {
  /** How many entries were deleted or, in a dry run, would be. */
  readonly expired: number;
  /** How many batches deleted something. */
  readonly batches: number;
  /** In a dry run the first entries, at most {@linkcode DRY_RUN_ENTRIES_MAX}; otherwise none. */
  readonly entries: readonly ExpiredEntry[];
}

/** An entry that a sweep would delete. */
export interface ExpiredEntry {
  /** The scope of the entry. */
  readonly scope: StoreScope;
  /** The key within the scope. */
  readonly key: string;
  /** When it expired, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** How many entries one batch of a sweep deletes by default. */
export const SWEEP_BATCH_DEFAULT = 5_000;

/** The largest number of entries that a dry run lists. */
export const DRY_RUN_ENTRIES_MAX = 1_000;

/**
 * The port between the stores and a database.
 *
 * A backend stores JSON text with an expiry time. It has no clock, does not hide expired entries
 * unless a call gives `now`, and does not parse values.
 *
 * Holds, as every implementation's duty (`checkStateBackend` of `faultlane/check` tests it):
 * - **Read your writes**: after `set` resolves, every `get` from any client returns that write or a
 *   newer one.
 * - **The last write wins as a whole**: an entry never mixes the value, expiry or time of two
 *   writes, not even while one is under way. Which one is last does not depend on the times that
 *   the writers give.
 * - **Scopes are exact**: `clear` deletes one scope, or all map indices of one task; the index -1
 *   is one of them.
 * - **A sweep deletes what is expired when it is deleted**: strictly before `now`, checked in the
 *   same transaction, so that an entry written meanwhile survives. Entries that never expire are
 *   never deleted.
 *
 * The methods marked with `?` are optional: without them a store is slower, or, for `update`, not
 * atomic; without `compareAndSet` it has none.
 */
export interface StateBackend {
  /** Returns the entry under `key`, expired or not; undefined when there is none. */
  get(scope: StoreScope, key: string): Promise<StateEntry | undefined>;
  /** Writes or overwrites one entry. */
  set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void>;
  /** Deletes one entry; does nothing when it is absent. */
  delete(scope: StoreScope, key: string): Promise<void>;
  /** Deletes every entry of the scope, or of all map indices of its task. */
  clear(scope: StoreScope, options?: ClearOptions): Promise<void>;
  /** Returns one page of the entries of a scope, ordered by key. */
  list(scope: StoreScope, page: ListPage): Promise<EntryPage>;
  /** Deletes expired entries of all scopes. */
  sweepExpired(request: SweepRequest): Promise<SweepReport>;

  /**
   * Writes several entries, all or nothing; of equal keys the last one wins. Nobody reads some of
   * them and not the others: a backend that cannot do so leaves this method out.
   */
  setMany?(
    scope: StoreScope,
    entries: readonly (readonly [key: string, value: string])[],
    options: WriteOptions,
  ): Promise<void>;
  /** Returns those of `keys` that exist, ordered by key. */
  getMany?(scope: StoreScope, keys: readonly string[]): Promise<readonly StateEntry[]>;
  /** Replaces the value of an existing entry, keeps its expiry, and returns whether it existed. */
  update?(
    scope: StoreScope,
    key: string,
    value: string,
    options: Omit<WriteOptions, "expiresAt">,
  ): Promise<boolean>;
  /**
   * Writes `value` if the text under `key` is exactly `expected`, or if there is no entry where
   * `expected` is null, and returns whether it did. Of several that expect the same, one writes.
   */
  compareAndSet?(
    scope: StoreScope,
    key: string,
    change: StateChange,
    options: WriteOptions,
  ): Promise<boolean>;
  /** Deletes every entry of every task instance of one run. */
  clearRun?(run: DagRunRef): Promise<void>;
  /** Returns one page of the scopes that have entries, ordered by address. */
  listScopes?(page: Omit<ListPage, "now">): Promise<ScopePage>;
  /**
   * Returns how long the text that the database would hold for `value` is, in UTF-16 code units.
   * Without this method it is the length of `value`.
   */
  storedChars?(scope: StoreScope, key: string, value: string): number;
}
