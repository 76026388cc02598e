import {
  type ClearOptions,
  DRY_RUN_ENTRIES_MAX,
  type EntryPage,
  type ListPage,
  type ScopePage,
  type StateBackend,
  type StateEntry,
  type SweepReport,
  type SweepRequest,
  type WriteOptions,
} from "./backend.ts";
import { checkedPage } from "./list-page.ts";
import {
  type DagRunRef,
  runGroupPrefix,
  scopeAddressFrom,
  scopeFromAddress,
  type StoreScope,
} from "./scope.ts";
import type { SqlDialect } from "./sql-schema.ts";
import { type SqlStatement, type SqlStatements, sqlStatements } from "./sql-text.ts";
import { checkedKey, keyFromStorable, storableFromKey } from "./state-key.ts";
import { sweepInBatches, sweepPlanFrom } from "./sweep.ts";
import type { Writer } from "./writer.ts";

export type SqlParam = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** A connection to a database whose schema is in place before the first statement runs. */
export interface SqlDriver {
  readonly dialect: SqlDialect;
  rows(statement: SqlStatement, params: readonly SqlParam[]): Promise<readonly SqlRow[]>;
  /** How many rows the statement wrote or deleted. */
  changes(statement: SqlStatement, params: readonly SqlParam[]): Promise<number>;
  /** Lets others have their turn between two batches of a long job. */
  pause(): Promise<void>;
  /** SHA-256 in hexadecimal digits; for names too long for an index. */
  digest(text: string): string;
  /** Brings the schema up to date; what the first statement would do. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

/** A name up to here, twice and in any script, fits into one entry of PostgreSQL's index. */
const INDEXED_CHARS_MAX = 400;
/** Stands before a digest; neither a group nor a storable key can begin so. */
const DIGEST_MARK = "\u0001#";
/** Below every time that an entry can expire at. */
const BEFORE_ALL_TIME = Number.MIN_SAFE_INTEGER;

/** State in a table; the same words for SQLite and for PostgreSQL, over a driver for each. */
export class SqlStateBackend implements StateBackend {
  readonly #driver: SqlDriver;
  readonly #sql: SqlStatements;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
    this.#sql = sqlStatements(driver.dialect);
  }

  /** Brings the schema up to date now instead of with the first call. */
  migrate(): Promise<void> {
    return this.#driver.migrate();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#driver.close();
  }

  async get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    const { scopeId, mapIndex } = this.#place(scope);
    const [row] = await this.#driver.rows(this.#sql.get, [scopeId, mapIndex, this.#keyId(key)]);
    return row === undefined ? undefined : entryFrom(key, row);
  }

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

  async setMany(
    scope: StoreScope,
    entries: readonly (readonly [key: string, value: string])[],
    options: WriteOptions,
  ): Promise<void> {
    const { scopeId, mapIndex, longScope } = this.#place(scope);
    // One statement may not touch a row twice, so of equal keys only the last is sent.
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

  async getMany(scope: StoreScope, keys: readonly string[]): Promise<readonly StateEntry[]> {
    const { scopeId, mapIndex } = this.#place(scope);
    const ids = JSON.stringify(keys.map((key) => this.#keyId(key)));
    const rows = await this.#driver.rows(this.#sql.getMany, [scopeId, mapIndex, ids]);
    return rows.map((row) => entryFrom(keyOf(row), row));
  }

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

  async delete(scope: StoreScope, key: string): Promise<void> {
    const { scopeId, mapIndex } = this.#place(scope);
    await this.#driver.changes(this.#sql.delete, [scopeId, mapIndex, this.#keyId(key)]);
  }

  async clear(scope: StoreScope, options: ClearOptions = {}): Promise<void> {
    const { scopeId, mapIndex } = this.#place(scope);
    if (options.allMapIndices === true) {
      await this.#driver.changes(this.#sql.clearGroup, [scopeId]);
    } else {
      await this.#driver.changes(this.#sql.clear, [scopeId, mapIndex]);
    }
  }

  async clearRun(run: DagRunRef): Promise<void> {
    const from = runGroupPrefix(run);
    // Everything that begins with `...,` lies before the same text with the next character, `...-`.
    const to = `${from.slice(0, -1)}-`;
    await this.#driver.changes(this.#sql.clearRun, [from, to, from, to]);
  }

  async list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    const { limit, offset, now = BEFORE_ALL_TIME } = checkedPage(page);
    const { scopeId, mapIndex } = this.#place(scope);
    const visible = [scopeId, mapIndex, now];
    const rows = await this.#driver.rows(this.#sql.list, [...visible, limit, offset]);
    const total = await this.#total(this.#sql.count, visible);
    return { entries: rows.map((row) => entryFrom(keyOf(row), row)), total };
  }

  async listScopes(page: Omit<ListPage, "now">): Promise<ScopePage> {
    const { limit, offset } = checkedPage(page);
    const rows = await this.#driver.rows(this.#sql.listScopes, [limit, offset]);
    const total = await this.#total(this.#sql.countScopes, []);
    const scopes = rows.map((row) => ({ scope: scopeOf(row), entries: Number(row["entries"]) }));
    return { scopes, total };
  }

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
    expiresAt: wholeOrNull(row["expires_at"]),
    updatedAt: wholeOrNull(row["updated_at"]),
    writer: typeof writer === "string" ? (JSON.parse(writer) as Writer) : null,
  };
}

/** PostgreSQL's client answers eight-byte numbers as text. */
function wholeOrNull(cell: unknown): number | null {
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
