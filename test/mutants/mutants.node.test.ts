import { afterAll, describe, expect, test } from "vitest";
import { CHECKER_IDS } from "../../sim/checkers/mod.ts";
import { simulate } from "../../sim/scenario/simulate.ts";
import type { ManagerFactory } from "../../sim/scenario/stage.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { MUTANTS } from "./bug-list.ts";
import { type Mutant, MutantShop } from "./mutant.ts";

/**
 * Where bugs are sought unless they say otherwise: generated runs, nothing written by hand for one.
 */
const SCENARIOS = ["hostile-client", "stalling-client"];
const SEEDS_MAX = 150;

const shop = new MutantShop();
const heard = new Map<string, string>();

afterAll(() => shop[Symbol.dispose]());

interface Finding {
  readonly runs: number;
  readonly checkers: readonly string[];
}

async function hunt(mutant: Mutant): Promise<Finding | undefined> {
  const Manager = await shop.load(mutant);
  const createManager: ManagerFactory = (life, settings, logger) =>
    new Manager({
      clock: life.clock,
      logger,
      maxSubscriberQueue: settings.maxSubscriberQueue,
      ackTimeout: { milliseconds: settings.ackTimeout },
      cohortGracePeriod: { milliseconds: settings.cohortGracePeriod },
      strictPersistence: settings.strictPersistence,
    });
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
      const finding = await hunt(mutant);
      expect(finding, `not found in ${SEEDS_MAX} seeds`).toBeDefined();
      for (const checker of finding?.checkers ?? []) {
        if (!heard.has(checker)) heard.set(checker, mutant.bug);
      }
    });
  }

  test("every checker was seen to fail", () => {
    expect(CHECKER_IDS.filter((id) => !heard.has(id))).toEqual([]);
  });
});
