import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { Campaign } from "../../sim/search/campaign.ts";
import { LocalExecutor } from "../../sim/search/execute.ts";
import { subjectFrom } from "../../sim/search/subject.ts";
import { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { loadParts, readScenario, scenarioNames } from "../sim/read-scenarios.ts";
import { hunt, medianOf } from "./hunt.ts";
import { plantedBugs } from "./planted-bugs.ts";

const sandbox = new MutantSandbox();
const SEEDS = [1, 1_000_004, 2_000_007];
const SEED_BLOCKS = 1_000;
const SEED_STEP = 1_000_003;
/** What the table in bench/SEARCH.md says, with room for chance. */
const RUNS_MAX = 1_000;
const MEDIAN_RUNS_MAX = 50;

afterAll(() => sandbox[Symbol.dispose]());

describe("the default portfolio finds what is planted", () => {
  for (const { bug, what, runsForOne, subjects } of plantedBugs(sandbox)) {
    test(`${bug}: ${what}`, async () => {
      const sought = await subjects();
      const runsMax = RUNS_MAX * runsForOne;
      const runs: number[] = [];
      for (const seed of SEEDS) {
        const hunted = await hunt(sought, { search: "portfolio", seed, runsMax });
        expect(hunted.isFound, `not in ${runsMax} runs from seed ${seed}`).toBe(true);
        runs.push(hunted.runs);
      }
      expect(medianOf(runs).median).toBeLessThanOrEqual(MEDIAN_RUNS_MAX * runsForOne);
    });
  }
});

/**
 * In other orders of steps it comes into the loop of backlog-outlives-the-ack-timeout: what three
 * outages leave is more than the supervisor stores within an ack timeout of 10 s.
 */
const METASTABLE: ReadonlySet<string> = new Set(["one-shot-trigger-returns-under-its-old-id"]);

/** A seed of the scenario's own, so that one more scenario gives no other one new seeds. */
function seedOf(name: string): number {
  const digest = createHash("sha256").update(name).digest();
  return 1 + (digest.readUInt32BE() % SEED_BLOCKS) * SEED_STEP;
}

describe("the default portfolio finds nothing in what ships", () => {
  for (const name of scenarioNames()) {
    const seed = seedOf(name);
    test(`${name}, seeds from ${seed}`, async () => {
      const campaign = new Campaign({ subjects: 1, search: "portfolio", seed, runs: 6 });
      const executor = new LocalExecutor([subjectFrom(readScenario(name), await loadParts(name))]);
      for (let batch = campaign.nextBatch(); batch !== undefined; batch = campaign.nextBatch()) {
        campaign.learn(batch, await executor.execute(batch));
      }
      const broken = new Set(campaign.findings.map(({ failure }) => failure.checker));
      expect([...broken].toSorted()).toEqual(METASTABLE.has(name) ? ["goodput"] : []);
    });
  }
});
