import { afterAll, describe, expect, test } from "vitest";
import { STRUCTURE_MUTANTS } from "./bug-list.ts";
import { isFoundByActs } from "./finders.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";

const sandbox = new MutantSandbox();

afterAll(() => sandbox[Symbol.dispose]());

describe("generated acts find the bugs planted in the fast structures", () => {
  test("and find nothing where none is planted", async () => {
    const what = "nothing";
    expect(isFoundByActs(await sandbox.loadLedger({ bug: "S-00", what, patch: "" }))).toBe(false);
  });

  for (const mutant of STRUCTURE_MUTANTS) {
    test(`${mutant.bug}: ${mutant.what}`, async () => {
      expect(isFoundByActs(await sandbox.loadLedger(mutant))).toBe(true);
    });
  }
});
