import { expect, test } from "vitest";
import { likelySource, PAUSE_MS } from "../../sim/run/likely-source.ts";

type Run = Parameters<typeof likelySource>[0][number];

/** Runs that differ by one number: where it stands in, is an event of theirs. */
function runsOf(values: readonly number[]): readonly Run[] {
  return values.map((value) => ({
    trace: [
      { at: 0, host: "world", kind: "phase", phase: "safety" },
      {
        at: 5,
        host: "h",
        kind: "outstanding",
        outstanding: value,
        lanes: 1,
        unconfirmed: 0,
        windows: 0,
      },
    ],
    choices: [],
    digest: `digest of ${value}`,
    stats: {
      virtualMs: 5,
      steps: 1,
      events: 2,
      choices: 0,
      faults: [],
      crashPoints: [],
      marks: [],
    },
    violations: [],
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
