import * as fc from "fast-check";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { outbox } from "../../../sim/brokers/outbox/model.ts";
import { BrokerStage, pass } from "../broker-stage.ts";

const LOCK = "SELECT id FROM outbox FOR UPDATE";
/** How long the row is locked by somebody else: longer than any timeout that is drawn. */
const HELD_MS = 60_000;

type Name = "lock_timeout" | "statement_timeout";
type Act =
  | { readonly op: "BEGIN" | "COMMIT" | "ROLLBACK" }
  | { readonly op: "SET" | "SET LOCAL"; readonly name: Name; readonly seconds: number }
  | { readonly op: "RESET"; readonly name: Name };

const name = fc.constantFrom<Name>("lock_timeout", "statement_timeout");
const seconds = fc.integer({ min: 0, max: 9 });
const change: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constantFrom("SET", "SET LOCAL"), name, seconds }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("RESET"), name }) },
);
/** Begun or not, changed, and ended or not: mostly whole transactions. */
const stretch: fc.Arbitrary<readonly Act[]> = fc
  .tuple(
    fc.constantFrom<readonly Act[]>([{ op: "BEGIN" }], [{ op: "BEGIN" }], []),
    fc.array(change, { minLength: 1, maxLength: 3 }),
    fc.constantFrom<readonly Act[]>([{ op: "COMMIT" }], [{ op: "ROLLBACK" }], []),
  )
  .map((parts) => parts.flat());
const acts = fc.array(stretch, { maxLength: 4 }).map((stretches) => stretches.flat());

const textOf = (act: Act): string => {
  if (act.op === "SET" || act.op === "SET LOCAL")
    return `${act.op} ${act.name} = '${act.seconds}s'`;
  return act.op === "RESET" ? `RESET ${act.name}` : act.op;
};

/** The seconds of each timeout after these acts, in PostgreSQL's words: 0 is none. */
function settingsAfter(history: readonly Act[]): Record<Name, number> {
  let session = { lock_timeout: 0, statement_timeout: 0 };
  let before = session;
  let local: Partial<Record<Name, number>> = {};
  let isInside = false;
  for (const act of history) {
    if (act.op === "SET") session = { ...session, [act.name]: act.seconds };
    else if (act.op === "RESET") session = { ...session, [act.name]: 0 };
    else if (act.op === "SET LOCAL") {
      if (isInside) local = { ...local, [act.name]: act.seconds };
    } else if (act.op === "BEGIN") {
      if (!isInside) before = session;
      isInside = true;
    } else {
      if (isInside && act.op === "ROLLBACK") session = before;
      local = {};
      isInside = false;
    }
  }
  return { ...session, ...local };
}

test("a statement waits as long as the settings say that its transactions have left", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (history) => {
      const stage = new BrokerStage(outbox()) as unknown as BrokerStage<Pool>;
      stage.publish(1);
      const seen = await stage.play(async (pool, life) => {
        const [holder, client] = [await pool.connect(), await pool.connect()];
        await holder.query("BEGIN");
        await holder.query(LOCK);
        for (const act of history) await client.query(textOf(act));
        const from = stage.world.now;
        const waiting = client.query(LOCK).then(
          () => "has it",
          (error: Error) => error.message,
        );
        const ended = waiting.then((how) => ({ how, ms: stage.world.now - from }));
        await pass(life, HELD_MS);
        await holder.query("COMMIT");
        const { how, ms } = await ended;
        return { how, seconds: Math.floor(ms / 1_000) };
      });
      const { lock_timeout: lock, statement_timeout: statement } = settingsAfter(history);
      const of = (seconds: number, what: string): object => ({
        how: `canceling statement due to ${what} timeout`,
        seconds,
      });
      if (lock === 0 && statement === 0) expect(seen).toEqual({ how: "has it", seconds: 60 });
      else if (statement === 0 || (lock > 0 && lock <= statement)) {
        expect(seen).toEqual(of(lock, "lock"));
      } else expect(seen).toEqual(of(statement, "statement"));
    }),
    { numRuns: 150 },
  );
});
