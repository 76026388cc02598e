import { describe, expect, test } from "vitest";
import { hunt, medianOf } from "./hunt.ts";
import { pausedOwner } from "./lane-world.ts";

/** Heartbeats that the owner sleeps through, and in how many runs that must be found. */
const FLOORS: readonly (readonly [heartbeats: number, runs: number])[] = [
  [30, 200],
  [100, 1_000],
  [300, 5_000],
];
const RANDOM_RUNS = 20_000;
const SEEDS = 9;
const SEED_STEP = 1_000_003;

async function medianRuns(search: "portfolio" | "pct", heartbeats: number): Promise<number> {
  const runs: number[] = [];
  for (let at = 0; at < SEEDS; at += 1) {
    const hunted = await hunt([pausedOwner(heartbeats)], {
      search,
      seed: 1 + at * SEED_STEP,
      runsMax: 5_000,
    });
    runs.push(hunted.isFound ? hunted.runs : Number.POSITIVE_INFINITY);
  }
  return medianOf(runs).median;
}

describe("an owner that stalls while its peer beats", () => {
  for (const [heartbeats, floor] of FLOORS) {
    for (const search of ["portfolio", "pct"] as const) {
      test(`${heartbeats} heartbeats: ${search} finds it in a median of at most ${floor} runs`, async () => {
        expect(await medianRuns(search, heartbeats)).toBeLessThanOrEqual(floor);
      });
    }
  }

  test("a random walk does not find it in twenty thousand runs", async () => {
    const subject = pausedOwner(30);
    const { isFound } = await hunt([subject], { search: "random", seed: 1, runsMax: RANDOM_RUNS });
    expect(isFound).toBe(false);
  });
});
