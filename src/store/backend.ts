import type { DagRunRef, StoreScope } from "./scope.ts";
import type { Writer } from "./writer.ts";

/** One key as it lies in a backend. */
export interface StateEntry {
  readonly key: string;
  /** JSON text, verbatim as it was set. */
  readonly value: string;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAt: number | null;
  /** The writer's clock at the write; null when the write did not say. */
  readonly updatedAt: number | null;
  /** Null until a write says who it is; a later write that does not say leaves it. */
  readonly writer: Writer | null;
}

export interface WriteOptions {
  readonly expiresAt: number | null;
  readonly updatedAt?: number;
  readonly writer?: Writer;
}

export interface ClearOptions {
  /** Takes every map index of the task instead of one. Means something for task instances only. */
  readonly allMapIndices?: boolean;
}

export interface ListPage {
  readonly limit: number;
  readonly offset: number;
  /** When given, entries that are expired at this time are neither listed nor counted. */
  readonly now?: number;
}

export interface EntryPage {
  /** Ordered by key, by code point. */
  readonly entries: readonly StateEntry[];
  /** How many there are over all pages. */
  readonly total: number;
}

export interface ScopePage {
  readonly scopes: readonly { readonly scope: StoreScope; readonly entries: number }[];
  readonly total: number;
}

export interface SweepRequest {
  /** Milliseconds since the epoch, sampled once by the caller. */
  readonly now: number;
  /** Rows in one delete, each committed by itself; 0: all in one. */
  readonly batchSize?: number;
  readonly dryRun?: boolean;
  /** Stops between two batches; what was deleted stays deleted, a later sweep goes on. */
  readonly signal?: AbortSignal;
}

export interface SweepReport {
  /** How many entries were deleted; in a dry run, how many would be. */
  readonly expired: number;
  readonly batches: number;
  /** Only in a dry run: the first of them, at most {@linkcode DRY_RUN_ENTRIES_MAX}. */
  readonly entries: readonly ExpiredEntry[];
}

export interface ExpiredEntry {
  readonly scope: StoreScope;
  readonly key: string;
  readonly expiresAt: number;
}

/** Rows that one delete of a sweep takes unless told otherwise. */
export const SWEEP_BATCH_DEFAULT = 5_000;

/** How many entries a dry run names. */
export const DRY_RUN_ENTRIES_MAX = 1_000;

/**
 * Where state is kept: the one port under every store.
 *
 * A backend deals in JSON text and in times that it is given; it has no clock, filters nothing by
 * expiry unless a call says `now`, and validates no values. The scope is part of every key.
 *
 * Holds, for everyone who implements it (`checkStateBackend` and the contract of the tests say the
 * same):
 * - **Read your writes**: after `set` is fulfilled every `get`, from any client, sees it or
 *   something newer.
 * - **Last writer wins**, whole: value, expiry and time of one write, never a mixture of two.
 * - **Exactly its scope**: `clear` takes one scope, or all map indices of one task; -1 is an index
 *   like 2.
 * - **A sweep takes what is expired at the delete**: strictly before `now`, checked by the delete
 *   itself, so that a key refreshed meanwhile survives. Entries that never expire are never taken.
 *
 * The methods with a question mark are extras: a backend without them serves every store, only
 * slower or, for `update`, in two steps.
 */
export interface StateBackend {
  get(scope: StoreScope, key: string): Promise<StateEntry | undefined>;
  set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void>;
  delete(scope: StoreScope, key: string): Promise<void>;
  clear(scope: StoreScope, options?: ClearOptions): Promise<void>;
  list(scope: StoreScope, page: ListPage): Promise<EntryPage>;
  sweepExpired(request: SweepRequest): Promise<SweepReport>;

  /** Several keys at once, all or nothing; of equal keys the last one wins. */
  setMany?(
    scope: StoreScope,
    entries: readonly (readonly [key: string, value: string])[],
    options: WriteOptions,
  ): Promise<void>;
  /**
   * Several keys at once; those that are not there are not in the answer, whose order is by key.
   */
  getMany?(scope: StoreScope, keys: readonly string[]): Promise<readonly StateEntry[]>;
  /**
   * A new value for a key that is there, with the expiry that it has; false when it is not there.
   */
  update?(
    scope: StoreScope,
    key: string,
    value: string,
    options: Omit<WriteOptions, "expiresAt">,
  ): Promise<boolean>;
  /** Everything of every task instance of one run: for a run that is deleted. */
  clearRun?(run: DagRunRef): Promise<void>;
  /** The scopes that hold something, ordered by their addresses. */
  listScopes?(page: Omit<ListPage, "now">): Promise<ScopePage>;
  /**
   * How many characters of `value` the database itself would hold; all of them unless this says
   * otherwise.
   */
  storedChars?(scope: StoreScope, key: string, value: string): number;
}
