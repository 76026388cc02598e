import type { World } from "../../kernel/world.ts";
import type { Publication } from "../broker.ts";
import { refIn } from "../ref-in.ts";
import { NotModelled } from "../not-modelled.ts";
import { Refusal } from "../refusal.ts";
import { SettlementLog } from "../settlement-log.ts";
import { type Database, execute, type Outcome } from "./execute.ts";
import { OutboxLeases } from "./outbox-leases.ts";
import { SqlError } from "./sql-error.ts";
import { statementFrom } from "./sql-parser.ts";
import type { AdvisoryCall, Statement } from "./sql-statement.ts";
import { asJsonb } from "./sql-values.ts";
import { type Column, Table } from "./table.ts";
import { Blocked, Transaction } from "./transaction.ts";

/** How the tables of the outbox are called. */
export interface OutboxTables {
  readonly table: string;
  readonly deadLetterTable: string;
}

/** What a statement returns, and what those that begin and end transactions do. */
export type Reply = Outcome | { readonly command: TransactionCommand };

type TransactionCommand = ("BEGIN" | "START" | "COMMIT" | "ROLLBACK") | ("SAVEPOINT" | "RELEASE");

const text = { type: "text", byDefault: undefined } as const;
const time = { type: "timestamp with time zone", byDefault: "now", isRequired: true } as const;

const ZERO = { type: "integer", value: 0 } as const;
const ID = { name: "id", type: "bigint", isRequired: true } as const;
const KEY = { name: "key", isRequired: true, ...text } as const;
const PAYLOAD = { name: "payload", type: "jsonb", isRequired: true, byDefault: undefined } as const;
const OUTBOX: readonly Column[] = [
  { ...ID, byDefault: "number" },
  KEY,
  PAYLOAD,
  { name: "created_at", ...time },
  { name: "attempts", type: "integer", isRequired: true, byDefault: ZERO },
  { name: "leased_by", isRequired: false, ...text },
  { name: "visible_at", ...time },
];
const DEAD_LETTERS: readonly Column[] = [
  { ...ID, byDefault: undefined },
  KEY,
  PAYLOAD,
  { name: "reason", isRequired: false, ...text },
  { name: "died_at", ...time },
];

/** A PostgreSQL server with an outbox and a table for dead letters. */
export class OutboxServer {
  readonly refusal: Refusal;
  readonly #world: World;
  readonly #host: string;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #outbox: Table;
  readonly #settlements: SettlementLog;
  readonly #leases: OutboxLeases;
  readonly #sessions = new Set<Session>();
  /** Locks that have a number: who has them, how often, and until which transaction ends. */
  readonly #advisory = new Map<number, AdvisoryLock>();

  constructor(world: World, host: string, { table, deadLetterTable }: OutboxTables) {
    this.#world = world;
    this.#host = host;
    this.refusal = new Refusal(world);
    this.#settlements = new SettlementLog(world, host);
    this.#leases = new OutboxLeases(world, host, this.#settlements);
    this.#outbox = new Table(table, OUTBOX, (change) => this.#leases.changed(change));
    const dead = new Table(deadLetterTable, DEAD_LETTERS, ({ before, after }) => {
      if (before !== undefined) return;
      const letter = refIn(JSON.stringify(after?.get("payload")?.value ?? null));
      this.#settlements.deadLettered(letter);
    });
    this.#tables = new Map([this.#outbox, dead].map((one) => [one.name, one]));
    // What was not committed is lost with the server, and so are all connections.
    world.trace.listen((event) => {
      if (event.kind === "host" && event.host === host && event.state === "crash") this.endAll();
    });
  }

  get wallNow(): number {
    return this.#world.wallMs;
  }

