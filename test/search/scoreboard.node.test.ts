import { afterAll, describe, expect, test } from "vitest";
import { Campaign } from "../../sim/search/campaign.ts";
import { LocalExecutor } from "../../sim/search/execute.ts";
import { subjectFrom } from "../../sim/search/subject.ts";
import { MutantShop } from "../mutants/mutant.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";
import { hunt, medianOf } from "./hunt.ts";
import { plantedBugs } from "./planted-bugs.ts";

const shop = new MutantShop();
const SEEDS = [1, 1_000_004, 2_000_007];
const SEED_STEP = 1_000_003;
/** What the table in bench/SEARCH.md says, with room for chance. */
const RUNS_MAX = 1_000;
const MEDIAN_RUNS_MAX = 50;
const MS_MAX = 60_000;
const MEDIAN_MS_MAX = 1_000;

/** Some eighty copies of the sources take their time to delete. */
const CLEANING_MS_MAX = 60_000;

afterAll(() => shop[Symbol.dispose](), CLEANING_MS_MAX);

describe("the default portfolio finds what is planted", () => {
  const times: number[] = [];

  for (const { bug, what, runsForOne, subjects } of plantedBugs(shop)) {
    test(`${bug}: ${what}`, async () => {
      const sought = await subjects();
      const runsMax = RUNS_MAX * runsForOne;
      const runs: number[] = [];
      for (const seed of SEEDS) {
        const now = (): number => performance.now();
        const hunted = await hunt(sought, { search: "portfolio", seed, runsMax, now });
        expect(hunted.isFound, `not in ${runsMax} runs from seed ${seed}`).toBe(true);
        runs.push(hunted.runs);
        times.push(hunted.ms);
      }
      expect(medianOf(runs).median).toBeLessThanOrEqual(MEDIAN_RUNS_MAX * runsForOne);
    });
  }

  test("each within a minute, and half of them within a second", () => {
    expect(Math.max(...times)).toBeLessThanOrEqual(MS_MAX);
    expect(medianOf(times).median).toBeLessThanOrEqual(MEDIAN_MS_MAX);
  });
});

describe("the default portfolio finds nothing in what ships", () => {
  for (const [at, name] of scenarioNames().entries()) {
    const seed = 1 + at * SEED_STEP;
    test(`${name}, seeds from ${seed}`, async () => {
      const campaign = new Campaign({ subjects: 1, search: "portfolio", seed, runs: 6 });
      const executor = new LocalExecutor([subjectFrom(readScenario(name))]);
      for (let batch = campaign.nextBatch(); batch !== undefined; batch = campaign.nextBatch()) {
        campaign.learn(batch, await executor.execute(batch));
      }
      expect(campaign.findings).toEqual([]);
    });
  }
});
