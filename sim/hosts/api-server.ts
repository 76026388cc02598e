import type { AttemptOutcome, KillCategory } from "../../src/operator/mod.ts";
import type {
  ClearOptions,
  EntryPage,
  ListPage,
  StateBackend,
  StateEntry,
  StoreScope,
  SweepReport,
  SweepRequest,
  WriteOptions,
} from "../../src/store/mod.ts";
import type { Life } from "./host.ts";
import type { Assignment, TaskDatabase } from "./task-database.ts";

/**
 * One incarnation of the API server: between the workers and the database, with a token per
 * attempt.
 *
 * Holds: it keeps nothing; the token is checked in the transaction that writes, so that a dead
 * attempt cannot write.
 */
export class ApiServer {
  readonly #life: Life;
  readonly #database: TaskDatabase;
  readonly #host: string;

  constructor(life: Life, database: TaskDatabase, databaseHost: string) {
    this.#life = life;
    this.#database = database;
    this.#host = databaseHost;
  }

  take(): Promise<Assignment | undefined> {
    return this.#life.ask("task.commit", this.#host, async () => this.#database.take());
  }

  heartbeat(attempt: number): Promise<KillCategory | undefined> {
    const beat = async (): Promise<KillCategory | undefined> => this.#database.heartbeat(attempt);
    return this.#life.ask("task.commit", this.#host, beat);
  }

  finish(attempt: number, outcome: AttemptOutcome): Promise<void> {
    return this.#life.ask("task.commit", this.#host, () => this.#database.finish(attempt, outcome));
  }

  getState(attempt: number, scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    return this.#life.ask("store.read", this.#host, async () => {
      this.#database.assertCurrent(attempt, `get ${key}`);
      return this.#database.store.as(attempt).get(scope, key);
    });
  }

  /** A write by an attempt: its token and the write in one transaction. */
  writeState(attempt: number, write: (store: StateBackend) => Promise<void>): Promise<void> {
    return this.#life.ask("store.commit", this.#host, async () => {
      this.#database.assertCurrent(attempt, "write");
      await write(this.#database.store.as(attempt));
    });
  }

  pushXcom(attempt: number, key: string, value: string): Promise<void> {
    return this.#life.ask("task.commit", this.#host, async () =>
      this.#database.pushXcom(attempt, key, value),
    );
  }

  pullXcom(attempt: number, key: string): Promise<string | undefined> {
    return this.#life.ask("store.read", this.#host, async () =>
      this.#database.pullXcom(attempt, key),
    );
  }
}

/** How an attempt reaches the API server: the host's name, and its incarnation of the moment. */
export interface ApiAddress {
  readonly host: string;
  server(): ApiServer;
}

/** The state store as an attempt sees it: over the API server, with the attempt's token. */
export class ApiStateBackend implements StateBackend {
  readonly #life: Life;
  readonly #api: ApiAddress;
  readonly #attempt: number;

  constructor(life: Life, api: ApiAddress, attempt: number) {
    this.#life = life;
    this.#api = api;
    this.#attempt = attempt;
  }

  get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    return this.#life.ask("api.get-task-state", this.#api.host, () =>
      this.#api.server().getState(this.#attempt, scope, key),
    );
  }

  set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    return this.#write("api.set-task-state", (store) => store.set(scope, key, value, options));
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
    return this.#life.ask(site, this.#api.host, () =>
      this.#api.server().writeState(this.#attempt, write),
    );
  }
}
