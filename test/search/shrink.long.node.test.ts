import { afterAll, describe, expect, test } from "vitest";
import { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { type PlantedFailure, plantedFailures, type SmallFailure } from "./shrink-planted.ts";

const RERUNS_MAX = 1_000;
const LINES_MEDIAN = 10;
const FAULTS_MEDIAN = 3;

const sandbox = new MutantSandbox();
const failures = plantedFailures(sandbox);
const made = new Map<string, Promise<SmallFailure>>();

/** Each is made small once, by the test that needs it first. */
function smallOf({ bug, what, shrunk }: PlantedFailure): Promise<SmallFailure> {
  const name = `${bug}: ${what}`;
  const known = made.get(name) ?? shrunk();
  made.set(name, known);
  return known;
}

afterAll(() => sandbox[Symbol.dispose]());

describe("what planted bugs do is made small", () => {
  for (const failure of failures) {
    test(`${failure.bug}: ${failure.what}`, async () => {
      const small = await smallOf(failure);
      expect(small).toMatchObject({ isMinimal: true, failsStill: true, isAtRest: true });
      expect(small.reruns).toBeLessThanOrEqual(RERUNS_MAX);
    });
  }

  test("median: at most 10 lines and 3 faults", async () => {
    const sizes: SmallFailure[] = [];
    for (const failure of failures) sizes.push(await smallOf(failure));
    const median = (of: (size: SmallFailure) => number): number =>
      sizes.map(of).toSorted((one, other) => one - other)[sizes.length >> 1] ?? Infinity;
    expect(median(({ lines }) => lines)).toBeLessThanOrEqual(LINES_MEDIAN);
    expect(median(({ faults }) => faults)).toBeLessThanOrEqual(FAULTS_MEDIAN);
  });
});
