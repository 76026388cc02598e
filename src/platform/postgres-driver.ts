import { createHash } from "node:crypto";
import { Pool, type QueryResult } from "pg";
import { checkedOptions } from "../checked-options.ts";
import type { SqlDriver, SqlParam, SqlRow, SqlStatement } from "../store/sql/mod.ts";
import { CREATE_VERSION_TABLE, migrationFrom, SELECT_VERSION } from "../store/sql/mod.ts";

/** Settings of a `PostgresStateBackend`. */
export interface PostgresOptions {
  /** The largest number of connections; 10 by default. */
  readonly connectionsMax?: number;
  /** How long to wait for a connection; 10 s by default, 0 means without limit. */
  readonly connectTimeoutMs?: number;
  /**
   * Whether to use prepared statements; true by default. Use false behind a pooler that assigns
   * connections per statement.
   */
  readonly prepare?: boolean;
}

const OPTIONS: readonly (keyof PostgresOptions)[] = [
  "connectionsMax",
  "connectTimeoutMs",
  "prepare",
];
const CONNECTIONS_DEFAULT = 10;
const CONNECT_TIMEOUT_DEFAULT_MS = 10_000;
/** The advisory lock of migrations; an arbitrary number that nobody else uses. */
const MIGRATION_LOCK = 7_016_423_115;

/** A driver for `pg`, over a pool of connections. */
export class PostgresDriver implements SqlDriver {
  readonly dialect = "postgres";
  readonly #pool: Pool;
  readonly #ownsPool: boolean;
  readonly #prepare: boolean;
  #migrated: Promise<void> | undefined;

  constructor(server: string | Pool, options: PostgresOptions) {
    checkedOptions(options, OPTIONS, "PostgresStateBackend");
    this.#prepare = options.prepare ?? true;
    this.#ownsPool = typeof server === "string";
    this.#pool =
      typeof server === "string"
        ? new Pool({
            connectionString: server,
            max: options.connectionsMax ?? CONNECTIONS_DEFAULT,
            connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_DEFAULT_MS,
          })
        : server;
    // The pool replaces an idle connection that breaks, but without a listener the error event
    // would end the process.
    if (this.#ownsPool) this.#pool.on("error", () => undefined);
  }

  async rows(statement: SqlStatement, params: readonly SqlParam[]): Promise<readonly SqlRow[]> {
    const result = await this.#query(statement, params);
    return result.rows;
  }

  async changes(statement: SqlStatement, params: readonly SqlParam[]): Promise<number> {
    const result = await this.#query(statement, params);
    return result.rowCount ?? 0;
  }

  async pause(): Promise<void> {
    // Awaiting a statement already yields to the event loop.
  }

  digest(text: string): string {
    return createHash("sha256").update(text).digest("hex");
  }

  migrate(): Promise<void> {
    this.#migrated ??= bringUpToDate(this.#pool).catch((error: unknown) => {
      // Let the next call try again: the cause may be temporary.
      this.#migrated = undefined;
      throw error;
    });
    return this.#migrated;
  }

  async close(): Promise<void> {
    if (this.#ownsPool && !this.#pool.ended) await this.#pool.end();
  }

  async #query(
    { name, text }: SqlStatement,
    values: readonly SqlParam[],
  ): Promise<QueryResult<SqlRow>> {
    await this.migrate();
    const named = this.#prepare ? { name } : {};
    return this.#pool.query<SqlRow>({ ...named, text, values: [...values] });
  }
}

/** The versions that the schema serves; null in an empty database. */
interface Versions {
  readonly version: number | null;
  readonly oldest: number | null;
}

/** Migrates under an advisory lock; a second process then finds the schema up to date. */
async function bringUpToDate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(CREATE_VERSION_TABLE);
    const { rows } = await client.query<Versions>(SELECT_VERSION);
    const { version, oldest } = rows[0] as Versions;
    for (const statement of migrationFrom("postgres", version ?? 0, oldest ?? 0)) {
      await client.query(statement);
    }
    await client.query("COMMIT");
  } catch (error) {
    // Discards the connection, and with it the open transaction.
    client.release(true);
    throw error;
  }
  client.release();
}
