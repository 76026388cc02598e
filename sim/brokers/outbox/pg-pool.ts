import { Emitter } from "../emitter.ts";
import { NotModelled } from "../not-modelled.ts";
import { type Destroying, ModelledPoolClient, type PgPoolClient } from "./pg-client.ts";
import { type ConnectionParts, PgConnection } from "./pg-connection.ts";
import {
  type Callback,
  calledBack,
  type QueryConfig,
  queryFrom,
  type QueryResult,
} from "./pg-query.ts";
import { SEE } from "./sql-tokens.ts";

/** How many connections a pool has at most. Source: pg-pool 3, "max" */
const CONNECTIONS_MAX = 10;

/** The settings of a pool. */
interface PgPoolOptions {
  readonly max: number;
  readonly min: number;
  readonly maxUses: number;
  readonly allowExitOnIdle: boolean;
  readonly maxLifetimeSeconds: number;
  readonly idleTimeoutMillis: number;
}

/**
 * A pool of connections to a PostgreSQL server with an outbox, with the interface of `Pool` of pg.
 *
 * - `query(text, values)` on a free connection; `connect()` for a transaction; `end()`.
 * - A connection that is lost is not used again. One that nobody uses is an event "error" of the
 *   pool; one that is lent is an "error" of its client, which is thrown where nobody listens.
 * - The SQL is BEGIN, COMMIT, ROLLBACK and savepoints, and SELECT, INSERT, UPDATE and DELETE on one
 *   table each, with WITH, UPDATE ... FROM, DELETE ... USING, subqueries behind IN and EXISTS, or
 *   as values, DISTINCT ON, `FOR UPDATE` with SKIP LOCKED and NOWAIT, ON CONFLICT, RETURNING,
 *   aggregates without GROUP BY, members of jsonb and advisory locks, at the isolation level
 *   Read Committed; LISTEN, NOTIFY and pg_notify; SET of the timeouts of locks and statements.
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
   * Listens to "error", "connect", "acquire", "release" and "remove".
   *
   * @internal
   */
  on(event: string, listener: (...args: never[]) => void): this;
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

const EVENTS = ["connect", "acquire", "release", "remove", "error"];

/** How a pool is set up where nobody says otherwise. */
const OPTIONS: PgPoolOptions = {
  max: CONNECTIONS_MAX,
  min: 0,
  maxUses: Number.POSITIVE_INFINITY,
  allowExitOnIdle: false,
  maxLifetimeSeconds: 0,
  idleTimeoutMillis: 10_000,
};

/** A connection of the pool, and the client by which it is lent. */
interface Pooled {
  readonly connection: PgConnection;
  readonly client: ModelledPoolClient;
}

/** The pool of one producer. */
export class ModelledPool extends Emitter implements PgPool {
  readonly options: PgPoolOptions = OPTIONS;
  readonly #parts: ConnectionParts;
  readonly #idle: Pooled[] = [];
  readonly #lent = new Set<Pooled>();
  /** Those that a caller has to give back; a query of the pool gives its own back. */
  readonly #toRelease = new Set<Pooled>();
  readonly #waiting: ((pooled: Pooled) => void)[] = [];
  /** Called when it has ended; whether it is there says that it ends. */
  #whenEnded: (() => void) | undefined;
  #isEnded = false;

  constructor(parts: ConnectionParts) {
    super({ added: assertKnown, removed: () => undefined });
    this.#parts = parts;
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

  /** How many connections are too old; none ever is. */
  get expiredCount(): number {
    return 0;
  }

  get ending(): boolean {
    return this.#whenEnded !== undefined;
  }

  get ended(): boolean {
    return this.#isEnded;
  }

  /** What a producer has not given back. */
  openResources(): readonly string[] {
    return [...this.#toRelease].map(({ connection }) =>
      connection.isInTransaction ? "a transaction" : "a connection that was not released",
    );
  }

  query<Row>(
    query: string | QueryConfig,
    values?: readonly unknown[] | Callback,
    done?: Callback,
  ): Promise<QueryResult<Row>> {
    const last = typeof values === "function" ? values : done;
    const result = this.#queried(query, typeof values === "function" ? undefined : values);
    return calledBack(result as Promise<QueryResult<Row>>, last) as Promise<QueryResult<Row>>;
  }

  /** A callback gets the client, and the function that gives it back. */
  connect(done?: Callback): Promise<PgPoolClient> {
    const lending = this.#connected();
    const lent = calledBack(lending, done, (client) => [client, client.release]);
    return lent as Promise<PgPoolClient>;
  }

  end(done?: Callback): Promise<void> {
    const ending = this.#end();
    return calledBack(ending, done, () => []) as Promise<void>;
  }

  async #queried(query: string | QueryConfig, values?: readonly unknown[]): Promise<QueryResult> {
    this.#assertOpen();
    const pooled = await this.#take();
    try {
      const result = await pooled.connection.query(queryFrom(query, values, undefined));
      this.#giveBack(pooled, null);
      return result;
    } catch (error) {
      // The library keeps no connection on which a query of the pool has failed.
      this.#giveBack(pooled, error as Error);
      throw error;
    }
  }

