import { describe, expect, test } from "vitest";
import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import { brokenWithout, findBug } from "./broken-without.ts";
import { CALLEE_FAULT_BUGS } from "./callee-fault-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 250;
const SEEDS_WITHOUT = 120;

const CALLEE_FAULT = /callee|duplicate-late|delay-reply/;

function isOfCallee(fault: OperatorFault): boolean {
  if ("verdict" in fault) return CALLEE_FAULT.test(fault.verdict);
  return "halfOpen" in fault && fault.halfOpen === true;
}

describe("checkResumableJob()", () => {
  for (const bug of CALLEE_FAULT_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      const { story } = await findBug(bug, FOUND_WITHIN_RUNS);
      expect(story.join("\n")).toMatch(/callee|late copy|peers are not told/);
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        expect([seed, await brokenWithout(bug, isOfCallee, seed)]).toEqual([seed, []]);
      }
    });
  }
});
