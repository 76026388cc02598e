import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { isTransportError, once } from "../library-call.ts";
import { NotModelled } from "../not-modelled.ts";
import type { OutboxServer, Reply, Session } from "./outbox-server.ts";
import { kindOf } from "./outbox-server.ts";
import { ConnectionEnded, SqlError } from "./sql-error.ts";
import { SEE } from "./sql-tokens.ts";
import type { SqlType } from "./sql-values.ts";
import { Blocked } from "./transaction.ts";

/** A statement with its parameters, as an object. */
export interface QueryConfig {
  /** The statement, with `$1` for the first parameter. */
  readonly text: string;
  /** The parameters. */
  readonly values?: readonly unknown[];
  /** Makes it a prepared statement. */
  readonly name?: string;
}

/** The result of a statement. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface QueryResult<Row = Record<string, any>> {
  /** The rows, by column; empty for a statement that returns none. */
  readonly rows: Row[];
  /** How many rows were found or changed; null for a statement that is not about rows. */
  readonly rowCount: number | null;
  /** "SELECT", "UPDATE" and so on; "ROLLBACK" also for a COMMIT of a transaction that failed. */
  readonly command: string;
  /** The columns, with the number of their type. */
  readonly fields: { readonly name: string; readonly dataTypeID: number }[];
  /** Always null: no row has a number of its own. */
  readonly oid: null;
}

/** What a pool and the server know of a connection. */
export interface ConnectionParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: OutboxServer;
  readonly consumer: string;
}

const SITES: Readonly<Record<ReturnType<typeof kindOf>, SiteName>> = {
  select: "broker.fetch",
  update: "broker.fetch",
  insert: "broker.produce",
  delete: "broker.settle",
  begin: "broker.session",
  start: "broker.session",
  commit: "broker.settle",
  rollback: "broker.settle",
  savepoint: "broker.session",
  "rollback-to": "broker.session",
  release: "broker.session",
};
/** Source: PostgreSQL, pg_type.dat */
const TYPE_NUMBERS: Readonly<Record<SqlType, number>> = {
  boolean: 16,
  bigint: 20,
  integer: 23,
  text: 25,
  "double precision": 701,
  numeric: 1_700,
  "timestamp with time zone": 1_184,
  interval: 1_186,
  jsonb: 3_802,
  unknown: 25,
};
/** How long a server takes to notice that its client is gone, where nothing tells it. */
const UNNOTICED_MS = 10_000;

/** A connection of a pool: it executes one statement after the other. */
export class PgConnection {
  readonly #parts: ConnectionParts;
  readonly #session: Session;
  #last: Promise<unknown> = Promise.resolve();
  #isBroken = false;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#session = parts.server.connect(parts.consumer);
    // The system of a process that dies closes its connections.
    parts.port.onDeath(() => parts.server.forget(this.#session));
  }

  get isInTransaction(): boolean {
    return this.#session.isInTransaction;
  }

  /** Whether it can execute statements, as far as the client knows. */
  get isUsable(): boolean {
    return !this.#isBroken && !this.#session.isEnded;
  }

  query(text: string, values: readonly unknown[]): Promise<QueryResult> {
    const result = this.#last.then(() => this.#run(text, values));
    this.#last = result.catch(() => undefined);
    return result;
  }

  close(): void {
    this.#isBroken = true;
    this.#parts.port.after(1, () => this.#parts.server.forget(this.#session), { hop: false });
  }

  async #run(text: string, values: readonly unknown[]): Promise<QueryResult> {
    const { port, host } = this.#parts;
    const site = SITES[kindOf(text)];
    for (;;) {
      if (this.#isBroken) {
        const why = "Client has encountered a connection error and is not queryable";
        throw new ConnectionEnded(why);
      }
      try {
        return resultFrom(
          await port.call(
            site,
            host,
            once(() => this.#execute(text, values)),
          ),
        );
      } catch (error) {
        if (!(error instanceof Blocked)) throw this.#errorFrom(error);
        await new Promise<void>((resolve) => {
          error.by.onEnd(() => void port.after(1, resolve));
        });
      }
    }
  }

  #execute(text: string, values: readonly unknown[]): Reply {
    if (!this.#session.isEnded) return this.#session.run(text, values);
    throw new SqlError("57P01", "terminating connection due to administrator command", {
      severity: "FATAL",
    });
  }

  /** What the network does to a call is the end of its connection. */
  #errorFrom(error: unknown): unknown {
    if (error instanceof NotModelled) return error;
    const isNetwork = isTransportError(error);
    if (!isNetwork && !this.#session.isEnded) return error;
    this.#isBroken = true;
    const { port, server } = this.#parts;
    const isSilent = isNetwork && error.name === "CallTimedOut";
    const options = { lane: `${this.#parts.host} connections`, hop: false };
    port.world.schedule(isSilent ? UNNOTICED_MS : 1, options, () => server.forget(this.#session));
    if (!isNetwork) return error;
    return isSilent
      ? new ConnectionEnded("read ETIMEDOUT", "ETIMEDOUT")
      : new ConnectionEnded("Connection terminated unexpectedly");
  }
}

function resultFrom(reply: Reply): QueryResult {
  const oid = null;
  if (!("rows" in reply)) {
    return { command: reply.command, rowCount: null, rows: [], fields: [], oid };
  }
  const { command, rowCount, rows } = reply;
  const fields = reply.fields.map(({ name, type }) => ({ name, dataTypeID: TYPE_NUMBERS[type] }));
  return { command, rowCount, rows: rows.map((row) => ({ ...row })), fields, oid };
}

const CONFIG_MEMBERS = ["text", "values", "name"];

/** Reads the arguments of `query`. */
export function queryFrom(
  query: string | QueryConfig,
  values: readonly unknown[] | undefined,
  rest: readonly unknown[],
): { readonly text: string; readonly values: readonly unknown[] } {
  if (rest.length > 0 || typeof values === "function") throw new NotModelled("a callback", SEE);
  if (typeof query === "string") return { text: query, values: values ?? [] };
  if (typeof query !== "object" || query === null || typeof query.text !== "string") {
    throw new TypeError(
      "A query must have either text or a name. Supplying neither is unsupported.",
    );
  }
  const other = Object.keys(query).find((name) => !CONFIG_MEMBERS.includes(name));
  if (other !== undefined) throw new NotModelled(`query() with ${other}`, SEE);
  return { text: query.text, values: query.values ?? values ?? [] };
}
