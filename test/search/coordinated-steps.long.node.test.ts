import { afterAll, describe, expect, test } from "vitest";
import { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { hunt } from "./hunt.ts";
import { coordinatedBugs } from "./planted-bugs.ts";

const sandbox = new MutantSandbox();
const BUGS = coordinatedBugs(sandbox);
const SEEDS = [1, 1_000_004, 2_000_007];
/** What the table in bench/SEARCH-STEPS.md says, with room for chance. */
const RUNS_MAX = 2_000;

afterAll(() => sandbox[Symbol.dispose]());

describe("the default portfolio finds what needs several steps", () => {
  for (const { bug, what, subjects } of BUGS) {
    test(`${bug}: ${what}`, async () => {
      const sought = await subjects();
      for (const seed of SEEDS) {
        const hunted = await hunt(sought, { search: "portfolio", seed, runsMax: RUNS_MAX });
        expect(hunted.isFound, `not in ${RUNS_MAX} runs from seed ${seed}`).toBe(true);
      }
    });
  }

  test("the scoreboard has twelve of them", () => {
    expect(BUGS.length).toBeGreaterThanOrEqual(12);
  });
});
