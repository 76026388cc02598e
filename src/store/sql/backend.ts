import {
  type ClearOptions,
  DRY_RUN_ENTRIES_MAX,
  type EntryPage,
  type ListPage,
  type ScopePage,
  type StateBackend,
  type StateChange,
  type StateEntry,
  type SweepReport,
  type SweepRequest,
  type WriteOptions,
} from "../backend.ts";
import { checkedPage } from "../list-page.ts";
import {
  type DagRunRef,
  runGroupPrefix,
  scopeAddressFrom,
  scopeFromAddress,
  type StoreScope,
} from "../scope.ts";
import { checkedKey } from "../state-key.ts";
import { sweepInBatches, sweepPlanFrom } from "../sweep.ts";
import type { Writer } from "../writer.ts";
import type { SqlDriver, SqlParam, SqlRow } from "./driver.ts";
import { type SqlStatement, type SqlStatementName, sqlStatements } from "./statements.ts";
import { keyFromStorable, storableFromKey } from "./storable-key.ts";

/**
 * A scope or key of up to this length is a column of the primary key; both at this length, in any
 * script, still fit into one entry of a PostgreSQL index.
 */
const INDEXED_CHARS_MAX = 400;
/** Marks a digest that replaces a longer text; no scope and no storable key begins with it. */
const DIGEST_MARK = "\u0001#";
/** Earlier than any time at which an entry can expire. */
const BEFORE_ALL_TIME = Number.MIN_SAFE_INTEGER;

/**
 * A {@linkcode StateBackend} in a table of an SQL database, over a driver that speaks to it.
 *
 * Users of SQLite and PostgreSQL take `SqliteStateBackend` (`faultlane/sqlite`) and
 * `PostgresStateBackend` (`faultlane/postgres`); this class is for authors of other drivers.
 *
 * @example A driver for SQLite, without the waiting for other processes that the real one has
 * ```ts
 * import { createHash } from "node:crypto";
 * import { DatabaseSync } from "node:sqlite";
 * import { CREATE_VERSION_TABLE, migrationFrom, SELECT_VERSION } from "faultlane/sql";
 * import { type SqlDriver, SqlStateBackend } from "faultlane/sql";
 *
 * const database = new DatabaseSync(":memory:");
 * let migrated = false;
 * function migrate(): void {
 *   if (migrated) return;
 *   database.exec(CREATE_VERSION_TABLE);
 *   const { version, oldest } = database.prepare(SELECT_VERSION).get() as Record<string, number>;
 *   for (const statement of migrationFrom("sqlite", version ?? 0, oldest ?? 0)) {
 *     database.exec(statement);
 *   }
 *   migrated = true;
 * }
 * const driver: SqlDriver = {
 *   dialect: "sqlite",
 *   async rows({ text }, params) {
 *     migrate();
 *     return database.prepare(text.replace(/\$\d+/g, "?")).all(...params);
 *   },
 *   async changes({ text }, params) {
 *     migrate();
 *     return Number(database.prepare(text.replace(/\$\d+/g, "?")).run(...params).changes);
 *   },
 *   pause: () => new Promise((resolve) => setImmediate(resolve)),
 *   digest: (text) => createHash("sha256").update(text).digest("hex"),
 *   migrate: async () => migrate(),
 *   close: async () => database.close(),
 * };
 *
 * await using backend = new SqlStateBackend(driver);
 * const asset = { kind: "asset", name: "orders" } as const;
 * await backend.set(asset, "watermark", "17", { expiresAt: null });
 * console.log((await backend.get(asset, "watermark"))?.value); // => 17
 * ```
 */
export class SqlStateBackend implements StateBackend {
  readonly #driver: SqlDriver;
  readonly #sql: Readonly<Record<SqlStatementName, SqlStatement>>;

  /** Runs everything through `driver`; nothing happens before the first call. */
  constructor(driver: SqlDriver) {
    this.#driver = driver;
    this.#sql = sqlStatements(driver.dialect);
  }

  /** Brings the schema up to date now rather than at the first call. */
  migrate(): Promise<void> {
    return this.#driver.migrate();
  }

  /** Closes the driver; no call may follow. */
  close(): Promise<void> {
    return this.#driver.close();
  }

