import { describe, expect, test } from "vitest";
import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import { brokenWithout, findBug } from "./broken-without.ts";
import { DATABASE_FAULT_BUGS } from "./database-fault-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 500;
const SEEDS_WITHOUT = 250;

function nameOf(fault: OperatorFault): string {
  if (!("site" in fault)) return "";
  return fault.error ?? fault.verdict;
}

describe("checkResumableJob()", () => {
  for (const bug of DATABASE_FAULT_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      await findBug(bug, FOUND_WITHIN_RUNS);
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      const isIts = (fault: OperatorFault): boolean => nameOf(fault) === bug.by;
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        expect([seed, await brokenWithout(bug, isIts, seed)]).toEqual([seed, []]);
      }
    });
  }
});
