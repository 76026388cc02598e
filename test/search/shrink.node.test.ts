import { afterAll, describe, expect, test } from "vitest";
import { MutantShop } from "../mutants/mutant.ts";
import { plantedFailures, type SmallFailure } from "./shrink-planted.ts";

const RERUNS_MAX = 500;
const LINES_MEDIAN = 10;
const FAULTS_MEDIAN = 3;
const MS_MEDIAN = 2_000;

const shop = new MutantShop();
const sizes: SmallFailure[] = [];

afterAll(() => shop[Symbol.dispose]());

describe("what planted bugs do is made small", () => {
  for (const { bug, what, shrunk } of plantedFailures(shop)) {
    test(`${bug}: ${what}`, async () => {
      const small = await shrunk();
      expect(small).toMatchObject({ isMinimal: true, failsStill: true, isAtRest: true });
      expect(small.reruns).toBeLessThanOrEqual(RERUNS_MAX);
      sizes.push(small);
    });
  }

  test("median: at most 10 lines and 3 faults, within 2 s", () => {
    const median = (of: (size: SmallFailure) => number): number =>
      sizes.map(of).toSorted((one, other) => one - other)[sizes.length >> 1] ?? Infinity;
    expect(median(({ lines }) => lines)).toBeLessThanOrEqual(LINES_MEDIAN);
    expect(median(({ faults }) => faults)).toBeLessThanOrEqual(FAULTS_MEDIAN);
    expect(median(({ ms }) => ms)).toBeLessThanOrEqual(MS_MEDIAN);
  });
});
