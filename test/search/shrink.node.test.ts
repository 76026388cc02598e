import { afterAll, describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/scenario/simulate.ts";
import { inputFrom } from "../../sim/scenario/write.ts";
import { identityOf } from "../../sim/search/shrink-identity.ts";
import { shrinkScenario, type ShrunkScenario } from "../../sim/search/shrink-scenario.ts";
import { MUTANTS } from "../mutants/bug-list.ts";
import { MutantShop } from "../mutants/mutant.ts";
import { type PlantedFailure, plantedFailure } from "./shrink-planted.ts";

const RERUNS_MAX = 500;
const LINES_MEDIAN = 10;
const FAULTS_MEDIAN = 3;
const MS_MEDIAN = 2_000;

interface Size {
  readonly lines: number;
  readonly faults: number;
  readonly ms: number;
}

const shop = new MutantShop();
const sizes: Size[] = [];

afterAll(() => shop[Symbol.dispose]());

/** What a reader has to take in: faults, operations and pinned choices are a line each. */
function sizeOf({ scenario }: ShrunkScenario, ms: number): Size {
  const { faults = [], operations } = inputFrom(scenario);
  const listed = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  const lines = listed(faults) + listed(operations) + (scenario.choices?.length ?? 0);
  return { lines, faults: listed(faults), ms };
}

async function shrunk({ scenario, seed, createManager }: PlantedFailure): Promise<ShrunkScenario> {
  const beganAt = performance.now();
  const small = await shrinkScenario(scenario, { seed, parts: { createManager } });
  sizes.push(sizeOf(small, performance.now() - beganAt));
  return small;
}

describe("shrinkScenario() of the planted bugs", () => {
  for (const { bug, what } of MUTANTS) {
    test(`${bug}: ${what}`, async () => {
      const failure = await plantedFailure(shop, bug);
      const small = await shrunk(failure);
      expect(small.isMinimal).toBe(true);
      expect(small.reruns).toBeLessThanOrEqual(RERUNS_MAX);

      const read = parseScenario(small.text, small.scenario.name);
      const { createManager } = failure;
      const report = await simulate(read, { createManager });
      expect(report.verdict).toBe("broken");
      expect(report.violations.map(identityOf)).toContainEqual(small.failure);

      const again = await shrinkScenario(read, { parts: { createManager } });
      expect({ ...again.scenario, story: "" }).toEqual({ ...small.scenario, story: "" });
    });
  }

  test("median: at most 10 lines and 3 faults, within 2 s", () => {
    const median = (of: (size: Size) => number): number =>
      sizes.map(of).toSorted((one, other) => one - other)[sizes.length >> 1] ?? Infinity;
    expect(median(({ lines }) => lines)).toBeLessThanOrEqual(LINES_MEDIAN);
    expect(median(({ faults }) => faults)).toBeLessThanOrEqual(FAULTS_MEDIAN);
    expect(median(({ ms }) => ms)).toBeLessThanOrEqual(MS_MEDIAN);
  });
});
