import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { drawScenario } from "../../sim/scenario/world-kinds.ts";
import { LineDigest } from "../../sim/trace/digest.ts";
import { correctPartsOf } from "./subjects.ts";

const DIGEST_CHARS = 16;

/** Of the first seventy seeds those that together take hosts, faults and checkers through the most. */
const SEEDS: readonly (readonly [
  world: Scenario["world"],
  profile: "faultlane" | "airflow-3.3",
  seeds: readonly number[],
])[] = [
  ["triggerer", "faultlane", [2, 6, 15, 17, 19, 25, 47, 49, 53, 54, 55, 57, 61, 68]],
  ["triggerer", "airflow-3.3", [2, 6, 15, 22, 36, 43, 47, 49, 53, 55, 59, 61, 66, 68]],
  ["manager", "faultlane", [2, 4, 5, 8, 12, 24, 30, 33, 39, 42, 44, 47, 54, 55]],
  ["manager", "airflow-3.3", [4, 9, 11, 15, 23, 31, 34, 35, 39, 44, 52, 54, 65, 69]],
  ["tasks", "faultlane", [8, 14, 17, 19, 31, 32, 34, 39, 43, 50, 51, 56, 58, 67]],
  ["operator", "faultlane", [6, 7, 10, 13, 14, 15, 27, 31, 32, 40, 42, 49, 59, 64]],
  ["producer", "faultlane", [3, 6, 14, 19, 24, 33, 34, 38, 40, 51, 63, 64, 65, 70]],
  ["producer", "airflow-3.3", [10, 14, 21, 24, 25, 31, 37, 40, 44, 52, 60, 61, 63, 65]],
];

// A line that changes has to be understood, and is then written by
// `npm run test:node -- test/worlds/pinned-seeds --update`.
describe("what is drawn from a seed does what it did when it was pinned", () => {
  test.each(SEEDS)("the world %s with the profile %s", async (world, profile, seeds) => {
    const lines: string[] = [];
    for (const seed of seeds) lines.push(`${seed} ${await outcomeOf(world, profile, seed)}\n`);
    await expect(lines.join("")).toMatchFileSnapshot(`pinned/${world}-${profile}.txt`);
  });
});

/** Returns how long the run is, digests of its trace and of what was counted, and what broke. */
async function outcomeOf(world: Scenario["world"], profile: string, seed: number): Promise<string> {
  const drawn = drawScenario(world, seed);
  const scenario = ("profile" in drawn ? { ...drawn, profile } : drawn) as Scenario;
  const options = { ...correctPartsOf(world), seed, trace: false };
  const { digest, stats, violations, vacuous, orphans } = await simulate(scenario, options);
  const counted = new LineDigest();
  counted.add(JSON.stringify([stats, violations, vacuous, orphans]));
  const digests = [digest, counted.hex()].map((one) => one.slice(0, DIGEST_CHARS));
  const broken = new Set(violations.map(({ checker }) => checker));
  return [`${stats.virtualMs} ms`, ...digests, ...broken].join(" ");
}
