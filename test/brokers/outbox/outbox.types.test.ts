import type { Pool } from "pg";
import { expectTypeOf, test } from "vitest";
import type { PgPool } from "../../../sim/brokers/outbox/pg-pool.ts";

interface Queries {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: { readonly id: string }[]; readonly rowCount: number | null }>;
}

/** What a producer says that it needs, so that it takes both. */
interface PgPort extends Queries {
  connect(): Promise<Queries & { release(error?: Error | boolean): void }>;
  end(): Promise<void>;
}

test("a producer that names what it needs takes pg's pool and the model's", () => {
  expectTypeOf<PgPool>().toExtend<PgPort>();
  expectTypeOf<Pool>().toExtend<PgPort>();
  expectTypeOf<PgPool>().toExtend<Pick<Pool, "totalCount" | "idleCount" | "waitingCount">>();
});
