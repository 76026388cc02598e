import {
  type ClearOptions,
  type EntryPage,
  type ListPage,
  scopeAddressFrom,
  type StateBackend,
  type StateEntry,
  type StoreScope,
  type SweepReport,
  type SweepRequest,
  type WriteOptions,
} from "../../src/store/mod.ts";
import type { TraceBody } from "../trace.ts";
import type { World } from "../world.ts";

/** Who clears a scope: the task itself, the success of its task instance, a user. */
export type ClearReason = "task" | "success" | "user";

/**
 * The state store as the metadata database keeps it: any backend, seen from outside.
 *
 * Holds: every operation is one transaction at one instant, if the backend does nothing but promise
 * work; what it did is read from the backend again and not guessed.
 */
export class KeptStore {
  readonly #world: World;
  readonly #host: string;
  readonly #backend: StateBackend;

  constructor(world: World, host: string, backend: StateBackend) {
    this.#world = world;
    this.#host = host;
    this.#backend = backend;
  }

  /** The store as one attempt sees it; 0 for everybody else. */
  as(attempt: number): StateBackend {
    return new AttemptView(this.#backend, attempt, (body) => this.#emit(body));
  }

  async clear(scope: StoreScope, why: ClearReason): Promise<void> {
    await clearSeen(this.#backend, scope, {}, why, (body) => this.#emit(body));
  }

  /** Deletes at most `batchSize` expired keys; answers how many. */
  async sweepBatch(now: number, batchSize: number): Promise<number> {
    const { entries } = await this.#backend.sweepExpired({ now, dryRun: true });
    const oneBatch = new AbortController();
    const sweep = this.#backend.sweepExpired({ now, batchSize, signal: oneBatch.signal });
    oneBatch.abort();
    await sweep.catch((error: unknown) => {
      if (error !== oneBatch.signal.reason) throw error;
    });
    let swept = 0;
    for (const { scope, key } of entries) {
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

class AttemptView implements StateBackend {
  readonly #backend: StateBackend;
  readonly #attempt: number;
  readonly #emit: (body: TraceBody) => void;

  constructor(backend: StateBackend, attempt: number, emit: (body: TraceBody) => void) {
    this.#backend = backend;
    this.#attempt = attempt;
    this.#emit = emit;
  }

  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    const entry = await this.#backend.get(scope, key);
    const value = entry?.value ?? null;
    this.#emit({ kind: "state-got", scope: scopeText(scope), key, value, attempt: this.#attempt });
    return entry;
  }

  async set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    await this.#backend.set(scope, key, value, options);
    const { expiresAt } = options;
    const attempt = this.#attempt;
    this.#emit({ kind: "state-set", scope: scopeText(scope), key, value, expiresAt, attempt });
  }

  async delete(scope: StoreScope, key: string): Promise<void> {
    await this.#backend.delete(scope, key);
    this.#emit({ kind: "state-deleted", scope: scopeText(scope), key });
  }

  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    await clearSeen(this.#backend, scope, options, "task", this.#emit);
  }

  list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    return this.#backend.list(scope, page);
  }

  sweepExpired(request: SweepRequest): Promise<SweepReport> {
    return this.#backend.sweepExpired(request);
  }
}

/** Clears, and records which scopes hold less than before. */
async function clearSeen(
  backend: StateBackend,
  scope: StoreScope,
  options: ClearOptions,
  why: ClearReason,
  emit: (body: TraceBody) => void,
): Promise<void> {
  const before = await holdings(backend);
  await backend.clear(scope, options);
  const after = await holdings(backend);
  const emptied = [...before.keys()].filter(
    (one) => (after.get(one) ?? 0) < (before.get(one) ?? 0),
  );
  const all = options.allMapIndices === true;
  emit({ kind: "state-cleared", scope: scopeText(scope), all, why, emptied });
}

/** How many keys each scope holds; empty for a backend that cannot say. */
async function holdings(backend: StateBackend): Promise<ReadonlyMap<string, number>> {
  const page = await backend.listScopes?.({ limit: SCOPES_MAX, offset: 0 });
  return new Map(page?.scopes.map(({ scope, entries }) => [scopeText(scope), entries]));
}

/** A world of tasks has far fewer. */
const SCOPES_MAX = 1_000;

/** A scope as traces name it: its group, and its map index behind a hash sign. */
export function scopeText(scope: StoreScope): string {
  const { group, mapIndex } = scopeAddressFrom(scope);
  return `${group}#${mapIndex}`;
}
