import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel, Disturbance } from "../broker.ts";
import type { World } from "../../kernel/world.ts";
import { OutboxServer } from "./outbox-server.ts";
import type { Session } from "./outbox-session.ts";
import { ModelledPool, type PgPool } from "./pg-pool.ts";
import { Blocked } from "./transaction.ts";

/** How an outbox is set up. */
export interface OutboxOptions {
  /** The table with the records; default "outbox". */
  readonly table?: string;
  /** The table for dead letters; default "outbox_dead". */
  readonly deadLetterTable?: string;
  /**
   * How long the leases are that the producer takes, in virtual milliseconds; default 30,000. Some
   * runs hold a record for longer.
   */
  readonly leaseMs?: number;
}

const OPTIONS: readonly (keyof OutboxOptions)[] = ["table", "deadLetterTable", "leaseMs"];

const LEASE_MS = 30_000;
const RIVAL_ROWS = 3;
const RIVAL_LEASE_MS = 8_000;
const RIVAL_MS = 4_000;

/**
 * A table in PostgreSQL that workers poll, for producers that use `pg`: a transactional outbox, or a
 * queue of jobs.
 *
 * The tables are these; a row is free while `visible_at` is not ahead, and leased while `leased_by`
 * has a value and `visible_at` is ahead. Other workers count in `attempts` each claim of a row, so
 * that a claim may be fenced by it, or by `leased_by`. The payload of a row is `{ ref, key }`, a
 * record of the workload.
 *
 * ```sql
 * CREATE TABLE outbox (
 *   id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
 *   key text NOT NULL,
 *   payload jsonb NOT NULL,
 *   created_at timestamptz NOT NULL DEFAULT now(),
 *   attempts integer NOT NULL DEFAULT 0,
 *   leased_by text,
 *   visible_at timestamptz NOT NULL DEFAULT now()
 * );
 * CREATE TABLE outbox_dead (
 *   id bigint PRIMARY KEY,
 *   key text NOT NULL,
 *   payload jsonb NOT NULL,
 *   reason text,
 *   died_at timestamptz NOT NULL DEFAULT now()
 * );
 * ```
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.outbox({ table: "jobs", leaseMs: 60_000 });
 * console.log(broker.name); // => outbox
 * ```
 */
export function outbox(options: OutboxOptions = {}): BrokerModel<PgPool> {
  checkedOptions(options, OPTIONS, "brokers.outbox");
  const { table = "outbox", deadLetterTable = "outbox_dead" } = options;
  const { leaseMs = LEASE_MS } = options;
  const names = { name: "outbox", spec: { outbox: options }, leaseMs };
  return brokerModel(names, (world, host) => {
    const server = new OutboxServer(world, host, { table, deadLetterTable });
    return {
      records: server,
      disturbances: [
        rivalOn(world, server, table),
        {
          name: "an operator frees all rows",
          strike: () => {
            const sql = `UPDATE ${table} SET leased_by = NULL, visible_at = now() WHERE id IN
              (SELECT id FROM ${table} FOR UPDATE SKIP LOCKED)`;
            runUnlessBlocked(server.connect("operator"), sql, []);
          },
        },
        { name: "the server fails over", strike: () => server.endAll("administrator") },
        server.refusal.disturbance("the table for dead letters is full"),
        server.denial.disturbance("the role may not use the table for a while", { isFatal: true }),
        {
          name: "a publisher commits late",
          isRare: true,
          strike: () => server.publishers.delayNext(),
          end: () => server.publishers.calmDown(),
        },
        {
          name: "a replica takes over that lacks the last commits",
          isRare: true,
          strike: () => server.failOver(),
        },
        server.lostCommit.disturbance("the next commit meets a fail-over"),
        server.deadlock.disturbance("the next transaction meets a deadlock"),
      ],
      connect(port, number) {
        const consumer = `${port.name}/${number}`;
        const client = new ModelledPool({ port, host, server, consumer });
        return { client, open: () => client.openResources() };
      },
    };
  });
}

/**
 * Another worker: it claims rows; after a moment it deletes the second, and frees the others.
 *
 * It counts its claims in `attempts`, as every worker of such a table has to: the number of the
 * claim is as good a fence against an older claim as the name of the worker is. An operator who
 * frees a row claims nothing, and counts nothing.
 */
function rivalOn(world: World, server: OutboxServer, table: string): Disturbance {
  const session = (): Session => server.connect("rival");
  const free = `UPDATE ${table} SET leased_by = NULL, visible_at = now() WHERE leased_by = 'rival'`;
  const claim = `UPDATE ${table} SET leased_by = 'rival', visible_at = now() + $1::interval,
    attempts = attempts + 1 WHERE id IN (SELECT id FROM ${table} WHERE visible_at <= now()
    ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING payload`;
  const settle = `DELETE FROM ${table} WHERE id IN
    (SELECT id FROM ${table} WHERE leased_by = 'rival' ORDER BY id LIMIT 1 OFFSET 1)`;
  const end = (): void => runUnlessBlocked(session(), free, []);
  return {
    name: "a rival claims rows",
    takesOver: true,
    strike() {
      runUnlessBlocked(session(), claim, [`${RIVAL_LEASE_MS} ms`, RIVAL_ROWS]);
      world.schedule(RIVAL_MS, { lane: "rival", hop: false }, () => {
        runUnlessBlocked(session(), settle, []);
        end();
      });
    },
    end,
  };
}

/** A row that somebody has locked is left for the next time. */
function runUnlessBlocked(session: Session, sql: string, params: readonly unknown[]): void {
  try {
    session.run(sql, params);
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
  }
}
