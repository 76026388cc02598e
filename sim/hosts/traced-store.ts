import {
  type ClearOptions,
  type EntryPage,
  type ListPage,
  scopeAddressFrom,
  type ScopePage,
  type StateBackend,
  type StateChange,
  type StateEntry,
  type StoreScope,
  type SweepReport,
  type SweepRequest,
  UnreadableValue,
  type WriteOptions,
} from "../../src/store/mod.ts";
import type { TraceBody } from "../trace/trace.ts";
import type { World } from "../kernel/world.ts";

/** Why a scope was cleared: by the task itself, after its success, by a user, as no DAG declares it. */
export type ClearReason = "task" | "success" | "user" | "orphaned";

/**
 * The state store in the metadata database: any backend, with each operation recorded.
 *
 * Holds: each operation is one transaction at one instant, if the backend does only promise work;
 * what a clear or a sweep removed is read back from the backend, not assumed.
 */
export class TracedStore {
  readonly #world: World;
  readonly #host: string;
  readonly #backend: StateBackend;
  readonly #stores: Stores;
  readonly #replica: Replica;

  /**
   * `readable` has the values that readers see, where `backend` holds references to some of them;
   * undefined: `backend` has them all. `replica` returns where attempts read instead, if they do.
   */
  constructor(
    world: World,
    host: string,
    { replica = noReplica, ...stores }: Stores & { readonly replica?: Replica },
  ) {
    this.#world = world;
    this.#host = host;
    this.#backend = stores.backend;
    this.#stores = stores;
    this.#replica = replica;
  }

  /** Whether the backend can replace a value alone. */
  get canUpdate(): boolean {
    return this.#backend.update !== undefined;
  }

