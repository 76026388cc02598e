import { NotModelled, refusingAll } from "../not-modelled.ts";
import {
  type ConnectionParts,
  PgConnection,
  type QueryConfig,
  queryFrom,
  type QueryResult,
} from "./pg-connection.ts";
import { SEE } from "./sql-tokens.ts";

/** How many connections a pool has at most. Source: pg-pool 3, "max" */
const CONNECTIONS_MAX = 10;

/**
 * A connection that a pool has lent, with the interface of `PoolClient` of pg: `query` and
 * `release`, and `on` for its events.
 */
export interface PgPoolClient {
  /**
   * Executes a statement; statements wait for those before them.
   *
   * @internal
   */
  query<Row = Record<string, unknown>>(
    query: string | QueryConfig,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
  /**
   * Gives the connection back; with `true` or an error it is closed.
   *
   * @internal
   */
  release(destroy?: boolean | Error): void;
  /**
   * Listens to "error" and "end".
   *
   * @internal
   */
  on(event: string, listener: (...args: never) => void): this;
}

/**
 * A pool of connections to a PostgreSQL server with an outbox, with the interface of `Pool` of pg.
 *
 * - `query(text, values)` on a free connection; `connect()` for a transaction; `end()`.
 * - `on` takes listeners for "error"; a connection that is lost is not used again.
 * - The SQL is BEGIN, COMMIT, ROLLBACK and savepoints, and SELECT, INSERT, UPDATE and DELETE on one
 *   table each, with WITH, UPDATE ... FROM, DELETE ... USING, subqueries behind IN, `FOR UPDATE`
 *   with SKIP LOCKED and NOWAIT, ON CONFLICT, RETURNING, aggregates without GROUP BY, members of
 *   jsonb and advisory locks that do not wait, at the isolation level Read Committed.
 *
 * Everything else is refused by name. Types, results and errors are those of pg 8 with PostgreSQL
 * 15: a bigint is a string, a time is a Date, an error has its SQLSTATE as `code`.
 */
export interface PgPool {
  /**
   * Executes a statement on a free connection, in a transaction of its own.
   *
   * @internal
   */
  query<Row = Record<string, unknown>>(
    query: string | QueryConfig,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
  /**
   * Lends a connection, which has to be released.
   *
   * @internal
   */
  connect(): Promise<PgPoolClient>;
  /**
   * Closes all connections, once they are given back.
   *
   * @internal
   */
  end(): Promise<void>;
  /**
   * Listens to "error".
   *
   * @internal
   */
  on(event: string, listener: (...args: never) => void): this;
  /**
   * How many connections there are.
   *
   * @internal
   */
  readonly totalCount: number;
  /**
   * How many of them nobody uses.
   *
   * @internal
   */
  readonly idleCount: number;
  /**
   * How many callers wait for one.
   *
   * @internal
   */
  readonly waitingCount: number;
}

const POOL_REFUSED = ["once", "off", "removeListener", "emit", "addListener", "listenerCount"];
const CLIENT_REFUSED = [
  ...["connect", "end", "copyFrom", "copyTo", "once", "off", "removeListener", "emit"],
  ...["escapeIdentifier", "escapeLiteral", "getTypeParser", "setTypeParser", "ref", "unref"],
];

/** The pool of one producer. */
export class ModelledPool implements PgPool {
  readonly #parts: ConnectionParts;
  readonly #idle: PgConnection[] = [];
  readonly #lent = new Set<PgConnection>();
  /** Those that a caller has to give back; a query of the pool gives its own back. */
  readonly #toRelease = new Set<PgConnection>();
  readonly #waiting: (() => void)[] = [];
  #isEnded = false;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    Object.assign(this, refusingAll("Pool", POOL_REFUSED, SEE));
  }

  /** @internal */
  get options(): never {
    throw new NotModelled("Pool.options", SEE);
  }

  get totalCount(): number {
    return this.#idle.length + this.#lent.size;
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** What a producer has not given back. */
  openResources(): readonly string[] {
    return [...this.#toRelease].map((one) =>
      one.isInTransaction ? "a transaction" : "a connection that was not released",
    );
  }

  async query<Row>(
    query: string | QueryConfig,
    values?: readonly unknown[],
    ...rest: readonly unknown[]
  ): Promise<QueryResult<Row>> {
    const { text, values: params } = queryFrom(query, values, rest);
    const connection = await this.#take();
    try {
      return (await connection.query(text, params)) as QueryResult<Row>;
    } finally {
      this.#giveBack(connection);
    }
  }

  async connect(...rest: readonly unknown[]): Promise<PgPoolClient> {
    if (rest.length > 0) throw new NotModelled("a callback", SEE);
    return this.#lend(await this.#take());
  }

  async end(): Promise<void> {
    if (this.#isEnded) throw new Error("Called end on pool more than once");
    this.#isEnded = true;
    for (const connection of this.#idle.splice(0)) connection.close();
    if (this.#lent.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  on(event: string, _listener: (...args: never) => void): this {
    // A connection that breaks while nobody uses it is replaced without a word.
    if (event === "error") return this;
    throw new NotModelled(`Pool.on(${JSON.stringify(event)})`, SEE);
  }

  #lend(connection: PgConnection): PgPoolClient {
    this.#toRelease.add(connection);
    let isReleased = false;
    const client: PgPoolClient = {
      ...refusingAll("PoolClient", CLIENT_REFUSED, SEE),
      query: async (query, values, ...rest: readonly unknown[]) => {
        const { text, values: params } = queryFrom(query, values, rest);
        return (await connection.query(text, params)) as QueryResult<never>;
      },
      release: (destroy = false) => {
        if (isReleased) {
          throw new Error("Release called on client which has already been released to the pool.");
        }
        isReleased = true;
        if (destroy !== false) connection.close();
        this.#toRelease.delete(connection);
        this.#giveBack(connection);
      },
      on: (event) => {
        if (event === "error" || event === "end") return client;
        throw new NotModelled(`PoolClient.on(${JSON.stringify(event)})`, SEE);
      },
    };
    return client;
  }

  async #take(): Promise<PgConnection> {
    if (this.#isEnded) throw new Error("Cannot use a pool after calling end on the pool");
    while (this.#idle.length === 0 && this.#lent.size >= CONNECTIONS_MAX) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    for (const known of this.#idle.splice(0)) if (known.isUsable) this.#idle.push(known);
    const connection = this.#idle.pop() ?? new PgConnection(this.#parts);
    this.#lent.add(connection);
    return connection;
  }

  #giveBack(connection: PgConnection): void {
    this.#lent.delete(connection);
    if (this.#isEnded) connection.close();
    else if (connection.isUsable) this.#idle.push(connection);
    if (!this.#isEnded || this.#lent.size === 0) this.#waiting.shift()?.();
  }
}
