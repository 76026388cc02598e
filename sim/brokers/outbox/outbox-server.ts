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
import type { Statement } from "./sql-statement.ts";
import { type Column, Table } from "./table.ts";
import { Blocked, Transaction } from "./transaction.ts";

/** How the tables of the outbox are called. */
export interface OutboxTables {
  readonly table: string;
  readonly deadLetterTable: string;
}

/** What a statement returns, and what those that begin and end transactions do. */
export type Reply = Outcome | { readonly command: "BEGIN" | "START" | "COMMIT" | "ROLLBACK" };

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
export class OutboxServer implements Database {
  readonly refusal: Refusal;
  readonly #world: World;
  readonly #host: string;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #outbox: Table;
  readonly #settlements: SettlementLog;
  readonly #leases: OutboxLeases;
  readonly #sessions = new Set<Session>();

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
      ["payload", { type: "jsonb", value: { ref, key } } as const],
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

  /** Ends all connections, as a fail-over does; open transactions are rolled back. */
  endAll(): void {
    for (const session of this.#sessions) session.end();
    this.#sessions.clear();
  }

  forget(session: Session): void {
    session.end();
    this.#sessions.delete(session);
  }
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
    if (this.#isFailed || isBeginning) throw new SqlError("25P02", ABORTED);
    const own = this.#transaction;
    const transaction = own ?? new Transaction(this.#server.wallNow, this.#consumer);
    try {
      assertParams(params.length, paramCount);
      const outcome = this.#execute(statement, params, transaction);
      if (own === undefined) transaction.commit();
      return outcome;
    } catch (error) {
      if (own === undefined) {
        transaction.rollBack();
      } else if (!(error instanceof Blocked || error instanceof NotModelled)) {
        // Its locks go at once; the connection is in the transaction until that is ended.
        transaction.rollBack();
        this.#isFailed = true;
      }
      throw error;
    }
  }

  #execute(
    statement: Parameters<typeof execute>[0],
    params: readonly unknown[],
    transaction: Transaction,
  ): Outcome {
    const outcome = execute(statement, params, { database: this.#server, transaction });
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

/** @throws {SqlError} where there are more parameters than the statement names, or fewer */
function assertParams(given: number, needed: number): void {
  if (given === needed) return;
  // Without any, the library sends the text alone.
  if (given === 0) throw new SqlError("42P02", "there is no parameter $1");
  const what = `bind message supplies ${given} parameters`;
  throw new SqlError("08P01", `${what}, but prepared statement "" requires ${needed}`);
}

/** Returns what a statement is about, which decides the site of its call. */
export function kindOf(sql: string): Statement["kind"] {
  return statementFrom(sql).statement.kind;
}
