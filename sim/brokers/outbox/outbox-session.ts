import { rowsOfIndex } from "./index-condition.ts";
import { NotModelled } from "../not-modelled.ts";
import { execute, type Outcome } from "./execute.ts";
import type { Misfortune } from "./misfortune.ts";
import { type Notification, notificationOf, type Notifications } from "./notifications.ts";
import type { OutboxLeases } from "./outbox-leases.ts";
import { SessionSettings } from "./session-settings.ts";
import { SqlError } from "./sql-error.ts";
import type { Analysed } from "./sql-analysis.ts";
import { bound } from "./sql-param-types.ts";
import { statementFrom } from "./sql-parser.ts";
import type { Database } from "./sql-reading.ts";
import type { RowStatement, Statement, WithStatement } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import type { SqlValue } from "./sql-values.ts";
import type { Table } from "./table.ts";
import { AdvisoryTurns } from "./advisory-turns.ts";
import type { AdvisoryLocks } from "./advisory-locks.ts";
import { Blocked, type Locker, Transaction } from "./transaction.ts";

/** What a statement returns, and what those that are not about rows do. */
export type Reply = Outcome | { readonly command: Command };

type Command =
  | ("BEGIN" | "START" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" | "RELEASE")
  | ("CREATE" | "SET" | "RESET" | "LISTEN" | "UNLISTEN" | "NOTIFY")
  /** Of a statement in which there is nothing. */
  | "";
type OfCreation = Extract<Statement, { kind: "create-table" | "create-index" }>;
/** A statement that changes the connection and no row. */
type OfSession = Extract<Statement, { kind: "set" | "listen" | "unlisten" | "notify" }>;

/** Why a connection was ended: by an operator or a fail-over, or with its server. */
export type EndReason = "administrator" | "crash";

/** What the client's side hears from the server. */
export interface SessionWatch {
  ended(reason: EndReason): void;
  notified(notification: Notification): void;
}

/** What a connection needs of its server. */
interface SessionServer {
  readonly wallNow: number;
  readonly notifications: Notifications;
  knownTable(name: string): Table;
  tableOf(name: string, role: string): Table;
  analysed(statement: RowStatement | WithStatement, count: number, isPrepared: boolean): Analysed;
  readonly advisory: AdvisoryLocks;
  readonly deadlock: Pick<Misfortune, "strikes">;
}

interface SessionNames {
  readonly consumer: string;
  readonly processId: number;
}

const ABORTED = "current transaction is aborted, commands ignored until end of transaction block";

/** A connection as the server has it. */
export class Session implements Locker {
  waitsFor: Locker | undefined;
  readonly processId: number;
  readonly #server: SessionServer;
  readonly #consumer: string;
  readonly #leases: OutboxLeases;
  readonly #watch: SessionWatch | undefined;
  readonly #settings = new SessionSettings();
  readonly #turns = new AdvisoryTurns();
  #transaction: Transaction | undefined;
  /** What the transaction does when it is committed. */
  #atCommit: (() => void)[] = [];
  #toSend: Notification[] = [];
  /** What it has heard within a transaction, at whose end its client is told. */
  #heard: Notification[] = [];
  #isFailed = false;
  #isEnded = false;

  constructor(
    server: SessionServer,
    { consumer, processId }: SessionNames,
    leases: OutboxLeases,
    watch?: SessionWatch,
  ) {
    this.processId = processId;
    this.#server = server;
    this.#consumer = consumer;
    this.#leases = leases;
    this.#watch = watch;
  }

  get isInTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** How long a statement may wait for others, and the error of one that has waited so long. */
  get waitLimit(): SessionSettings["waitLimit"] {
    return this.#settings.waitLimit;
  }

  notified(notification: Notification): void {
    if (this.isInTransaction) this.#heard.push(notification);
    else this.#watch?.notified(notification);
  }

  /** Without a reason, its client knows it. */
  end(reason: EndReason | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#rollBack();
    this.#server.advisory.end(this);
    this.#server.notifications.unlisten(undefined, this);
    if (reason !== undefined) this.#watch?.ended(reason);
  }

  /** Ends a statement that has waited too long, and with it a transaction; returns the error. */
  failed(error: SqlError): SqlError {
    const transaction = this.#transaction;
    this.waitsFor = undefined;
    this.#turns.end();
    this.#server.advisory.stopWaiting(this);
    if (transaction !== undefined) this.#fail(transaction);
    return error;
  }

  /**
   * Executes a statement, in a transaction of its own unless one was begun; tells when it has been
   * parsed, so that its name stands for it.
   *
   * @throws {SqlError} as the server's
   * @throws {Blocked} when it has to wait for another transaction; it can be executed again
   * @throws {NotModelled} for what the model does not have
   */
  run(sql: string, params: readonly unknown[], name = "", parsed?: () => void): Reply {
    const { statement, paramCount } = statementFrom(sql);
    const isEnding = ["commit", "rollback", "rollback-to"].includes(statement.kind);
    if (this.#isFailed && !isEnding) throw new SqlError("25P02", ABORTED);
    const own = this.#transaction;
    const transaction = own ?? new Transaction(this.#server.wallNow, this.#consumer, this);
    const before = transaction.mark();
    const sentBefore = this.#toSend.length;
    this.waitsFor = undefined;
    this.#turns.begin();
    try {
      if (isOfRows(statement)) {
        const { statement: typed, paramTypes } = this.#server.analysed(
          // The library sends the text alone where there is neither a name nor a parameter.
          ...[statement, paramCount, params.length > 0 || name !== ""],
        );
        parsed?.();
        const waits = own !== undefined && before.size > 0 && statement.kind !== "select";
        if (waits && this.#server.deadlock.strikes()) {
          throw new SqlError("40P01", "deadlock detected");
        }
        const outcome = this.#execute(typed, bound(params, paramTypes, name), transaction);
        this.#turns.end();
        if (own === undefined) this.#finish(transaction);
        return outcome;
      }
      parsed?.();
      bound(params, [], name);
      return this.#commanded(statement);
    } catch (error) {
      this.#toSend.length = sentBefore;
      if (!(error instanceof Blocked)) this.#turns.end();
      const isOver = error instanceof Blocked || error instanceof NotModelled;
      if (isOver) transaction.returnTo(before, "kept");
      if (own === undefined) transaction.rollBack();
      else if (!isOver) this.#fail(transaction);
      throw error;
    }
  }

  /** Executes what is about no row. */
  #commanded(statement: Exclude<Statement, RowStatement | WithStatement>): Reply {
    switch (statement.kind) {
      case "begin":
      case "start":
        if (this.#transaction === undefined) this.#settings.begin();
        this.#transaction ??= new Transaction(this.#server.wallNow, this.#consumer, this);
        return { command: statement.kind === "begin" ? "BEGIN" : "START" };
      case "commit":
        return this.#isFailed ? this.#rollBack() : this.#commit();
      case "rollback":
        return this.#rollBack();
      case "rollback-to":
        return this.#returnTo(statement.name);
      case "create-table":
      case "create-index":
        return createdIn(this.#server, statement);
      case "savepoint":
      case "release":
        return savepointIn(this.#transaction, statement.kind, statement.name);
      default: {
        const reply = this.#changed(statement);
        if (this.#transaction === undefined) this.#finish(undefined);
        return reply;
      }
    }
  }

  /** Changes settings at once, and what it listens to when the transaction is committed. */
  #changed(statement: OfSession): Reply {
    const { notifications } = this.#server;
    switch (statement.kind) {
      case "set":
        this.#settings.set(statement, this.isInTransaction);
        return { command: statement.isReset ? "RESET" : "SET" };
      case "listen":
        this.#atCommit.push(() => notifications.listen(statement.channel, this));
        return { command: "LISTEN" };
      case "unlisten":
        this.#atCommit.push(() => notifications.unlisten(statement.channel, this));
        return { command: "UNLISTEN" };
      case "notify":
        this.#notify(statement.channel, statement.payload);
        return { command: "NOTIFY" };
      default:
        return statement satisfies never;
    }
  }

  #notify(channel: string, payload: string): void {
    this.#toSend.push(notificationOf(channel, payload, this.processId));
  }

  /**
   * The locks of a transaction that has failed go at once, back to its last savepoint; the
   * connection is in it until it is ended.
   */
  #fail(transaction: Transaction): void {
    if (transaction.hasSavepoints) transaction.returnToLast();
    else transaction.rollBack();
    this.#isFailed = true;
  }

  #returnTo(name: string): Reply {
    const transaction = this.#transaction;
    if (transaction === undefined) throw outsideTransaction("ROLLBACK TO SAVEPOINT");
    transaction.endSavepoint(name, "rollback-to");
    this.#isFailed = false;
    return { command: "ROLLBACK" };
  }

  #execute(
    statement: RowStatement | WithStatement,
    params: readonly SqlValue[],
    transaction: Transaction,
  ): Outcome {
    const database: Database = {
      tableOf: (name) => this.#server.tableOf(name, this.#consumer),
      wallNow: this.#server.wallNow,
      advisory: (name, key) =>
        this.#turns.call(name, key, () => this.#server.advisory.call(name, key, this, transaction)),
      notify: (channel, payload) => this.#notify(channel, payload),
    };
    const outcome = execute(statement, params, { database, transaction });
    for (const [row, values] of outcome.handedOut) {
      this.#leases.handedOut(row, values, this.#consumer);
      transaction.onEnd(() => this.#leases.letGo(row, this.#consumer));
    }
    return outcome;
  }

  #finish(transaction: Transaction | undefined): void {
    transaction?.commit();
    const sent = this.#toSend;
    const acts = this.#atCommit;
    this.#toSend = [];
    this.#atCommit = [];
    for (const act of acts) act();
    this.#server.notifications.send(sent);
  }

  #commit(): Reply {
    this.#finish(this.#transaction);
    if (this.#transaction !== undefined) this.#settings.end("committed");
    this.#transaction = undefined;
    this.#tell();
    return { command: "COMMIT" };
  }

  #rollBack(): Reply {
    this.#transaction?.rollBack();
    if (this.#transaction !== undefined) this.#settings.end("rolled-back");
    this.#transaction = undefined;
    this.#toSend = [];
    this.#atCommit = [];
    this.#isFailed = false;
    this.#tell();
    return { command: "ROLLBACK" };
  }

  /** Tells what was heard within a transaction, but on channels that it has left in it. */
  #tell(): void {
    const { notifications } = this.#server;
    const heard = this.#heard;
    this.#heard = [];
    if (this.#isEnded) return;
    for (const one of heard) if (notifications.hears(one.channel, this)) this.#watch?.notified(one);
  }
}

