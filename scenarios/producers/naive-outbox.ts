import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type { Pool } from "pg";

interface Row {
  readonly id: string;
  readonly payload: unknown;
}

const POLL_EVERY_MS = 500;

/**
 * Orders from an outbox in PostgreSQL as one writes it first. The lock of `FOR UPDATE SKIP LOCKED`
 * ends with the statement, so that every worker gets every row, again and again. And a rejected order
 * is deleted like one that was taken, and nobody has kept it: it is lost (G3).
 */
class NaiveOutbox implements SharedStreamProducer<unknown, Row> {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Row]> {
    const claim = "SELECT id, payload FROM outbox ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED";
    while (!signal.aborted) {
      const { rows } = await this.#pool.query<Row>(claim);
      for (const row of rows) yield [row.payload, row];
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    }
  }

  async advance(batch: readonly AdvanceItem<Row>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) continue;
      await this.#pool.query("DELETE FROM outbox WHERE id = $1", [brokerPayload.id]);
    }
  }
}

export function createProducer({ client }: { readonly client: Pool }): NaiveOutbox {
  return new NaiveOutbox(client);
}
