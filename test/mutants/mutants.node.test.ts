import { afterAll, describe, expect, test } from "vitest";
import { ALL_MUTANTS } from "./bug-list.ts";
import { type Finder, findingOf } from "./finders.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";

/** A few bugs that show early; the long gate hunts them all. */
const SAMPLE: readonly (readonly [finder: Finder, bug: string])[] = [
  ["async", "B-01"],
  ["async", "B-31"],
  ["sync", "B-31"],
  ["sync", "V-05"],
  ["sync", "V-20"],
  ["either", "V-35"],
  ["either", "L-02"],
];

const sandbox = new MutantSandbox();

afterAll(() => sandbox[Symbol.dispose]());

describe("generated runs find planted bugs", () => {
  test.each(SAMPLE)("whose filters are %s: %s", async (finder, bug) => {
    const mutant = ALL_MUTANTS.find((known) => known.bug === bug);
    if (mutant === undefined) throw new Error(`Cannot plant ${bug}: the list has none`);
    expect(await findingOf(finder, mutant, sandbox)).toBeDefined();
  });
});
