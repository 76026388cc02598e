import type { World } from "../../kernel/world.ts";
import type { Publication } from "../broker.ts";
import { onHostCrash } from "../host-crash.ts";
import { NotModelled } from "../not-modelled.ts";
import { refIn } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import { Misfortune } from "./misfortune.ts";
import { SettlementLog } from "../settlement-log.ts";
import { AdvisoryLocks } from "./advisory-locks.ts";
import { LastCommits } from "./last-commits.ts";
import { Notifications } from "./notifications.ts";
import { OutboxLeases } from "./outbox-leases.ts";
import { type EndReason, Session, type SessionWatch } from "./outbox-session.ts";
import { Publishers } from "./publishers.ts";
import { type Analysed, analysed } from "./sql-analysis.ts";
import { SqlError } from "./sql-error.ts";
import { statementFrom } from "./sql-parser.ts";
import type { RowStatement, Statement, WithStatement } from "./sql-statement.ts";
import { SEE, withoutSchema } from "./sql-tokens.ts";
import { plainJson } from "./sql-values.ts";
import { type Column, type RowChange, Table } from "./table.ts";

/** How the tables of the outbox are called. */
export interface OutboxTables {
  readonly table: string;
  readonly deadLetterTable: string;
}

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

const FIRST_PROCESS = 1_000;
/** Who may use the table whatever was taken from others. */
const OWNERS: ReadonlySet<string> = new Set(["rival", "operator"]);
/** How far a replica that takes over may be behind, in virtual milliseconds. */
const REPLICA_BEHIND_MS = 3_000;

/** A PostgreSQL server with an outbox and a table for dead letters. */
export class OutboxServer {
  readonly refusal: Refusal;
  /** While it is on, producers may not use the table of the outbox. */
  readonly denial: Refusal;
  /** All connections end before the commit of a transaction is done. */
  readonly lostCommit: Misfortune;
  /** A transaction that has locked rows waits for another one, which waits for it. */
  readonly deadlock: Misfortune;
  readonly #world: World;
  readonly #host: string;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #outbox: Table;
  readonly #settlements: SettlementLog;
  readonly #leases: OutboxLeases;
  readonly #sessions = new Set<Session>();
  readonly advisory: AdvisoryLocks = new AdvisoryLocks();
  readonly notifications: Notifications = new Notifications();
  readonly publishers: Publishers;
  readonly #lastCommits = new LastCommits(REPLICA_BEHIND_MS);
  /** What is known of statements, with parameters or without. */
  readonly #analysed = new WeakMap<object, { isPrepared: boolean; its: Analysed }>();
  #processes = FIRST_PROCESS;

  constructor(world: World, host: string, { table, deadLetterTable }: OutboxTables) {
    this.#world = world;
    this.#host = host;
    this.refusal = new Refusal(world);
    this.denial = new Refusal(world);
    this.lostCommit = new Misfortune(world, host, "the server fails over before the commit");
    this.deadlock = new Misfortune(world, host, "the transaction is the victim of a deadlock");
    this.#settlements = new SettlementLog(world, host);
    this.#leases = new OutboxLeases(world, host, this.#settlements);
    this.#outbox = new Table(table, OUTBOX, (change) => {
      this.#note(this.#outbox, change);
      this.#leases.changed(change);
    });
    this.publishers = new Publishers(world, host, this.#outbox, this.#settlements);
    const dead = new Table(deadLetterTable, DEAD_LETTERS, (change) => {
      const { before, after } = change;
      this.#note(dead, change);
      if (before !== undefined) return;
      const letter = refIn(JSON.stringify(plainJson(after?.get("payload")?.value ?? null)));
      this.#settlements.deadLettered(letter);
    });
    this.#tables = new Map([this.#outbox, dead].map((one) => [one.name, one]));
    // What was not committed is lost with the server, and so are all connections.
    onHostCrash(world, host, (isHalfOpen) => this.endAll(isHalfOpen ? undefined : "crash"));
  }

  get wallNow(): number {
    return this.#world.wallMs;
  }

  publish(publication: Publication): void {
    this.publishers.publish(publication);
  }

  owed(): readonly string[] {
    return this.#settlements.owed();
  }

  /** @throws {SqlError} where nothing is of such a type, whoever executes it */
  analysed(statement: RowStatement | WithStatement, count: number, isPrepared: boolean): Analysed {
    const known = this.#analysed.get(statement);
    if (known?.isPrepared === isPrepared) return known.its;
    const params = { count, isPrepared };
    const its = analysed(statement, params, (name) => this.knownTable(name));
    this.#analysed.set(statement, { isPrepared, its });
    return its;
  }

  /** @throws {SqlError} when there is no such table, or `role` may not use it */
  tableOf(name: string, role: string): Table {
    const table = this.knownTable(name);
    if (table !== this.#outbox && this.refusal.isOn) {
      throw new SqlError("53100", `could not extend file "base/5/16390": No space left on device`);
    }
    if (table === this.#outbox && this.denial.isOn && !OWNERS.has(role)) {
      throw new SqlError("42501", `permission denied for table ${table.name}`);
    }
    return table;
  }

  /** @throws {SqlError} where there is none */
  knownTable(name: string): Table {
    const table = this.#tables.get(withoutSchema(name));
    if (table !== undefined) return table;
    if (name.startsWith("pg_")) throw new NotModelled(`the table ${name}`, SEE);
    throw new SqlError("42P01", `relation "${name}" does not exist`);
  }

  connect(consumer: string, watch?: SessionWatch): Session {
    this.#processes += 1;
    const names = { consumer, processId: this.#processes };
    const session = new Session(this, names, this.#leases, watch);
    this.#sessions.add(session);
    return session;
  }

  /**
   * Ends all connections, as a fail-over does; open transactions are rolled back. Without a reason
   * nobody tells the clients.
   */
  endAll(reason: EndReason | undefined): void {
    for (const session of this.#sessions) session.end(reason);
    this.#sessions.clear();
    this.publishers.beginAgain();
  }

  /**
   * A replica takes over that lacks the last commits, though they were acknowledged. Who publishes
   * is taken to have published again.
   */
  failOver(): void {
    const since = Math.max(0, this.#world.now - REPLICA_BEHIND_MS);
    this.endAll("administrator");
    for (const change of this.#lastCommits.undoSince(since)) this.#leases.undone(change);
    this.#world.trace.emit(this.#host, { kind: "commits-lost", since });
  }

  #note(table: Table, change: RowChange): void {
    if (change.consumer !== this.#host) this.#lastCommits.note(this.#world.now, table, change);
  }

  forget(session: Session): void {
    session.end(undefined);
    this.#sessions.delete(session);
  }
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
