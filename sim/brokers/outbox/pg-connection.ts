import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { isTransportError, once } from "../library-call.ts";
import { NotModelled } from "../not-modelled.ts";
import type { Notification } from "./notifications.ts";
import { kindOf, type OutboxServer } from "./outbox-server.ts";
import type { EndReason, Reply, Session } from "./outbox-session.ts";
import { EMPTY_REPLY, isEmpty, type QueryCall, type QueryResult, resultFrom } from "./pg-query.ts";
import { ConnectionEnded, SqlError } from "./sql-error.ts";
import { bound } from "./sql-param-types.ts";
import { Blocked } from "./transaction.ts";

/** What a pool and the server know of a connection. */
export interface ConnectionParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: OutboxServer;
  readonly consumer: string;
}

/** What the owner of a connection hears of it. */
export interface ConnectionWatch {
  /** The connection is lost: the errors that the library has for it, one after the other. */
  lost(errors: readonly Error[]): void;
  notified(notification: Notification): void;
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
  set: "broker.session",
  "create-table": "broker.session",
  "create-index": "broker.session",
  listen: "broker.session",
  unlisten: "broker.session",
  notify: "broker.session",
};
/** How long a server takes to notice that its client is gone, where nothing tells it. */
const UNNOTICED_MS = 10_000;
const NOT_QUERYABLE = "Client has encountered a connection error and is not queryable";
const CLOSED = "Client was closed and is not queryable";

/** A connection of a pool: it executes one statement after the other. */
export class PgConnection {
  readonly #parts: ConnectionParts;
  readonly #watch: ConnectionWatch;
  readonly #session: Session;
  /** The texts of prepared statements, by their names. */
  readonly #texts = new Map<string, string>();
  #last: Promise<unknown> = Promise.resolve();
  #underWay = 0;
  /** Whether a statement has got to the server: a connection is made with its first. */
  #isMade = false;
  #isBroken = false;
  #isClosed = false;
  /** What a query on a connection is refused with that is broken. */
  #refusal = NOT_QUERYABLE;
  /** What queries reject with that were waiting when the connection was lost. */
  #lostBy: Error | undefined;
  #endedBy: EndReason | undefined;

  constructor(parts: ConnectionParts, watch: ConnectionWatch) {
    const { port, server, consumer } = parts;
    this.#parts = parts;
    this.#watch = watch;
    this.#session = server.connect(consumer, {
      ended: (reason) => void port.after(1, () => this.#ended(reason), { hop: false }),
      notified: (told) => void port.after(1, () => this.#notified(told), { hop: false }),
    });
    // The system of a process that dies closes its connections.
    port.onDeath(() => server.forget(this.#session));
  }

  get isInTransaction(): boolean {
    return this.#session.isInTransaction;
  }

  get processId(): number {
    return this.#session.processId;
  }

  /** Whether it can execute statements, as far as the client knows. */
  get isUsable(): boolean {
    return !this.#isBroken && !this.#session.isEnded;
  }

  query(call: QueryCall): Promise<QueryResult> {
    this.#underWay += 1;
    const isInTime = !this.#isBroken;
    const result = this.#last.then(() => {
      if (isInTime && this.#lostBy !== undefined) throw this.#lostBy;
      return this.#run(call);
    });
    this.#last = result.then(
      () => this.#done(),
      () => this.#done(),
    );
    return result;
  }

