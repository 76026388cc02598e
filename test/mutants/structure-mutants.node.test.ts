import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { ledgerActs } from "../shared-stream/ledger-acts.ts";
import { type Books, differenceOf } from "../shared-stream/ledger-match.ts";
import { MutantShop } from "./mutant.ts";
import { STRUCTURE_BUGS } from "./structure-bugs.ts";

const RUNS = 300;
const SEED = 60_606;

const shop = new MutantShop();

afterAll(() => shop[Symbol.dispose]());

/** Whether generated acts tell the books from the model, or break them. */
function isFoundIn(books: Books): boolean {
  const property = fc.property(ledgerActs(), (acts) => differenceOf(books, acts) === undefined);
  return fc.check(property, { numRuns: RUNS, seed: SEED, endOnFailure: true }).failed;
}

describe("generated acts find the bugs planted in the fast structures", () => {
  test("and find nothing where none is planted", async () => {
    const what = "nothing";
    expect(isFoundIn(await shop.loadBooks({ bug: "S-00", what, edits: [] }))).toBe(false);
  });

  for (const mutant of STRUCTURE_BUGS) {
    test(`${mutant.bug}: ${mutant.what}`, async () => {
      expect(isFoundIn(await shop.loadBooks(mutant)), `not found in ${RUNS} runs`).toBe(true);
    });
  }
});