  publish(publication: Publication): void {
    this.#settlements.published(publication);
    const transaction = new Transaction(this.wallNow, this.#host);
    const { ref, key } = publication;
    const given = new Map([
      ["key", { type: "text", value: key } as const],
      ["payload", { type: "jsonb", value: asJsonb({ ref, key }) } as const],
    ]);
    transaction.insert(this.#outbox, this.#outbox.valuesFrom(given, this.wallNow));
    transaction.commit();
  }

  owed(): readonly string[] {
    return this.#settlements.owed();
  }

  /** @throws {SqlError} when there is no such table */
  tableOf(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw new SqlError("42P01", `relation "${name}" does not exist`);
    if (table !== this.#outbox && this.refusal.isOn) {
      throw new SqlError("53100", `could not extend file "base/5/16390": No space left on device`);
    }
    return table;
  }

  connect(consumer: string): Session {
    const session = new Session(this, consumer, this.#leases);
    this.#sessions.add(session);
    return session;
  }

  /** Takes or gives back a lock that has a number; returns whether that was done. */
  advisory(name: AdvisoryCall, key: number, session: Session, transaction: Transaction): boolean {
    const held = this.#advisory.get(key);
    if (name === "pg_advisory_unlock") {
      if (held?.session !== session || held.count === 0) return false;
      held.count -= 1;
      this.#freeAdvisory(key);
      return true;
    }
    if (held !== undefined && held.session !== session) return false;
    const lock = held ?? { session, count: 0, transactions: 0 };
    this.#advisory.set(key, lock);
    if (name === "pg_try_advisory_lock") {
      lock.count += 1;
      return true;
    }
    lock.transactions += 1;
    transaction.onEnd(() => {
      lock.transactions -= 1;
      this.#freeAdvisory(key);
    });
    return true;
  }

  #freeAdvisory(key: number): void {
    const lock = this.#advisory.get(key);
    if (lock?.count === 0 && lock.transactions === 0) this.#advisory.delete(key);
  }

  /** Ends all connections, as a fail-over does; open transactions are rolled back. */
  endAll(): void {
    for (const session of this.#sessions) session.end();
    this.#sessions.clear();
    this.#advisory.clear();
  }

  forget(session: Session): void {
    session.end();
    this.#sessions.delete(session);
    for (const [key, lock] of this.#advisory)
      if (lock.session === session) this.#advisory.delete(key);
  }
}

interface AdvisoryLock {
  readonly session: Session;
  /** How often the session has it, and how many of its transactions have. */
  count: number;
  transactions: number;
}

const ABORTED = "current transaction is aborted, commands ignored until end of transaction block";

/** A connection as the server has it. */
export class Session {
  readonly #server: OutboxServer;
  readonly #consumer: string;
  readonly #leases: OutboxLeases;
  #transaction: Transaction | undefined;
  #isFailed = false;
  #isEnded = false;

  constructor(server: OutboxServer, consumer: string, leases: OutboxLeases) {
    this.#server = server;
    this.#consumer = consumer;
    this.#leases = leases;
  }

  get isInTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  end(): void {
    this.#isEnded = true;
    this.#rollBack();
  }

  /**
   * Executes a statement, in a transaction of its own unless one was begun.
   *
   * @throws {SqlError} as the server's
   * @throws {Blocked} when it has to wait for another transaction; it can be executed again
   * @throws {NotModelled} for what the model does not have
   */
  run(sql: string, params: readonly unknown[]): Reply {
    const { statement, paramCount } = statementFrom(sql);
    const isBeginning = statement.kind === "begin" || statement.kind === "start";
    if (isBeginning && !this.#isFailed) {
      this.#transaction ??= new Transaction(this.#server.wallNow, this.#consumer);
      return { command: statement.kind === "begin" ? "BEGIN" : "START" };
    }
    if (statement.kind === "rollback") return this.#rollBack();
    if (statement.kind === "commit") return this.#isFailed ? this.#rollBack() : this.#commit();
    if (statement.kind === "rollback-to") return this.#returnTo(statement.name);
    if (this.#isFailed || isBeginning) throw new SqlError("25P02", ABORTED);
    const own = this.#transaction;
    const transaction = own ?? new Transaction(this.#server.wallNow, this.#consumer);
    const before = transaction.mark();
    try {
      assertParams(params.length, paramCount);
      if (statement.kind === "savepoint" || statement.kind === "release") {
        return savepointIn(own, statement.kind, statement.name);
      }
      const outcome = this.#execute(statement, params, transaction);
      if (own === undefined) transaction.commit();
      return outcome;
    } catch (error) {
      const isOver = error instanceof Blocked || error instanceof NotModelled;
      if (own === undefined) transaction.rollBack();
      else if (isOver) transaction.returnTo(before, "kept");
      else this.#fail(transaction);
      throw error;
    }
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
    statement: Parameters<typeof execute>[0],
    params: readonly unknown[],
    transaction: Transaction,
  ): Outcome {
    const database: Database = {
      tableOf: (name) => this.#server.tableOf(name),
      wallNow: this.#server.wallNow,
      advisory: (name, key) => this.#server.advisory(name, key, this, transaction),
    };
    const outcome = execute(statement, params, { database, transaction });
    for (const [row, values] of outcome.handedOut) {
      this.#leases.handedOut(row, values, this.#consumer);
      transaction.onEnd(() => this.#leases.letGo(row, this.#consumer));
    }
    return outcome;
  }

  #commit(): Reply {
    this.#transaction?.commit();
    this.#transaction = undefined;
    return { command: "COMMIT" };
  }

  #rollBack(): Reply {
    this.#transaction?.rollBack();
    this.#transaction = undefined;
    this.#isFailed = false;
    return { command: "ROLLBACK" };
  }
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

/** @throws {SqlError} where there are more parameters than the statement names, or fewer */
function assertParams(given: number, needed: number): void {
  if (given === needed) return;
  // Without any, the library sends the text alone.
  if (given === 0) throw new SqlError("42P02", "there is no parameter $1");
  const what = `bind message supplies ${given} parameters`;
  throw new SqlError("08P01", `${what}, but prepared statement "" requires ${needed}`);
}

/**
 * Returns what a statement is about, which decides the site of its call; of one with parts, whether
 * any of them deletes.
 */
export function kindOf(sql: string): Exclude<Statement["kind"], "with"> {
  const { statement } = statementFrom(sql);
  if (statement.kind !== "with") return statement.kind;
  const all = [statement.of, ...statement.parts.map(({ of }) => of)];
  return all.some(({ kind }) => kind === "delete") ? "delete" : statement.of.kind;
}
