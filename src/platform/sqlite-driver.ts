import { createHash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { SqlDriver, SqlParam, SqlRow, SqlStatement } from "../store/mod.ts";
import { CREATE_VERSION_TABLE, migrationFrom, SELECT_VERSION } from "../store/mod.ts";

export interface SqliteOptions {
  /**
   * When a write is acknowledged: `full` after it is on the disk, so that it outlives a loss of power; `normal` after
   * the operating system has it, so that it outlives the death of the process. Full unless said otherwise.
   */
  readonly synchronous?: "full" | "normal";
  /** How long a write waits for another process that is writing. 5 s unless said otherwise. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_DEFAULT_MS = 5_000;
/** How often, and how far apart, the switch to WAL is tried: SQLite does not wait for that lock by itself. */
const WAL_ATTEMPTS_MAX = 250;
const WAL_RETRY_MS = 20;
/** SQLITE_BUSY and SQLITE_LOCKED, of which the extended codes hold the low byte. */
const BUSY_CODES: readonly number[] = [5, 6];

type State =
  | { readonly kind: "fresh" }
  | { readonly kind: "opening"; readonly opened: Promise<DatabaseSync> }
  | { readonly kind: "open"; readonly database: DatabaseSync }
  | { readonly kind: "closed" };

/** SQLite in this process: one connection, each statement prepared once. */
export class SqliteDriver implements SqlDriver {
  readonly dialect = "sqlite";
  readonly #path: string;
  readonly #options: SqliteOptions;
  readonly #prepared = new Map<string, StatementSync>();
  #state: State = { kind: "fresh" };

  constructor(path: string, options: SqliteOptions) {
    this.#path = path;
    this.#options = options;
  }

  async rows(statement: SqlStatement, params: readonly SqlParam[]): Promise<readonly SqlRow[]> {
    if (this.#state.kind !== "open") await this.migrate();
    return this.#prepare(statement).all(...params);
  }

  async changes(statement: SqlStatement, params: readonly SqlParam[]): Promise<number> {
    if (this.#state.kind !== "open") await this.migrate();
    return Number(this.#prepare(statement).run(...params).changes);
  }

  async pause(): Promise<void> {
    await nextTurn();
  }

  digest(text: string): string {
    return createHash("sha256").update(text).digest("hex");
  }

  async migrate(): Promise<void> {
    if (this.#state.kind === "closed") throw new Error("The database is closed");
    if (this.#state.kind === "fresh") {
      this.#state = { kind: "opening", opened: openDatabase(this.#path, this.#options) };
    }
    if (this.#state.kind !== "opening") return;
    const { opened } = this.#state;
    let database: DatabaseSync;
    try {
      database = await opened;
    } catch (error) {
      // The next call tries again: what stood in the way may be gone by then.
      if (this.#isOpening(opened)) this.#state = { kind: "fresh" };
      throw error;
    }
    if (this.#isOpening(opened)) this.#state = { kind: "open", database };
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "closed" };
    this.#prepared.clear();
    if (state.kind === "open") state.database.close();
    if (state.kind !== "opening") return;
    await state.opened.then(
      (database) => database.close(),
      () => undefined,
    );
  }

  #isOpening(opened: Promise<DatabaseSync>): boolean {
    return this.#state.kind === "opening" && this.#state.opened === opened;
  }

  #prepare({ name, text }: SqlStatement): StatementSync {
    let prepared = this.#prepared.get(name);
    if (prepared !== undefined) return prepared;
    if (this.#state.kind !== "open") throw new Error("The database is closed");
    prepared = this.#state.database.prepare(text.replace(/\$\d+/g, "?"));
    this.#prepared.set(name, prepared);
    return prepared;
  }
}

async function openDatabase(path: string, options: SqliteOptions): Promise<DatabaseSync> {
  const { synchronous = "full", busyTimeoutMs = BUSY_TIMEOUT_DEFAULT_MS } = options;
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${Math.floor(busyTimeoutMs)}`);
    await useWriteAheadLog(database);
    database.exec(`PRAGMA synchronous = ${synchronous === "full" ? "FULL" : "NORMAL"}`);
    bringUpToDate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Readers then see the last commit while somebody writes. The file remembers it; memory has no log. */
async function useWriteAheadLog(database: DatabaseSync): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (attempt >= WAL_ATTEMPTS_MAX || !isBusy(error)) throw error;
    }
    await wait(WAL_RETRY_MS);
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  if (typeof code === "number") return BUSY_CODES.includes(code & 0xff);
  return error instanceof Error && /locked|busy/i.test(error.message);
}

/** One migrator at a time holds the write lock; whoever comes second finds nothing left to do. */
function bringUpToDate(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(CREATE_VERSION_TABLE);
    const row = database.prepare(SELECT_VERSION).get() as { version: number | null };
    for (const statement of migrationFrom("sqlite", row.version ?? 0)) database.exec(statement);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