  /** Closes the driver, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#driver.close();
  }

  /** Returns the entry under `key`, expired or not; undefined when there is none. */
  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    const { scopeId, mapIndex } = this.#place(scope);
    const [row] = await this.#driver.rows(this.#sql.get, [scopeId, mapIndex, this.#keyId(key)]);
    return row === undefined ? undefined : entryFrom(key, row);
  }

  /** Writes or overwrites one entry. */
  async set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    const { scopeId, mapIndex, longScope } = this.#place(scope);
    const { id, long } = this.#keyNames(key);
    const { expiresAt, updatedAt = null } = options;
    const writer = writerText(options.writer);
    await this.#driver.changes(this.#sql.set, [
      scopeId,
      mapIndex,
      id,
      longScope,
      long,
      value,
      expiresAt,
      updatedAt,
      writer,
    ]);
  }

  /** Writes several entries in one statement; of equal keys the last one wins. */
  async setMany(
    scope: StoreScope,
    entries: readonly (readonly [key: string, value: string])[],
    options: WriteOptions,
  ): Promise<void> {
    const { scopeId, mapIndex, longScope } = this.#place(scope);
    // A statement must not write a row twice, so only the last of equal keys is sent.
    const rows = [...new Map(entries)].map(([key, value]) => {
      const { id, long } = this.#keyNames(key);
      return [id, long, value];
    });
    const { expiresAt, updatedAt = null } = options;
    const writer = writerText(options.writer);
    await this.#driver.changes(this.#sql.setMany, [
      scopeId,
      mapIndex,
      longScope,
      expiresAt,
      updatedAt,
      writer,
      JSON.stringify(rows),
    ]);
  }

  /** Returns those of `keys` that exist, ordered by key. */
  async getMany(scope: StoreScope, keys: readonly string[]): Promise<readonly StateEntry[]> {
    const { scopeId, mapIndex } = this.#place(scope);
    const ids = JSON.stringify(keys.map((key) => this.#keyId(key)));
    const rows = await this.#driver.rows(this.#sql.getMany, [scopeId, mapIndex, ids]);
    return rows.map((row) => entryFrom(keyOf(row), row));
  }

  /** Replaces the value of an existing entry and returns whether there was one. */
  async update(
    scope: StoreScope,
    key: string,
    value: string,
    options: Omit<WriteOptions, "expiresAt">,
  ): Promise<boolean> {
    const { scopeId, mapIndex } = this.#place(scope);
    const params = [value, options.updatedAt ?? null, writerText(options.writer)];
    const place = [scopeId, mapIndex, this.#keyId(key)];
    return (await this.#driver.changes(this.#sql.update, [...params, ...place])) > 0;
  }

  /** Writes in one statement if the text under `key` is `expected`, and returns whether it did. */
  async compareAndSet(
    scope: StoreScope,
    key: string,
    { expected, value }: StateChange,
    options: WriteOptions,
  ): Promise<boolean> {
    const { scopeId, mapIndex, longScope } = this.#place(scope);
    const { id, long } = this.#keyNames(key);
    const { expiresAt, updatedAt = null } = options;
    const written = [value, expiresAt, updatedAt, writerText(options.writer)];
    const changed =
      expected === null
        ? this.#driver.changes(this.#sql.insert, [
            ...[scopeId, mapIndex, id, longScope, long],
            ...written,
          ])
        : this.#driver.changes(this.#sql.exchange, [...written, scopeId, mapIndex, id, expected]);
    return (await changed) > 0;
  }

  /** Deletes one entry; does nothing when it is absent. */
  async delete(scope: StoreScope, key: string): Promise<void> {
    const { scopeId, mapIndex } = this.#place(scope);
    await this.#driver.changes(this.#sql.delete, [scopeId, mapIndex, this.#keyId(key)]);
  }

  /** Deletes every entry of the scope, or of all map indices of its task. */
  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    const { scopeId, mapIndex } = this.#place(scope);
    if (options.allMapIndices === true) {
      await this.#driver.changes(this.#sql.clearGroup, [scopeId]);
    } else {
      await this.#driver.changes(this.#sql.clear, [scopeId, mapIndex]);
    }
  }

  /** Deletes every entry of every task instance of one run. */
  async clearRun(run: DagRunRef): Promise<void> {
    const from = runGroupPrefix(run);
    // A prefix search as a range: what begins with `x,` lies from `x,` up to below `x-`, since `-`
    // is the character after the comma.
    const to = `${from.slice(0, -1)}-`;
    await this.#driver.changes(this.#sql.clearRun, [from, to, from, to]);
  }

  /** Returns one page of the entries of a scope, ordered by key. */
  async list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    const { limit, offset, now = BEFORE_ALL_TIME } = checkedPage(page);
    const { scopeId, mapIndex } = this.#place(scope);
    const visible = [scopeId, mapIndex, now];
    const rows = await this.#driver.rows(this.#sql.list, [...visible, limit, offset]);
    const total = await this.#total(this.#sql.count, visible);
    return { entries: rows.map((row) => entryFrom(keyOf(row), row)), total };
  }

  /** Returns one page of the scopes that have entries. */
  async listScopes(page: Omit<ListPage, "now">): Promise<ScopePage> {
    const { limit, offset } = checkedPage(page);
    const rows = await this.#driver.rows(this.#sql.listScopes, [limit, offset]);
    const total = await this.#total(this.#sql.countScopes, []);
    const scopes = rows.map((row) => ({ scope: scopeOf(row), entries: Number(row["entries"]) }));
    return { scopes, total };
  }

  /** Deletes expired entries, one statement a batch. */
  async sweepExpired(request: SweepRequest): Promise<SweepReport> {
    const { now, ...plan } = sweepPlanFrom(request);
    if (plan.dryRun) {
      const rows = await this.#driver.rows(this.#sql.listExpired, [now, DRY_RUN_ENTRIES_MAX]);
      const expired = await this.#total(this.#sql.countExpired, [now]);
      const entries = rows.map((row) => {
        return { scope: scopeOf(row), key: keyOf(row), expiresAt: Number(row["expires_at"]) };
      });
      return { expired, batches: 0, entries };
    }
    const limit = Math.min(plan.batchSize, Number.MAX_SAFE_INTEGER);
    return sweepInBatches({ now, ...plan }, async () => {
      const deleted = await this.#driver.changes(this.#sql.sweep, [now, limit, now]);
      await this.#driver.pause();
      return deleted;
    });
  }

  async #total(statement: SqlStatement, params: readonly SqlParam[]): Promise<number> {
    const [row] = await this.#driver.rows(statement, params);
    return Number(row?.["total"]);
  }

  #place(scope: StoreScope): { scopeId: string; mapIndex: number; longScope: string | null } {
    const { group, mapIndex } = scopeAddressFrom(scope);
    if (group.length <= INDEXED_CHARS_MAX) return { scopeId: group, mapIndex, longScope: null };
    return { scopeId: this.#digest(group), mapIndex, longScope: group };
  }

  #keyId(key: string): string {
    return this.#keyNames(key).id;
  }

  #keyNames(key: string): { id: string; long: string | null } {
    const text = storableFromKey(checkedKey(key));
    if (text.length <= INDEXED_CHARS_MAX) return { id: text, long: null };
    return { id: this.#digest(text), long: text };
  }

  #digest(text: string): string {
    return DIGEST_MARK + this.#driver.digest(text);
  }
}

function entryFrom(key: string, row: SqlRow): StateEntry {
  const writer = row["writer"];
  return {
    key,
    value: row["value"] as string,
    expiresAt: integerOrNull(row["expires_at"]),
    updatedAt: integerOrNull(row["updated_at"]),
    writer: typeof writer === "string" ? (JSON.parse(writer) as Writer) : null,
  };
}

/** PostgreSQL's client returns eight-byte integers as text. */
function integerOrNull(cell: unknown): number | null {
  return cell === null || cell === undefined ? null : Number(cell);
}

function keyOf(row: SqlRow): string {
  return keyFromStorable((row["long_key"] ?? row["key_id"]) as string);
}

function scopeOf(row: SqlRow): StoreScope {
  const group = (row["long_scope"] ?? row["scope_id"]) as string;
  return scopeFromAddress({ group, mapIndex: Number(row["map_index"]) });
}

function writerText(writer: Writer | undefined): string | null {
  return writer === undefined ? null : JSON.stringify(writer);
}