  close(): void {
    if (!this.#isBroken) this.#refusal = CLOSED;
    this.#isBroken = true;
    this.#isClosed = true;
    this.#parts.port.after(1, () => this.#parts.server.forget(this.#session), { hop: false });
  }

  /** Throws where nobody can catch it. */
  throwLater(error: Error): void {
    this.#parts.port.after(0, () => {
      throw error;
    });
  }

  #done(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0 && this.#endedBy !== undefined) this.#ended(this.#endedBy);
  }

  /** The server has ended the connection, and the client hears of it when it has its reply. */
  #ended(reason: EndReason): void {
    this.#endedBy = reason;
    if (this.#underWay > 0 || this.#isBroken) return;
    this.#isBroken = true;
    const unexpected = new ConnectionEnded("Connection terminated unexpectedly");
    this.#watch.lost(reason === "administrator" ? [byAdministrator(), unexpected] : [unexpected]);
  }

  #notified(told: Notification): void {
    if (!this.#isBroken) this.#watch.notified(told);
  }

  async #run(given: QueryCall): Promise<QueryResult> {
    const { port, host } = this.#parts;
    let waitsSince: number | undefined;
    for (;;) {
      if (this.#isBroken) throw new ConnectionEnded(this.#refusal);
      const call = this.#prepared(given);
      if (call.refusal !== undefined) throw call.refusal;
      const site = isEmpty(call.text) ? "broker.session" : SITES[kindOf(call.text)];
      try {
        const effect = once(() => this.#execute(call, waitsSince));
        return resultFrom(await port.call(site, host, effect), call);
      } catch (error) {
        if (!(error instanceof Blocked)) throw this.#errorFrom(error);
        waitsSince ??= port.world.now;
        await this.#unblocked(error, waitsSince);
      }
    }
  }

  /**
   * Returns the statement that the server has under this name, if there is one; no text is that of
   * any, and stands for itself where it came first.
   *
   * @throws {Error} for a name that another statement has
   */
  #prepared(call: QueryCall): QueryCall {
    const { name, text } = call;
    if (name === undefined || name === "") return call;
    const known = this.#texts.get(name);
    if (known === undefined || known === text) return call;
    if (known === "" || text === "") return { ...call, text: known };
    const what = "Prepared statements must be unique";
    throw new Error(`${what} - '${name}' was used for a different statement`);
  }

  /** Resolves when the other transaction has ended, or when the statement may wait no longer. */
  #unblocked(blocked: Blocked, since: number): Promise<void> {
    const { port } = this.#parts;
    const { limitMs } = this.#session.waitLimit;
    return new Promise((resolve) => {
      blocked.by.onEnd(() => void port.after(1, resolve));
      if (limitMs === undefined) return;
      port.after(Math.max(1, since + limitMs - port.world.now), resolve, { hop: false });
    });
  }

  #execute(call: QueryCall, waitsSince: number | undefined): Reply {
    this.#isMade = true;
    const { text, values, name } = call;
    const { server } = this.#parts;
    const isInTransaction = this.#session.isInTransaction && !isEmpty(text);
    if (isInTransaction && kindOf(text) === "commit" && server.lostCommit.strikes())
      server.endAll("administrator");
    if (this.#session.isEnded) throw byAdministrator();
    const parsed = (): void => {
      if (name !== undefined && name !== "") this.#texts.set(name, text);
    };
    if (isEmpty(text)) {
      parsed();
      return emptied(call);
    }
    try {
      return this.#session.run(text, values, name, parsed);
    } catch (error) {
      const { limitMs, overdue } = this.#session.waitLimit;
      const isOver = waitsSince !== undefined && limitMs !== undefined;
      if (!(error instanceof Blocked) || !isOver) throw error;
      if (this.#parts.port.world.now < waitsSince + limitMs) throw error;
      throw this.#session.failed(overdue);
    }
  }

  /** What the network does to a call is the end of its connection. */
  #errorFrom(error: unknown): unknown {
    if (error instanceof NotModelled) return error;
    const isNetwork = isTransportError(error);
    if (!isNetwork && !this.#session.isEnded) return error;
    const wasBroken = this.#isBroken;
    this.#isBroken = true;
    const { port, server } = this.#parts;
    const isSilent = isNetwork && error.name === "CallTimedOut";
    const options = { lane: `${this.#parts.host} connections`, hop: false };
    port.world.schedule(isSilent ? UNNOTICED_MS : 1, options, () => server.forget(this.#session));
    // There is no connection of which something could be told.
    if (isNetwork && error.name === "ConnectionRefused" && !this.#isMade) return refused();
    const unexpected = isSilent
      ? new ConnectionEnded("read ETIMEDOUT", "ETIMEDOUT")
      : new ConnectionEnded("Connection terminated unexpectedly");
    if (wasBroken) return isNetwork ? unexpected : error;
    this.#lostBy = unexpected;
    if (isNetwork) this.#watch.lost([unexpected]);
    else port.after(1, () => this.#lostAfterwards(unexpected), { hop: false });
    return isNetwork ? unexpected : error;
  }

  /** A statement was told why; who has closed the connection meanwhile hears no more. */
  #lostAfterwards(error: Error): void {
    if (!this.#isClosed) this.#watch.lost([error]);
  }
}

/** @throws {SqlError} for parameters of what is no statement */
function emptied({ values, name = "" }: QueryCall): Reply {
  bound(values, [], name);
  return EMPTY_REPLY;
}

/** Where nobody listens at the server's port. */
function refused(): Error {
  const [address, port] = ["127.0.0.1", 5_432] as const;
  const at = { errno: -111, syscall: "connect", address, port };
  const message = `connect ECONNREFUSED ${address}:${port}`;
  return Object.assign(new ConnectionEnded(message, "ECONNREFUSED"), at);
}

function byAdministrator(): SqlError {
  return new SqlError("57P01", "terminating connection due to administrator command", {
    severity: "FATAL",
  });
}
