import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SEARCHES } from "../../sim/search/portfolio.ts";
import { hunt } from "./hunt.ts";
import { racingTasks } from "./lane-world.ts";

const GAPS = [0, 1, 49, 50, 51, 60, 200, 1_000, 10_000];
const RUNS_MAX = 40;
/** fast-check's scheduler counts so many ticks and then takes what is there for all there is. */
const FAST_CHECK_SEES_TO = 50;

/** In which orders fast-check's scheduler lets the two tasks go. */
async function ordersOfFastCheck(gap: number): Promise<ReadonlySet<string>> {
  const orders = new Set<string>();
  const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const order: string[] = [];
    const go = async (name: string, awaits: number): Promise<void> => {
      for (let at = 0; at < awaits; at += 1) await Promise.resolve();
      await scheduler.schedule(Promise.resolve(), name);
      order.push(name);
    };
    const both = [go("early", 0), go("late", gap)];
    await scheduler.waitIdle();
    await scheduler.waitFor(Promise.all(both));
    orders.add(order[0] ?? "");
  });
  await fc.assert(property, { seed: 1, numRuns: RUNS_MAX });
  return orders;
}

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
      const orders = await ordersOfFastCheck(gap);
      expect(orders.size).toBe(gap <= FAST_CHECK_SEES_TO ? 2 : 1);
    });
  }
});