  /** Returns the store with the calls of one attempt recorded; 0 for other callers. */
  as(attempt: number): StateBackend {
    const backend = this.#stores.of?.(attempt) ?? this.#backend;
    const stores = { ...this.#stores, backend, replica: this.#replica };
    return new AttemptStore(stores, attempt, (body) => this.#emit(body));
  }

  /** Returns the store as that which clears it for a reason of the platform's sees it. */
  clearing(why: ClearReason): StateBackend {
    const stores = { ...this.#stores, replica: this.#replica };
    return new AttemptStore(stores, 0, (body) => this.#emit(body), why);
  }

  /** Returns the scopes that have entries; none of a backend that cannot list them. */
  async listScopes(page: ListPage): Promise<ScopePage> {
    return (await this.#backend.listScopes?.(page)) ?? { scopes: [], total: 0 };
  }

  /** Returns the last entry under another key, in any scope; undefined when there is none. */
  async ofOtherKey(key: string): Promise<StateEntry | undefined> {
    const others = await entriesOf(this.#backend);
    const last = others.findLast((one) => one.key !== key);
    return last && this.#backend.get(last.scope, last.key);
  }

  /** Returns the last entry under the same key in another scope; undefined when there is none. */
  async ofOtherScope(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    const all = await entriesOf(this.#backend);
    const own = scopeText(scope);
    const last = all.findLast((one) => one.key === key && scopeText(one.scope) !== own);
    return last && this.#backend.get(last.scope, last.key);
  }

  /** Deletes at most `batchSize` expired keys; returns how many it deleted, expired or not. */
  async sweepBatch(now: number, batchSize: number): Promise<number> {
    const before = await entriesOf(this.#backend);
    const oneBatch = new AbortController();
    const sweep = this.#backend.sweepExpired({ now, batchSize, signal: oneBatch.signal });
    oneBatch.abort();
    await sweep.catch((error: unknown) => {
      if (error !== oneBatch.signal.reason) throw error;
    });
    let swept = 0;
    for (const { scope, key } of before) {
      if ((await this.#backend.get(scope, key)) !== undefined) continue;
      swept += 1;
      this.#emit({ kind: "state-swept", scope: scopeText(scope), key, now });
    }
    return swept;
  }

  #emit(body: TraceBody): void {
    this.#world.trace.emit(this.#host, body);
  }
}

/** A backend, and the same with the values that readers see. */
export interface Stores {
  readonly backend: StateBackend;
  readonly readable?: StateBackend | undefined;
  /** Returns the backend as an attempt sees it, where that depends on its release. */
  readonly of?: (attempt: number) => StateBackend;
}

type Replica = () => Promise<Stores | undefined>;

function noReplica(): Promise<undefined> {
  return Promise.resolve(undefined);
}

class AttemptStore implements StateBackend {
  readonly #backend: StateBackend;
  readonly #stores: Stores;
  readonly #replica: Replica;
  readonly #attempt: number;
  readonly #emit: (body: TraceBody) => void;
  readonly #why: ClearReason;

  constructor(
    { replica, ...stores }: Stores & { readonly replica: Replica },
    attempt: number,
    emit: (body: TraceBody) => void,
    why: ClearReason = "task",
  ) {
    this.#backend = stores.backend;
    this.#stores = stores;
    this.#replica = replica;
    this.#attempt = attempt;
    this.#emit = emit;
    this.#why = why;
  }

  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    const stores = (await this.#replica()) ?? this.#stores;
    const entry = await stores.backend.get(scope, key);
    const value = (await valueOf(stores, scope, entry)) ?? null;
    this.#emit({ kind: "state-got", scope: scopeText(scope), key, value, attempt: this.#attempt });
    return entry;
  }

  async set(scope: StoreScope, key: string, stored: string, options: WriteOptions): Promise<void> {
    await this.#backend.set(scope, key, stored, options);
    await this.#emitSet(scope, { key, value: stored }, options);
  }

  async compareAndSet(
    scope: StoreScope,
    key: string,
    change: StateChange,
    options: WriteOptions,
  ): Promise<boolean> {
    if (this.#backend.compareAndSet === undefined) {
      throw new TypeError("Cannot compare and set: the backend of this world has no compareAndSet");
    }
    const isWritten = await this.#backend.compareAndSet(scope, key, change, options);
    if (isWritten) await this.#emitSet(scope, { key, value: change.value }, options);
    return isWritten;
  }

  async update(
    scope: StoreScope,
    key: string,
    value: string,
    options: Omit<WriteOptions, "expiresAt">,
  ): Promise<boolean> {
    if (this.#backend.update === undefined) {
      throw new TypeError("Cannot replace a value: the backend of this world has no update");
    }
    const isWritten = await this.#backend.update(scope, key, value, options);
    if (isWritten) await this.#emitSet(scope, { key, value }, { ...options, expiresAt: null });
    return isWritten;
  }

  /** Records what was written, and the expiry as it is stored. */
  async #emitSet(
    scope: StoreScope,
    { key, value: stored }: Pick<StateEntry, "key" | "value">,
    asked: WriteOptions,
  ): Promise<void> {
    const value = (await valueOf(this.#stores, scope, { key, value: stored })) ?? stored;
    const entry = await this.#backend.get(scope, key);
    const { expiresAt } = entry ?? asked;
    const attempt = this.#attempt;
    this.#emit({ kind: "state-set", scope: scopeText(scope), key, value, expiresAt, attempt });
  }

  async delete(scope: StoreScope, key: string): Promise<void> {
    await this.#backend.delete(scope, key);
    const attempt = this.#attempt;
    this.#emit({ kind: "state-deleted", scope: scopeText(scope), key, attempt });
  }

  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    await clearTraced(this.#backend, scope, options, this.#why, this.#emit);
  }

  list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    return this.#backend.list(scope, page);
  }

  sweepExpired(request: SweepRequest): Promise<SweepReport> {
    return this.#backend.sweepExpired(request);
  }
}

/** The value that a reader of an entry sees; undefined when there is none, or it is lost. */
async function valueOf(
  { readable }: Stores,
  scope: StoreScope,
  entry: Pick<StateEntry, "key" | "value"> | undefined,
): Promise<string | undefined> {
  if (readable === undefined || entry === undefined) return entry?.value;
  try {
    return (await readable.get(scope, entry.key))?.value;
  } catch (error) {
    if (error instanceof UnreadableValue) return undefined;
    throw error;
  }
}

/** Clears a scope and records which scopes have fewer keys than before, and which should have none. */
async function clearTraced(
  backend: StateBackend,
  scope: StoreScope,
  options: ClearOptions,
  why: ClearReason,
  emit: (body: TraceBody) => void,
): Promise<void> {
  const before = await keyCounts(backend);
  await backend.clear(scope, options);
  const after = await keyCounts(backend);
  const emptied = [...before.keys()].filter(
    (one) => (after.get(one) ?? 0) < (before.get(one) ?? 0),
  );
  const all = options.allMapIndices === true;
  const { group } = scopeAddressFrom(scope);
  const isMeant = (one: string): boolean =>
    one === scopeText(scope) || (all && one.startsWith(`${group}#`));
  const left = [...after.keys()].filter(isMeant);
  const told = left.length === 0 ? {} : { left };
  emit({ kind: "state-cleared", scope: scopeText(scope), all, why, emptied, ...told });
}

/** Returns the keys of all scopes; none for a backend that cannot list its scopes. */
async function entriesOf(
  backend: StateBackend,
): Promise<readonly { readonly scope: StoreScope; readonly key: string }[]> {
  const page = await backend.listScopes?.({ limit: SCOPES_MAX, offset: 0 });
  const found = [];
  for (const { scope } of page?.scopes ?? []) {
    const { entries } = await backend.list(scope, { limit: SCOPES_MAX, offset: 0 });
    for (const { key } of entries) found.push({ scope, key });
  }
  return found;
}

/** Returns how many keys each scope has; empty for a backend that cannot list its scopes. */
async function keyCounts(backend: StateBackend): Promise<ReadonlyMap<string, number>> {
  const page = await backend.listScopes?.({ limit: SCOPES_MAX, offset: 0 });
  return new Map(page?.scopes.map(({ scope, entries }) => [scopeText(scope), entries]));
}

/** A world of tasks has far fewer scopes than this, and a scope far fewer keys. */
const SCOPES_MAX = 1_000;

/** Names a scope as in traces: its group, a hash sign, its map index. */
export function scopeText(scope: StoreScope): string {
  const { group, mapIndex } = scopeAddressFrom(scope);
  return `${group}#${mapIndex}`;
}
