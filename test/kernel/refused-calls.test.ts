import { RefusedCalls } from "../../sim/hosts/refused-calls.ts";
import { expect, test } from "vitest";

const SITE = "broker.fetch";
const TIMES_MAX = 200;

/** Calls and is refused 3 ms later, so often, with such a pause; returns what was told when. */
function told(times: number, pauseMs: (nth: number) => number): readonly (readonly number[])[] {
  const calls = new RefusedCalls();
  const seen: (readonly number[])[] = [];
  let now = 0;
  for (let nth = 0; nth < times; nth += 1) {
    const inARow = calls.called(SITE, now);
    if (inARow !== undefined) seen.push([nth, inARow]);
    calls.refused(SITE, now + 3);
    now += 3 + pauseMs(nth);
  }
  return seen;
}

test("a call that is refused and made again at once is told of, one time", () => {
  expect(told(3 * TIMES_MAX, () => 0)).toEqual([[TIMES_MAX, TIMES_MAX]]);
  expect(told(3 * TIMES_MAX, () => 9)).toEqual([[TIMES_MAX, TIMES_MAX]]);
  expect(told(TIMES_MAX, () => 0)).toEqual([]);
});

test("a pause begins the count anew", () => {
  expect(told(3 * TIMES_MAX, () => 10)).toEqual([]);
  expect(told(3 * TIMES_MAX, (nth) => (nth % 150 === 149 ? 10 : 0))).toEqual([]);
  const [first] = told(3 * TIMES_MAX, (nth) => (nth === 149 ? 10 : 0));
  expect(first).toEqual([150 + TIMES_MAX, TIMES_MAX]);
});

test("of calls that are made at a time one counts, and each site has a count of its own", () => {
  const calls = new RefusedCalls();
  const seen: (number | undefined)[] = [];
  for (let now = 0; now < TIMES_MAX - 1; now += 1) {
    for (const site of [SITE, SITE, SITE, "warehouse.query"] as const) {
      seen.push(calls.called(site, now));
    }
    calls.refused(SITE, now);
    calls.refused(SITE, now);
    calls.refused("warehouse.query", now);
  }
  expect(seen.filter((times) => times !== undefined)).toEqual([]);
});
