import type { StateBackend, SweepRequest } from "../../src/store/mod.ts";
import type { World } from "../kernel/world.ts";

/** A commit of the state store, and when it was acknowledged. */
interface Commit {
  readonly at: number;
  readonly redo: (backend: StateBackend) => Promise<unknown>;
}

/**
 * The state store of a database with a replica: every commit is kept, so that the store can be read
 * as it was at an earlier time.
 *
 * Holds: commits are repeated in the order in which they were made, on a backend of the same kind.
 */
export class StoreHistory {
  /** The store itself; what is written here is kept. */
  readonly backend: StateBackend;
  readonly #world: World;
  readonly #create: () => StateBackend;
  readonly #commits: Commit[] = [];
  #primary: StateBackend;
  #lag: { readonly byMs: number; readonly untilMs: number } | undefined;

  /** `create` makes an empty backend; each of them holds the same commits, or the first of them. */
  constructor(world: World, create: () => StateBackend) {
    this.#world = world;
    this.#create = create;
    this.#primary = create();
    this.backend = this.#keeping(() => this.#primary);
  }

  /** For `forMs` from now on reads get what was committed at least `byMs` before them. */
  lag(byMs: number, forMs: number): void {
    this.#lag = { byMs, untilMs: this.#world.now + forMs };
  }

  /** Ends a lag, and returns whether there was one. */
  catchUp(): boolean {
    const isLagging = this.#lag !== undefined && this.#world.now < this.#lag.untilMs;
    this.#lag = undefined;
    return isLagging;
  }

  /** Another replica takes over, which has only what was committed up to `ms`. */
  async failOver(ms: number): Promise<void> {
    const kept = this.#commits.findLastIndex(({ at }) => at <= ms) + 1;
    this.#commits.splice(kept);
    this.#primary = await this.#asOf(ms);
  }

  /** Returns the replica that reads go to now; undefined where it is up to date. */
  async replica(): Promise<StateBackend | undefined> {
    const { now } = this.#world;
    if (this.#lag === undefined || now >= this.#lag.untilMs) return undefined;
    return this.#asOf(now - this.#lag.byMs);
  }

  async #asOf(ms: number): Promise<StateBackend> {
    const backend = this.#create();
    for (const { at, redo } of this.#commits) if (at <= ms) await redo(backend);
    return backend;
  }

  /** A backend that passes every call on to the current one, and keeps what is committed. */
  #keeping(current: () => StateBackend): StateBackend {
    const commit = async <T>(redo: (backend: StateBackend) => Promise<T>): Promise<T> => {
      const result = await redo(current());
      this.#commits.push({ at: this.#world.now, redo });
      return result;
    };
    const has = current();
    return {
      get: (scope, key) => current().get(scope, key),
      list: (scope, page) => current().list(scope, page),
      set: (scope, key, value, options) => commit((to) => to.set(scope, key, value, options)),
      delete: (scope, key) => commit((to) => to.delete(scope, key)),
      clear: (scope, options) => commit((to) => to.clear(scope, options)),
      sweepExpired: (request) => {
        if (request.dryRun !== true) {
          this.#commits.push({ at: this.#world.now, redo: (to) => sweepAgain(to, request) });
        }
        return current().sweepExpired(request);
      },
      ...(has.compareAndSet === undefined
        ? {}
        : {
            compareAndSet: (scope, key, change, options) =>
              commit(
                async (to) => (await to.compareAndSet?.(scope, key, change, options)) === true,
              ),
          }),
      ...(has.update === undefined
        ? {}
        : {
            update: (scope, key, value, options) =>
              commit(async (to) => (await to.update?.(scope, key, value, options)) === true),
          }),
      ...(has.listScopes === undefined
        ? {}
        : {
            listScopes: async (page) =>
              (await current().listScopes?.(page)) ?? { scopes: [], total: 0 },
          }),
    };
  }
}

/** A sweep that could be stopped was stopped after its first batch. */
async function sweepAgain(backend: StateBackend, request: SweepRequest): Promise<void> {
  const { signal, ...rest } = request;
  if (signal === undefined) {
    await backend.sweepExpired(rest);
    return;
  }
  const oneBatch = new AbortController();
  const sweep = backend.sweepExpired({ ...rest, signal: oneBatch.signal });
  oneBatch.abort();
  await sweep.catch(() => undefined);
}
