import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryStateBackend } from "../../src/mod.ts";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import { EPOCH_MS } from "../../sim/trace/epoch.ts";
import { inAirflow } from "./airflow.ts";
import { AsOurs, plain } from "./state-store-as-ours.ts";
import { DIFFERENCES } from "./state-store-differences.ts";
import {
  ASSETS,
  observeOurs,
  type Observed,
  type Sequence,
  sequence,
  TASKS,
} from "./state-store.ts";

/** SEQUENCES in the environment is how many, SEED which. */
const numRuns = Number(process.env["SEQUENCES"] ?? 40);
const seed = Number(process.env["SEED"] ?? 1);

function playInAirflow(
  context: Parameters<typeof inAirflow>[0],
  sequences: readonly Sequence[],
): readonly (readonly Observed[])[] {
  const inputs = [{ tasks: TASKS, assets: ASSETS }, ...sequences];
  const [, ...observed] = inAirflow(context, "state_store_sequences.py", inputs);
  return observed as readonly (readonly Observed[])[];
}

test(
  `${numRuns} sequences are the same in Airflow's stores, but for what is ours on purpose`,
  { timeout: 3_600_000 },
  async (context) => {
    const sequences = fc.sample(sequence, { numRuns, seed });
    const airflow = playInAirflow(context, sequences);
    for (const [at, one] of sequences.entries()) {
      const ours = new AsOurs();
      const expected = one.steps.map((step, n) =>
        ours.after(step, (airflow[at] as readonly Observed[])[n] as Observed),
      );
      for (const backend of [new MemoryStateBackend(), new SqliteStateBackend(":memory:")]) {
        const observed = await observeOurs(one, backend);
        for (const [n, step] of one.steps.entries()) {
          const upTo = one.steps.slice(0, n);
          // With the steps, so that a failure shows them.
          expect({ upTo, step, seen: plain(observed[n] as Observed) }).toEqual({
            upTo,
            step,
            seen: plain(expected[n] as Observed),
          });
        }
      }
    }
  },
);

test("what is ours on purpose is what is listed", { timeout: 600_000 }, async (context) => {
  const sequences = DIFFERENCES.map(({ steps }): Sequence => {
    return { startsAt: EPOCH_MS, defaultRetentionDays: 30, steps };
  });
  const airflow = playInAirflow(context, sequences);
  for (const [at, { what, airflow: theirs, ours }] of DIFFERENCES.entries()) {
    const observed = await observeOurs(sequences[at] as Sequence, new MemoryStateBackend());
    expect({ what, ended: airflow[at]?.map(wordsOf) }).toEqual({ what, ended: theirs });
    expect({ what, ended: observed.map(wordsOf) }).toEqual({ what, ended: ours });
  }
});

function wordsOf([[kind, value]]: Observed): string {
  const isTold = kind === "returned" || kind === "status";
  return isTold ? `${kind} ${JSON.stringify(value)}` : kind;
}
