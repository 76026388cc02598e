import { describe, expect, test } from "vitest";
import { SEARCHES } from "../../sim/search/strategy/portfolio.ts";
import { GAPS, ordersOfFastCheck } from "./fast-check-orders.ts";
import { hunt } from "./hunt.ts";
import { racingTasks } from "./lane-world.ts";

const RUNS_MAX = 40;
/** fast-check's scheduler counts so many ticks and then takes what is there for all there is. */
const FAST_CHECK_SEES_TO = 50;

describe("two racing tasks with awaits between them", () => {
  for (const gap of GAPS) {
    test(`every strategy sees both orders across ${gap} awaits`, async () => {
      for (const search of SEARCHES) {
        for (const first of ["early", "late"] as const) {
          const { isFound } = await hunt([racingTasks(gap, first)], {
            search,
            seed: 1,
            runsMax: RUNS_MAX,
          });
          expect(isFound, `${search}: the ${first} one first`).toBe(true);
        }
      }
    });

    test(`fast-check's scheduler sees ${gap <= FAST_CHECK_SEES_TO ? "both" : "one"} across ${gap}`, async () => {
      const orders = await ordersOfFastCheck(gap, RUNS_MAX);
      expect(orders.size).toBe(gap <= FAST_CHECK_SEES_TO ? 2 : 1);
    });
  }
});