const OF_ROWS: readonly string[] = ["select", "insert", "update", "delete", "with"];

function isOfRows(statement: Statement): statement is RowStatement | WithStatement {
  return OF_ROWS.includes(statement.kind);
}

/**
 * An index is no matter of results, and a table is there already.
 *
 * @throws {SqlError} for a table that is there, unless that is asked for, and for no column of one
 * @throws {NotModelled} for a table that is not there
 */
function createdIn(
  server: Pick<SessionServer, "knownTable" | "analysed">,
  statement: OfCreation,
): Reply {
  if (statement.kind === "create-index") {
    const { columns } = server.knownTable(statement.table);
    const other = statement.columns.find((name) => columns.every((one) => one.name !== name));
    if (other !== undefined) throw new SqlError("42703", `column "${other}" does not exist`);
    const { table, where } = statement;
    if (where !== undefined) server.analysed(rowsOfIndex(table, where), 0, false);
    return { command: "CREATE" };
  }
  const { name, isIfMissing } = statement;
  try {
    server.knownTable(name);
  } catch {
    throw new NotModelled(`the table ${name}`, SEE);
  }
  if (!isIfMissing) throw new SqlError("42P07", `relation "${name}" already exists`);
  return { command: "CREATE" };
}

/** @throws {SqlError} outside of a transaction, and for a name that is none */
function savepointIn(
  transaction: Transaction | undefined,
  kind: "savepoint" | "release",
  name: string,
): Reply {
  if (transaction === undefined) {
    throw outsideTransaction(kind === "savepoint" ? "SAVEPOINT" : "RELEASE SAVEPOINT");
  }
  if (kind === "savepoint") transaction.savepoint(name);
  else transaction.endSavepoint(name, "release");
  return { command: kind === "savepoint" ? "SAVEPOINT" : "RELEASE" };
}

function outsideTransaction(what: string): SqlError {
  return new SqlError("25P01", `${what} can only be used in transaction blocks`);
}
