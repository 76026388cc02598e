import { expect, test } from "vitest";
import { likelySource, type Outcome, PAUSE_MS } from "../../sim/run/likely-source.ts";

/** Runs that differ by one number in one of their events. */
function runsOf(values: readonly number[]): readonly Outcome[] {
  return values.map((value) => ({
    identity: `digest of ${value}`,
    lines: ['{"at":0,"kind":"phase"}', `{"at":5,"kind":"outstanding","outstanding":${value}}`],
  }));
}

test.each([
  ["a counter", [7, 9, 11, 13, 15, 17], "state-outlives-run"],
  ["a counter of large steps", [1_000, 2_000, 3_000, 4_000, 5_000, 6_000], "state-outlives-run"],
  ["what only the first run finds", [9, 4, 4, 4, 4, 4], "state-outlives-run"],
  ["a clock", [100, 107, 111, 120, 126, 130 + PAUSE_MS], "real-time-or-chance"],
  ["chance", [3, 90, 12, 4, 44, 8], "real-time-or-chance"],
  ["one of two", [3, 5, 5, 3, 5, 3], "unknown"],
] as const)("likelySource() recognises %s", (_name, values, likely) => {
  expect(likelySource(runsOf(values), { isFirstEver: true })).toBe(likely);
});

test("likelySource() does not know why a later run differs that is equal ever after", () => {
  expect(likelySource(runsOf([9, 4, 4, 4, 4, 4]), { isFirstEver: false })).toBe("unknown");
});

test("likelySource() follows an event that comes later in some runs", () => {
  const runs = [5, 7, 9, 11, 13, 15].map((at) => ({
    identity: `digest of ${at}`,
    lines: [...(at > 8 ? ["something else at 8"] : []), `the reply at ${at}`],
  }));
  expect(likelySource(runs, { isFirstEver: true })).toBe("state-outlives-run");
});
