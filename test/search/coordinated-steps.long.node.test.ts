import { afterAll, expect, test } from "vitest";
import type { SearchName } from "../../sim/search/strategy/portfolio.ts";
import { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { hunt, medianOf } from "./hunt.ts";
import { coordinatedBugs, type PlantedBug } from "./planted-bugs.ts";

const sandbox = new MutantSandbox();
const BUGS = coordinatedBugs(sandbox);
const SEEDS = [1, 1_000_004, 2_000_007];
/** A hunt that finds nothing by then counts as endless: the median needs no more. */
const RUNS_MAX = 400;

afterAll(() => sandbox[Symbol.dispose]());

/** In how many runs the bug is found from each seed, in a search of this kind. */
async function runsUntilFound(bug: PlantedBug, search: SearchName): Promise<readonly number[]> {
  const sought = await bug.subjects();
  const runs: number[] = [];
  for (const seed of SEEDS) {
    const hunted = await hunt(sought, { search, seed, runsMax: RUNS_MAX });
    runs.push(hunted.isFound ? hunted.runs : Number.POSITIVE_INFINITY);
  }
  return runs;
}

test("the portfolio finds what needs several steps in fewer runs than random walks", async () => {
  const [portfolio, random]: [number[], number[]] = [[], []];
  for (const bug of BUGS) {
    portfolio.push(...(await runsUntilFound(bug, "portfolio")));
    random.push(...(await runsUntilFound(bug, "random")));
  }
  expect(BUGS.length).toBeGreaterThanOrEqual(12);
  expect(medianOf(portfolio).median).toBeLessThan(medianOf(random).median);
});
