import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { ledgerActs } from "../shared-stream/ledger-acts.ts";
import { type LedgerParts, differenceOf } from "../shared-stream/ledger-match.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";
import { STRUCTURE_MUTANTS } from "./bug-list.ts";

const RUNS = 300;
const SEED = 60_606;

const sandbox = new MutantSandbox();

afterAll(() => sandbox[Symbol.dispose]());

/** Whether generated acts find a difference from the model, or make the ledger throw. */
function isFoundIn(parts: LedgerParts): boolean {
  const property = fc.property(ledgerActs(), (acts) => differenceOf(parts, acts) === undefined);
  return fc.check(property, { numRuns: RUNS, seed: SEED, endOnFailure: true }).failed;
}

describe("generated acts find the bugs planted in the fast structures", () => {
  test("and find nothing where none is planted", async () => {
    const what = "nothing";
    expect(isFoundIn(await sandbox.loadLedger({ bug: "S-00", what, patch: "" }))).toBe(false);
  });

  for (const mutant of STRUCTURE_MUTANTS) {
    test(`${mutant.bug}: ${mutant.what}`, async () => {
      expect(isFoundIn(await sandbox.loadLedger(mutant)), `not found in ${RUNS} runs`).toBe(true);
    });
  }
});
