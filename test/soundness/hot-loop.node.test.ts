import { expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { PgPool } from "../../sim/brokers/outbox/pg-pool.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

const CLAIM = `
  UPDATE outbox SET leased_by = 'worker', visible_at = now() - interval '1 minute'
  WHERE id IN (SELECT id FROM outbox WHERE visible_at <= now() LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING payload`;
const SCENARIO = `
story: Leases are over as soon as they begin.
world: producer
broker: { outbox: {} }
records: [{ at: 1s, publish: ref-000001, key: key-1 }]
subscribers: [{ subscriber: 1 }]
`;

async function* claimed(pool: PgPool, signal: AbortSignal): AsyncGenerator<[unknown, unknown]> {
  while (!signal.aborted) {
    const { rows } = await pool.query(CLAIM);
    for (const { payload } of rows) yield [payload, payload];
    if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// The story: the ends of leases are computed by a clock that is ten minutes behind. The run went on
// for as long as the world waits for progress, and its verdict took minutes of a processor.
test("a run in which a record is handed out at full speed soon ends", async () => {
  const createProducer = ({ client }: { readonly client: PgPool }) => ({
    openStream: (signal: AbortSignal) => claimed(client, signal),
    advance: () => Promise.resolve(),
  });
  const options = { producer: { broker: brokers.outbox(), createProducer }, digest: false };
  const { violations, stats } = await simulate(parseScenario(SCENARIO, "leases"), options);
  expect(violations[0]).toMatchObject({ checker: "hot-loop", symptom: "hot-loop" });
  expect(stats.events).toBeLessThan(25_000);
});
