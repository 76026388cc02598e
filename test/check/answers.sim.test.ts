import { describe, expect, test } from "vitest";
import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import { ANSWER_BUGS } from "./answer-bugs.ts";
import { brokenWithout, findBug } from "./broken-without.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 500;
const SEEDS_WITHOUT = 120;

function isLie(fault: OperatorFault): boolean {
  return "verdict" in fault && fault.verdict === "answer-other";
}

describe("checkResumableJob()", () => {
  for (const bug of ANSWER_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      const { story } = await findBug(bug, FOUND_WITHIN_RUNS);
      expect(story.join("\n")).toContain("the answer is about another's");
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        const broken = await brokenWithout(bug, isLie, seed);
        expect([seed, broken]).toEqual([seed, []]);
      }
    });
  }
});
