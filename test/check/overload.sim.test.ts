import { describe, expect, test } from "vitest";
import { brokenWithout, findBug } from "./broken-without.ts";
import { OVERLOAD_BUGS } from "./overload-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 250;
const SEEDS_WITHOUT = 120;

describe("checkResumableJob()", () => {
  for (const bug of OVERLOAD_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      const { story } = await findBug(bug, FOUND_WITHIN_RUNS);
      expect(story.join("\n")).toContain("too many requests (429)");
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        const broken = await brokenWithout(bug, (fault) => "overload" in fault, seed);
        expect([seed, broken]).toEqual([seed, []]);
      }
    });
  }
});
