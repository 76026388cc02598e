import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type { Pool } from "pg";

/** One claim of a row: the attempt is the fence that keeps an older claim from settling it. */
interface Claim {
  readonly id: string;
  readonly attempts: number;
  readonly key: string;
  readonly payload: unknown;
}

const BATCH_MAX = 10;
const POLL_EVERY_MS = 500;
const LEASE = "30 seconds";
const RENEW_EVERY_MS = 8_000;
const RETRY = "2 seconds";
const ATTEMPTS_MAX = 4;
const BACKOFF_MS = 500;

const CLAIM = `
  UPDATE outbox SET leased_by = $1, visible_at = now() + $2::interval, attempts = attempts + 1
  WHERE id IN (
    SELECT id FROM outbox WHERE visible_at <= now() ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  RETURNING id, attempts, key, payload`;
const RENEW = `
  UPDATE outbox SET visible_at = now() + $3::interval
  WHERE id = $1 AND attempts = $2 AND leased_by = $4`;
const FREE = `
  UPDATE outbox SET leased_by = NULL, visible_at = now() + $3::interval
  WHERE id = $1 AND attempts = $2 AND leased_by = $4`;
const DELETE = `DELETE FROM outbox WHERE id = $1 AND attempts = $2 AND leased_by = $3`;
const BURY = `
  INSERT INTO outbox_dead (id, key, payload, reason) VALUES ($1, $2, $3, 'rejected')
  ON CONFLICT (id) DO NOTHING`;

/**
 * Orders from an outbox in PostgreSQL. Repairs, against naive-outbox.ts:
 *
 * - A row is claimed by a lease in the row itself, so that it is nobody else's after the statement:
 *   the lock of `FOR UPDATE` ends with its transaction, here at once.
 * - A rejected order is put into outbox_dead and deleted in one transaction (G3).
 * - The lease of what is outstanding is renewed three times before it ends (G9); renewal ends
 *   before a row is settled, and what is still held at the end is freed.
 * - Nothing is settled by an older claim than the newest: each statement names worker and attempt.
 * - A failed order comes again after a moment, neither at once nor only when its lease ends.
 * - A statement whose connection was lost is tried again; a claim that fails is no reason to end the
 *   stream (G10). A connection with an open transaction is not given back to the pool.
 */
class Outbox implements SharedStreamProducer<unknown, Claim> {
  readonly #pool: Pool;
  readonly #worker: string = crypto.randomUUID();
  readonly #held = new Set<Claim>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewal: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Claim]> {
    this.#timer = setInterval(() => {
      this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    }, RENEW_EVERY_MS);
    while (!signal.aborted) {
      const claims = await this.#claim();
      // Claimed too late: their leases end by themselves.
      if (signal.aborted) return;
      for (const claim of claims) this.#held.add(claim);
      for (const claim of claims) yield [claim.payload, claim];
      if (claims.length < BATCH_MAX) await pause(POLL_EVERY_MS, signal);
    }
  }

  async advance(batch: readonly AdvanceItem<Claim>[]): Promise<void> {
    for (const { brokerPayload } of batch) this.#held.delete(brokerPayload);
    await this.#renewal;
    for (const { brokerPayload: claim, outcome } of batch) {
      const { acked, failed, rejected } = outcome;
      await attempt(async () => {
        if (failed > 0 || acked + rejected === 0) await this.#free(claim, RETRY);
        else if (rejected > 0) await this.#bury(claim);
        else await this.#pool.query(DELETE, [claim.id, claim.attempts, this.#worker]);
      });
    }
  }

  async aclose(): Promise<void> {
    clearInterval(this.#timer);
    const left = [...this.#held];
    this.#held.clear();
    await this.#renewal;
    // What cannot be freed is free when its lease ends.
    for (const claim of left) await this.#free(claim, "0 seconds").catch(() => undefined);
  }

  async #claim(): Promise<readonly Claim[]> {
    try {
      const { rows } = await this.#pool.query<Claim>(CLAIM, [this.#worker, LEASE, BATCH_MAX]);
      return rows;
    } catch {
      return [];
    }
  }

  async #free({ id, attempts }: Claim, after: string): Promise<void> {
    await this.#pool.query(FREE, [id, attempts, after, this.#worker]);
  }

  async #bury({ id, attempts, key, payload }: Claim): Promise<void> {
    const connection = await this.#pool.connect();
    let lost: Error | undefined;
    const onLost = (error: Error): void => void (lost = error);
    // An error of a connection that is lent ends the process where nobody listens.
    connection.on("error", onLost);
    try {
      await connection.query("BEGIN");
      const { rowCount } = await connection.query(DELETE, [id, attempts, this.#worker]);
      if (rowCount === 1) await connection.query(BURY, [id, key, payload]);
      await connection.query("COMMIT");
    } catch (error) {
      lost = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      connection.removeListener("error", onLost);
      connection.release(lost);
    }
  }

  async #renew(): Promise<void> {
    for (const claim of [...this.#held]) {
      if (!this.#held.has(claim)) continue;
      const { id, attempts } = claim;
      const renewed = this.#pool.query(RENEW, [id, attempts, LEASE, this.#worker]);
      await renewed.catch(() => undefined);
    }
  }
}

/** Tries a few times; what then is not settled comes again when its lease ends. */
async function attempt(settle: () => Promise<unknown>): Promise<void> {
  for (let nth = 1; nth <= ATTEMPTS_MAX; nth += 1) {
    try {
      await settle();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, nth * BACKOFF_MS));
    }
  }
}

/** Waits for `ms`, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

export function createProducer({ client }: { readonly client: Pool }): Outbox {
  return new Outbox(client);
}
