import { Emitter } from "../emitter.ts";
import { NotModelled, refusingAll } from "../not-modelled.ts";
import type { PgConnection } from "./pg-connection.ts";
import {
  type Callback,
  calledBack,
  type QueryConfig,
  queryFrom,
  type QueryResult,
} from "./pg-query.ts";
import { SEE } from "./sql-tokens.ts";

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
   * Listens to "error", "end", "notification" and the others of pg. What breaks the connection while
   * it is lent is an "error", which is thrown where nobody listens.
   *
   * @internal
   */
  on(event: string, listener: (...args: never[]) => void): this;
}

/** What a connection is given back with; the pool tells its listeners of it, whatever it is. */
export type Destroying = boolean | Error | null | undefined;

const REFUSED = [
  ...["connect", "end", "copyFrom", "copyTo", "getTypeParser", "setTypeParser", "ref", "unref"],
] as const;
const EVENTS = ["error", "end", "notification", "notice", "drain"];

/** A client of pg: the same one each time when its connection is lent. */
export class ModelledPoolClient extends Emitter implements PgPoolClient {
  static {
    Object.defineProperty(this, "name", { value: "Client" });
  }

  readonly #connection: PgConnection;
  readonly #giveBack: (destroy: Destroying) => void;
  #isReleased = true;
  #isEnded = false;

  constructor(connection: PgConnection, giveBack: (destroy: Destroying) => void) {
    super({ added: assertKnown, removed: () => undefined });
    this.#connection = connection;
    this.#giveBack = giveBack;
    Object.assign(this, refusingAll("PoolClient", REFUSED, SEE));
  }

  /** How the pool was set up, which is no matter of the producer. */
  get database(): never {
    throw new NotModelled("PoolClient.database", SEE);
  }

  get user(): never {
    throw new NotModelled("PoolClient.user", SEE);
  }

  get host(): never {
    throw new NotModelled("PoolClient.host", SEE);
  }

  get port(): never {
    throw new NotModelled("PoolClient.port", SEE);
  }

  /** The number of the server's process. */
  get processID(): number {
    return this.#connection.processId;
  }

  get isLent(): boolean {
    return !this.#isReleased;
  }

  lend(): this {
    this.#isReleased = false;
    return this;
  }

  query<Row>(
    query: string | QueryConfig,
    values?: readonly unknown[] | Callback,
    done?: Callback,
  ): Promise<QueryResult<Row>> {
    const call = queryFrom(query, values, done);
    const result = this.#connection.query(call) as Promise<QueryResult<Row>>;
    return calledBack(result, call.done, (value) => [value], null) as Promise<QueryResult<Row>>;
  }

  /** Is called as a function of its own too, as the callback of `connect` gets it. */
  readonly release = (destroy?: Destroying): void => {
    if (this.#isReleased) {
      throw new Error("Release called on client which has already been released to the pool.");
    }
    this.#isReleased = true;
    this.#giveBack(destroy);
  };

  escapeIdentifier(name: string): string {
    return `"${name.replaceAll('"', '""')}"`;
  }

  escapeLiteral(text: string): string {
    const quoted = `'${text.replaceAll("'", "''").replaceAll("\\", "\\\\")}'`;
    return text.includes("\\") ? ` E${quoted}` : quoted;
  }

  /** Tells once that its connection is no more. */
  ended(): void {
    if (!this.#isEnded) this.emit("end");
    this.#isEnded = true;
  }

  /** Gives an error to who listens. An event emitter throws one that nobody listens to. */
  fail(error: Error): void {
    if (!this.emit("error", error)) this.#connection.throwLater(error);
  }
}

function assertKnown(event: string): void {
  if (!EVENTS.includes(event)) {
    throw new NotModelled(`PoolClient.on(${JSON.stringify(event)})`, SEE);
  }
}