  async #connected(): Promise<ModelledPoolClient> {
    const pooled = await this.#take();
    this.#toRelease.add(pooled);
    return pooled.client.lend();
  }

  async #end(): Promise<void> {
    if (this.ending) throw new Error("Called end on pool more than once");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenEnded = resolve;
    this.#serve();
    await promise;
  }

  /** The library looks whether the pool has ended before it looks at the query. */
  #assertOpen(): void {
    if (this.ending) throw new Error("Cannot use a pool after calling end on the pool");
  }

  /** As in the library, who waits for a connection when the pool ends waits for ever. */
  async #take(): Promise<Pooled> {
    this.#assertOpen();
    if (this.#idle.length === 0 && this.#lent.size < CONNECTIONS_MAX) return this.#lend();
    // An idle connection is given out a moment later, behind those who wait already.
    if (this.#idle.length > 0) void Promise.resolve().then(() => this.#serve());
    return await new Promise<Pooled>((resolve) => void this.#waiting.push(resolve));
  }

  /** Gives a connection to whoever has waited longest, or ends when all were given back. */
  #serve(): void {
    if (this.#isEnded) return;
    if (this.ending) {
      for (const pooled of this.#idle.splice(0)) this.#remove(pooled);
      if (this.#lent.size > 0) return;
      this.#isEnded = true;
      this.#whenEnded?.();
      return;
    }
    if (this.#idle.length === 0 && this.#lent.size >= CONNECTIONS_MAX) return;
    const next = this.#waiting.shift();
    if (next !== undefined) next(this.#lend());
  }

  #lend(): Pooled {
    for (const known of this.#idle.splice(0)) {
      if (known.connection.isUsable) this.#idle.push(known);
      else this.#removed(known);
    }
    const pooled = this.#idle.pop() ?? this.#opened();
    this.#lent.add(pooled);
    this.emit("acquire", pooled.client);
    return pooled;
  }

  #opened(): Pooled {
    const connection: PgConnection = new PgConnection(this.#parts, {
      lost: (errors) => this.#lost(pooled, errors),
      notified: (notification) => void client.emit("notification", notification),
    });
    const client: ModelledPoolClient = new ModelledPoolClient(connection, (destroy) => {
      this.#toRelease.delete(pooled);
      this.#giveBack(pooled, destroy);
    });
    const pooled: Pooled = { connection, client };
    this.emit("connect", client);
    return pooled;
  }

  /**
   * The connection was lost. The pool tells of one that nobody uses; whoever has made the pool has
   * to listen, which need not be the producer that is checked.
   */
  #lost(pooled: Pooled, errors: readonly Error[]): void {
    const { client } = pooled;
    const at = this.#idle.indexOf(pooled);
    if (at >= 0) {
      this.#idle.splice(at, 1);
      this.emit("error", errors[0], client);
      this.#removed(pooled);
    } else if (client.isLent) {
      // Who gives it back on the first error hears of no other: the pool has closed it by then.
      for (const error of errors) if (client.isLent) client.fail(error);
      client.ended();
    }
  }

  #giveBack(pooled: Pooled, destroy: Destroying): void {
    this.#lent.delete(pooled);
    this.emit("release", destroy, pooled.client);
    if (destroy || this.ending || !pooled.connection.isUsable) this.#remove(pooled);
    else this.#idle.push(pooled);
    this.#serve();
  }

  #remove(pooled: Pooled): void {
    pooled.connection.close();
    this.#removed(pooled);
  }

  /** A little later, as the connection is closed first. */
  #removed({ client }: Pooled): void {
    this.#parts.port.after(
      1,
      () => {
        this.emit("remove", client);
        client.ended();
      },
      { hop: false },
    );
  }
}

function assertKnown(event: string): void {
  if (!EVENTS.includes(event)) throw new NotModelled(`Pool.on(${JSON.stringify(event)})`, SEE);
}
