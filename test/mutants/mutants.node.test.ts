import { afterAll, describe, expect, test } from "vitest";
import { CHECKER_IDS } from "../../sim/checkers/mod.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { managersOf } from "../../sim/worlds/manager/profiles.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { MUTANTS } from "./bug-list.ts";
import type { Mutant } from "./mutant.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";

/**
 * Where bugs are sought unless they say otherwise: generated runs, nothing written by hand for one.
 */
const SCENARIOS = ["hostile-client", "stalling-client"];
const SEEDS_MAX = 150;

const sandbox = new MutantSandbox();
const hunts = new Map<Mutant, Promise<Finding | undefined>>();

afterAll(() => sandbox[Symbol.dispose]());

interface Finding {
  readonly runs: number;
  readonly checkers: readonly string[];
}

/** Each bug is hunted once, by the test that needs it first. */
function findingOf(mutant: Mutant): Promise<Finding | undefined> {
  const known = hunts.get(mutant) ?? hunt(mutant);
  hunts.set(mutant, known);
  return known;
}

async function hunt(mutant: Mutant): Promise<Finding | undefined> {
  const createManager = managersOf(await sandbox.load(mutant));
  let runs = 0;
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    for (const name of mutant.scenarios ?? SCENARIOS) {
      runs += 1;
      const report = await simulate(readScenario(name), { seed, trace: false, createManager });
      const checkers = [...new Set(report.violations.map(({ checker }) => checker))];
      if (checkers.length > 0) return { runs, checkers };
    }
  }
  return undefined;
}

describe("generated runs find the planted bugs", () => {
  test("at least forty bugs of the list are planted", () => {
    const listed = MUTANTS.filter(({ bug }) => bug.startsWith("B-"));
    expect(new Set(listed.map(({ bug }) => bug)).size).toBe(listed.length);
    expect(listed.length).toBeGreaterThanOrEqual(40);
  });

  for (const mutant of MUTANTS) {
    test(`${mutant.bug}: ${mutant.what}`, async () => {
      const finding = await findingOf(mutant);
      expect(finding, `not found in ${SEEDS_MAX} seeds`).toBeDefined();
    });
  }

  test("every checker was seen to fail", async () => {
    const failed = new Set<string>();
    for (const mutant of MUTANTS) {
      for (const checker of (await findingOf(mutant))?.checkers ?? []) failed.add(checker);
    }
    expect(CHECKER_IDS.filter((id) => !failed.has(id))).toEqual([]);
  });
});
