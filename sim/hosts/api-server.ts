import type { AttemptOutcome, KillCategory } from "../../src/operator/mod.ts";
import type {
  ClearOptions,
  EntryPage,
  ListPage,
  StateBackend,
  StateChange,
  StateEntry,
  StoreScope,
  SweepReport,
  SweepRequest,
  WriteOptions,
} from "../../src/store/mod.ts";
import { HttpApi } from "./http-api.ts";
import type { Life } from "./life.ts";
import type { Assignment, TaskDatabase } from "./task-database.ts";

/**
 * One incarnation of the API server, through which the workers reach the metadata database.
 *
 * Holds: it has no state of its own; an attempt's token is checked in the same transaction as the
 * write, so an attempt that was declared dead cannot write.
 */
export class ApiServer {
  /** Serves whoever is no attempt. */
  readonly http: HttpApi;
  readonly #life: Life;
  readonly #database: TaskDatabase;
  readonly #host: string;

  constructor(life: Life, database: TaskDatabase, databaseHost: string) {
    this.#life = life;
    this.#database = database;
    this.#host = databaseHost;
    this.http = new HttpApi(life, database, databaseHost);
  }

  get #now(): number {
    return this.#life.clock.wallNow();
  }

  /** Assigns the next queued task instance, if there is one. */
  take(): Promise<Assignment | undefined> {
    return this.#life.callAsync("task.commit", this.#host, async () =>
      this.#database.take(this.#now),
    );
  }

  /** Records that the attempt is alive; returns a category if the attempt is to be killed. */
  heartbeat(attempt: number): Promise<KillCategory | undefined> {
    const beat = async (): Promise<KillCategory | undefined> =>
      this.#database.heartbeat(attempt, this.#now);
    return this.#life.callAsync("task.commit", this.#host, beat);
  }

  /** Records how the attempt ended. */
  finish(attempt: number, outcome: AttemptOutcome): Promise<void> {
    return this.#life.callAsync("task.commit", this.#host, () =>
      this.#database.finish(attempt, outcome, this.#now),
    );
  }

  /**
   * Returns an entry. Where `isLiedTo`, it is the entry of another key, which says so. A row of the
   * database does not say whose it is: what is read in place of another counts as the key's own.
   */
  getState(
    attempt: number,
    scope: StoreScope,
    key: string,
    isLiedTo = false,
  ): Promise<StateEntry | undefined> {
    return this.#life.callAsync("store.read", this.#host, async (lies) => {
      this.#database.assertCurrent(attempt, `get ${key}`);
      const { store } = this.#database;
      const other = isLiedTo ? await store.ofOtherKey(key) : undefined;
      if (other !== undefined) return other;
      const mistaken = lies ? await store.ofOtherScope(scope, key) : undefined;
      return mistaken ?? store.as(attempt).get(scope, key);
    });
  }

  /** Checks the attempt's token and writes, in one transaction. */
  writeState(attempt: number, write: (store: StateBackend) => Promise<void>): Promise<void> {
    return this.#life.callAsync("store.commit", this.#host, async () => {
      this.#database.assertCurrent(attempt, "write");
      await write(this.#database.store.as(attempt));
    });
  }

  pushXcom(attempt: number, key: string, value: string): Promise<void> {
    return this.#life.callAsync("task.commit", this.#host, async () =>
      this.#database.pushXcom(attempt, key, value),
    );
  }

  pullXcom(attempt: number, key: string): Promise<string | undefined> {
    return this.#life.callAsync("store.read", this.#host, async () =>
      this.#database.pullXcom(attempt, key),
    );
  }
}

/** The calls that an attempt makes while it runs. */
export type AttemptApi = Pick<ApiServer, "getState" | "writeState" | "pushXcom" | "pullXcom">;

/** How an attempt reaches the API server. */
export interface ApiAddress<Server extends AttemptApi = ApiServer> {
  readonly host: string;
  /** Returns the current incarnation; called at the callee, when a call arrives. */
  server(): Server;
}

/** The state store of an attempt: reads and writes over the API server, with its token. */
export class ApiStateBackend implements StateBackend {
  readonly #life: Life;
  readonly #api: ApiAddress<AttemptApi>;
  readonly #attempt: number;

  constructor(life: Life, api: ApiAddress<AttemptApi>, attempt: number) {
    this.#life = life;
    this.#api = api;
    this.#attempt = attempt;
  }

  get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    return this.#life.callAsync("api.get-task-state", this.#api.host, (lies) =>
      this.#api.server().getState(this.#attempt, scope, key, lies),
    );
  }

  set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    this.#life.trace({ kind: "state-sent", attempt: this.#attempt, key, value });
    return this.#write("api.set-task-state", (store) => store.set(scope, key, value, options));
  }

  async compareAndSet(
    scope: StoreScope,
    key: string,
    change: StateChange,
    options: WriteOptions,
  ): Promise<boolean> {
    const { value } = change;
    let hasWritten = false;
    const sent = { attempt: this.#attempt, key, value, isCompared: true } as const;
    this.#life.trace({ kind: "state-sent", ...sent });
    await this.#write("api.set-task-state", async (store) => {
      const isWritten = await store.compareAndSet?.(scope, key, change, options);
      // A request that arrives twice writes once.
      if (isWritten === true) hasWritten = true;
    });
    return hasWritten;
  }

  delete(scope: StoreScope, key: string): Promise<void> {
    return this.#write("api.delete-task-state", (store) => store.delete(scope, key));
  }

  clear(scope: StoreScope, options?: ClearOptions): Promise<void> {
    return this.#write("api.delete-task-state", (store) => store.clear(scope, options));
  }

  list(_scope: StoreScope, _page: ListPage): Promise<EntryPage> {
    return Promise.reject(new TypeError("Cannot list task state from within a task"));
  }

  sweepExpired(_request: SweepRequest): Promise<SweepReport> {
    return Promise.reject(new TypeError("Cannot sweep task state from within a task"));
  }

  #write(
    site: "api.set-task-state" | "api.delete-task-state",
    write: (store: StateBackend) => Promise<void>,
  ): Promise<void> {
    return this.#life.callAsync(site, this.#api.host, () =>
      this.#api.server().writeState(this.#attempt, write),
    );
  }
}
