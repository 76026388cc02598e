import { describe, expect, test } from "vitest";
import { ANSWER_BUGS } from "./answer-bugs.ts";
import { brokenWithout, findBug } from "./broken-without.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 500;
const SEEDS_WITHOUT = 120;

describe("checkResumableJob()", () => {
  for (const bug of ANSWER_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      const { story } = await findBug(bug, FOUND_WITHIN_RUNS);
      expect(story.join("\n")).toContain(bug.told);
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        const broken = await brokenWithout(bug, bug.isShownBy, seed);
        expect([seed, broken]).toEqual([seed, []]);
      }
    });
  }
});
