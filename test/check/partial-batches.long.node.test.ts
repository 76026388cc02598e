import { describe, expect, test } from "vitest";
import { HANDLE_BUGS } from "./producers/answer-bugs.ts";
import { expectFoundWithin } from "./producers/found-only-by.ts";
import { FULL_STREAM_BUGS } from "./producers/nats/full-stream-bugs.ts";
import { PARTIAL_BATCH_BUGS } from "./producers/partial-batches.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 500;
const SEEDS_WITHOUT = 80;

describe("checkProducer()", () => {
  for (const bug of [...PARTIAL_BATCH_BUGS, ...FULL_STREAM_BUGS, ...HANDLE_BUGS]) {
    test(`finds ${bug.name}, seed 1`, () => expectFoundWithin(bug, FOUND_WITHIN_RUNS));

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        expect([seed, await bug.brokenWithout(seed)]).toEqual([seed, []]);
      }
    });
  }
});
