import { createHash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { checkedOptions } from "../checked-options.ts";
import type { SqlDriver, SqlParam, SqlRow, SqlStatement } from "../store/sql/mod.ts";
import { CREATE_VERSION_TABLE, migrationFrom, SELECT_VERSION } from "../store/sql/mod.ts";

/** Settings of an `SqliteStateBackend`. */
export interface SqliteOptions {
  /**
   * What an acknowledged write survives: with `full` a power failure, because it is on the disk;
   * with `normal` the end of the process, because the operating system has it. `full` by default.
   */
  readonly synchronous?: "full" | "normal";
  /** How long a call waits for another process that is writing; 5 s by default. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_DEFAULT_MS = 5_000;
/**
 * How long to wait before trying again. SQLite's own busy handler blocks the thread, does not cover
 * every lock, and backs off to 100 ms, so that a process which writes continuously starves the
 * others; a short, constant wait finds the gaps.
 */
const BUSY_RETRY_MS = 2;
/** SQLITE_BUSY and SQLITE_LOCKED, the low byte of their extended codes. */
const BUSY_CODES: readonly number[] = [5, 6];

type State =
  | { readonly kind: "fresh" }
  | { readonly kind: "opening"; readonly opened: Promise<DatabaseSync> }
  | { readonly kind: "open"; readonly database: DatabaseSync }
  | { readonly kind: "closed" };

/** A driver for `node:sqlite`: one connection, each statement prepared once. */
export class SqliteDriver implements SqlDriver {
  readonly dialect = "sqlite";
  readonly #path: string;
  readonly #options: Required<SqliteOptions>;
  readonly #prepared = new Map<string, StatementSync>();
  #state: State = { kind: "fresh" };

  constructor(path: string, options: SqliteOptions) {
    this.#path = path;
    checkedOptions(options, ["synchronous", "busyTimeoutMs"], "SqliteStateBackend");
    const { synchronous = "full", busyTimeoutMs = BUSY_TIMEOUT_DEFAULT_MS } = options;
    if (synchronous !== "full" && synchronous !== "normal") {
      // Anything else would mean the weaker of the two.
      throw new TypeError(
        `Cannot use ${String(synchronous)} as synchronous: write "full" or "normal"`,
      );
    }
    this.#options = { synchronous, busyTimeoutMs };
  }

  async rows(statement: SqlStatement, params: readonly SqlParam[]): Promise<readonly SqlRow[]> {
    if (this.#state.kind !== "open") await this.migrate();
    try {
      return this.#prepare(statement).all(...params);
    } catch (error) {
      if (!isBusy(error)) throw error;
      return whenFree(() => this.#prepare(statement).all(...params), this.#options.busyTimeoutMs);
    }
  }

  async changes(statement: SqlStatement, params: readonly SqlParam[]): Promise<number> {
    if (this.#state.kind !== "open") await this.migrate();
    try {
      return Number(this.#prepare(statement).run(...params).changes);
    } catch (error) {
      if (!isBusy(error)) throw error;
      const again = (): number => Number(this.#prepare(statement).run(...params).changes);
      return whenFree(again, this.#options.busyTimeoutMs);
    }
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
      // Let the next call try again: the cause may be temporary.
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

async function openDatabase(
  path: string,
  { synchronous, busyTimeoutMs }: Required<SqliteOptions>,
): Promise<DatabaseSync> {
  const database = new DatabaseSync(path);
  try {
    // SQLite's own busy handler stays off; it would not cover lock upgrades anyway.
    database.exec("PRAGMA busy_timeout = 0");
    // With a write-ahead log readers see the last commit while somebody writes. The setting is
    // stored in the file; a database in memory ignores it.
    await whenFree(() => database.exec("PRAGMA journal_mode = WAL"), busyTimeoutMs);
    database.exec(`PRAGMA synchronous = ${synchronous === "full" ? "FULL" : "NORMAL"}`);
    await bringUpToDate(database, busyTimeoutMs);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Repeats `call`, which has no effect when it fails, while another process holds a lock. */
async function whenFree<T>(call: () => T, busyTimeoutMs: number): Promise<T> {
  const giveUpAt = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    await wait(BUSY_RETRY_MS);
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  if (typeof code === "number") return BUSY_CODES.includes(code & 0xff);
  return error instanceof Error && /locked|busy/i.test(error.message);
}

/** Migrates under the write lock; a second process then finds the schema up to date. */
async function bringUpToDate(database: DatabaseSync, busyTimeoutMs: number): Promise<void> {
  const isDone = (): boolean =>
    hasVersionTable(database) && migrationFrom("sqlite", ...versionsOf(database)).length === 0;
  // Checked without the write lock first, so that opening an up-to-date store waits for no writer.
  if (await whenFree(isDone, busyTimeoutMs)) return;
  await whenFree(() => database.exec("BEGIN IMMEDIATE"), busyTimeoutMs);
  try {
    database.exec(CREATE_VERSION_TABLE);
    for (const step of migrationFrom("sqlite", ...versionsOf(database))) database.exec(step);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function hasVersionTable(database: DatabaseSync): boolean {
  const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'faultlane_schema'";
  return database.prepare(sql).get() !== undefined;
}

/** Returns the version of the schema, and the oldest one that it serves; 0 in an empty database. */
function versionsOf(database: DatabaseSync): readonly [version: number, oldest: number] {
  const row = database.prepare(SELECT_VERSION).get() as Record<"version" | "oldest", number | null>;
  return [row.version ?? 0, row.oldest ?? 0];
}
