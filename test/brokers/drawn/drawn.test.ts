import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assertDrawn } from "./drawn.ts";

const RUNS = { numRuns: 60, seed: 1, lanes: 4 };
const VALUES = fc.uuid();
const DRAWN = fc.sample(VALUES, RUNS);

/** Fails the first time for each value that is drawn, as on a busy server; and always for one. */
function assertingOne(bad?: string): {
  readonly played: ReadonlySet<string>;
  readonly assertOne: (value: string) => Promise<void>;
} {
  const played = new Set<string>();
  return {
    played,
    async assertOne(value) {
      const isBusy = DRAWN.includes(value) && !played.has(value);
      played.add(value);
      if (isBusy || value === bad) throw new Error("busy");
    },
  };
}

test("assertDrawn() plays every value, also when many fail that do not fail alone", async () => {
  const { played, assertOne } = assertingOne();
  await assertDrawn(VALUES, RUNS, assertOne);
  expect([...played]).toHaveLength(RUNS.numRuns);
});

test("assertDrawn() reports a value that fails alone, however late it comes", async () => {
  const last = DRAWN.at(-1) ?? "";
  const { assertOne } = assertingOne(last);
  await expect(assertDrawn(VALUES, RUNS, assertOne)).rejects.toThrow(last);
});
