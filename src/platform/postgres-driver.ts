import { createHash } from "node:crypto";
import { Pool, type QueryResult } from "pg";
import type { SqlDriver, SqlParam, SqlRow, SqlStatement } from "../store/mod.ts";
import { CREATE_VERSION_TABLE, migrationFrom, SELECT_VERSION } from "../store/mod.ts";

export interface PostgresOptions {
  /** How many connections there may be. 10 unless said otherwise. */
  readonly connectionsMax?: number;
  /** How long to wait for one. 10 s unless said otherwise; 0: for ever. */
  readonly connectTimeoutMs?: number;
  /**
   * Whether the server keeps each statement's plan per connection. True unless said otherwise;
   * false behind a pooler that hands connections around between statements.
   */
  readonly prepare?: boolean;
}

const CONNECTIONS_DEFAULT = 10;
const CONNECT_TIMEOUT_DEFAULT_MS = 10_000;
/** The advisory lock of our migrators: any number that nobody else takes. */
const MIGRATION_LOCK = 7_016_423_115;

/** PostgreSQL over a pool of connections. */
export class PostgresDriver implements SqlDriver {
  readonly dialect = "postgres";
  readonly #pool: Pool;
  readonly #ownsPool: boolean;
  readonly #prepare: boolean;
  #migrated: Promise<void> | undefined;

  constructor(server: string | Pool, options: PostgresOptions) {
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
    // An idle connection that breaks is replaced by the pool; unheard, its error would end the
    // process.
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
    // Each statement is a turn of the event loop already.
  }

  digest(text: string): string {
    return createHash("sha256").update(text).digest("hex");
  }

  migrate(): Promise<void> {
    this.#migrated ??= bringUpToDate(this.#pool).catch((error: unknown) => {
      // The next call tries again: what stood in the way may be gone by then.
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

/** One migrator at a time holds the lock; whoever comes second finds nothing left to do. */
async function bringUpToDate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(CREATE_VERSION_TABLE);
    const { rows } = await client.query<{ version: number | null }>(SELECT_VERSION);
    for (const statement of migrationFrom("postgres", rows[0]?.version ?? 0)) {
      await client.query(statement);
    }
    await client.query("COMMIT");
  } catch (error) {
    // A connection that failed is thrown away, and its transaction with it.
    client.release(true);
    throw error;
  }
  client.release();
}
