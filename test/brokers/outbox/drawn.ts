import * as fc from "fast-check";
import type { Pool, PoolClient } from "pg";
import type { Script } from "./script.ts";

/** A call of one of two connections, or of the pool itself. */
export interface Call {
  readonly by: "one" | "other" | "pool";
  readonly does: (typeof ACTS)[number];
  readonly id: number;
  readonly limit: number;
}

const ACTS = [
  "begin",
  "commit",
  "rollback",
  "claim",
  "lock",
  "lock now",
  "free",
  "renew",
  "delete",
  "bury",
  "read",
  "fail",
] as const;
const ROWS = 6;
const ABORT_MS = 5;

const SQL: Readonly<Record<Exclude<Call["does"], "lock" | "lock now" | "claim" | "read">, string>> =
  {
    begin: "BEGIN",
    commit: "COMMIT",
    rollback: "ROLLBACK",
    free: "UPDATE outbox SET leased_by = NULL, visible_at = now() WHERE id = $1",
    renew: `UPDATE outbox SET visible_at = now() + interval '1 hour'
      WHERE id = $1 AND leased_by IS NOT NULL`,
    delete: "DELETE FROM outbox WHERE id = $1 AND attempts > 0",
    bury: `INSERT INTO outbox_dead (id, key, payload) SELECT id, key, payload FROM outbox
      WHERE id = $1`,
    fail: "UPDATE outbox SET key = NULL WHERE id = $1",
  };
const CLAIM = `UPDATE outbox SET leased_by = $1, visible_at = now() + interval '1 hour',
    attempts = attempts + 1
  WHERE id IN (SELECT id FROM outbox WHERE visible_at <= now() AND leased_by IS NULL
    ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING id, attempts, leased_by`;
const READ = "SELECT id, attempts, leased_by FROM outbox ORDER BY id";
const WRITES: readonly string[] = ["free", "renew", "delete", "fail"];

/** Sequences of calls; what would have to wait for a row is left out. */
export const CALLS: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    by: fc.constantFrom("one" as const, "one" as const, "other" as const, "pool" as const),
    does: fc.constantFrom(...ACTS),
    id: fc.integer({ min: 1, max: ROWS }),
    limit: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 24, size: "max" },
);

/**
 * Which dead letters open transactions have written: a second one of the same id, by somebody else,
 * waits for the end of the first transaction.
 */
class UncommittedBurials {
  readonly #idsOf = new Map<Call["by"], Set<number>>();

  /** Whether the call waits; notes it otherwise. */
  wouldWait({ by, does, id }: Call): boolean {
    if (by !== "pool" && does === "begin") this.#idsOf.set(by, this.#idsOf.get(by) ?? new Set());
    if (by !== "pool" && (does === "commit" || does === "rollback")) this.#idsOf.delete(by);
    if (does !== "bury") return false;
    for (const [other, ids] of this.#idsOf) if (other !== by && ids.has(id)) return true;
    this.#idsOf.get(by)?.add(id);
    return false;
  }
}

/** Returns a script that makes the calls, and what each of them saw. */
export function scriptOf(calls: readonly Call[]): Script {
  return async ({ pool, publish, wait }) => {
    await publish(ROWS);
    const [one, other] = [await pool.connect(), await pool.connect()];
    const seen: unknown[] = [];
    const buried = new UncommittedBurials();
    for (const call of calls) {
      const { by } = call;
      if (buried.wouldWait(call)) continue;
      const on = by === "pool" ? pool : by === "one" ? one : other;
      // The pool has no transactions of its own.
      if (by === "pool" && ["begin", "commit", "rollback"].includes(call.does)) continue;
      const saw = await seenBy(on, call);
      seen.push(saw);
      // A server tells of an error an instant before it lets go of the rows.
      if (isError(saw)) await wait(ABORT_MS);
    }
    for (const client of [one, other]) {
      await client.query("ROLLBACK");
      client.release();
    }
    seen.push((await pool.query(READ)).rows);
    seen.push((await pool.query("SELECT id, key FROM outbox_dead ORDER BY id")).rows);
    return seen;
  };
}

function isError(saw: unknown): boolean {
  return typeof saw === "object" && saw !== null && "code" in saw;
}

async function seenBy(on: Pool | PoolClient, { by, does, id, limit }: Call): Promise<unknown> {
  try {
    if (does === "read") return (await on.query(READ)).rows;
    if (does === "claim") {
      const { rows } = await on.query<{ readonly id: string }>(CLAIM, [by, limit]);
      return rows.toSorted((a, b) => Number(a.id) - Number(b.id));
    }
    if (does === "lock" || does === "lock now") {
      const how = does === "lock" ? "SKIP LOCKED" : "NOWAIT";
      const sql = `SELECT id FROM outbox WHERE id >= $1 ORDER BY id LIMIT $2 FOR UPDATE ${how}`;
      return (await on.query(sql, [id, limit])).rows;
    }
    // NOWAIT says whether the row is somebody else's.
    if (WRITES.includes(does))
      await on.query("SELECT id FROM outbox WHERE id = $1 FOR UPDATE NOWAIT", [id]);
    const hasRow = !["begin", "commit", "rollback"].includes(does);
    const { command, rowCount } = await on.query(SQL[does], hasRow ? [id] : []);
    return [command, rowCount];
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return { code, message };
  }
}
