import { describe, expect, test } from "vitest";
import { expectFoundWithin } from "./producers/found-only-by.ts";
import { LATE_COPY_BUGS } from "./producers/late-copies.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 250;
const SEEDS_WITHOUT = 80;

describe("checkProducer()", () => {
  for (const bug of LATE_COPY_BUGS) {
    test(`finds ${bug.name}, seed 1`, () => expectFoundWithin(bug, FOUND_WITHIN_RUNS));

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        expect([seed, await bug.brokenWithout(seed)]).toEqual([seed, []]);
      }
    });
  }
});
