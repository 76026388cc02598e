import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import type { TaskWorldParts } from "../../sim/worlds/tasks/task-parts.ts";
import type { StoreScope, WriteOptions } from "../../src/store/mod.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { backendWith } from "./planted-backend.ts";

const SEEDS = 3;
const WINTER_TIME = "store/clocks-change-to-winter-time";
/** Scenarios of the same tasks, in which no clock passes a change. */
const OTHERS = [
  "store/scratch-is-removed",
  "store/watermark-follows-the-data",
  "store/writers-clock-goes-back",
  "store/writers-clock-drifts",
  "store/retention-outlives-the-retry",
];
const HOUR_MS = 3_600_000;
const SUMMER_FROM = Date.parse("2026-03-29T01:00:00Z");
const SUMMER_UNTIL = Date.parse("2026-10-25T01:00:00Z");

/** The local time of Berlin as if it were UTC, in milliseconds. */
function localFrom(utcMs: number): number {
  const isSummer = utcMs >= SUMMER_FROM && utcMs < SUMMER_UNTIL;
  return utcMs + (isSummer ? 2 : 1) * HOUR_MS;
}

/** Of an hour that there is twice, the first. */
function utcFrom(localMs: number): number {
  const summer = localMs - 2 * HOUR_MS;
  return localFrom(summer) === localMs ? summer : localMs - HOUR_MS;
}

/** E93: an entry expires its retention after its write, by the local calendar. */
const LOCAL_RETENTION = backendWith((correct) => ({
  set(scope: StoreScope, key: string, value: string, options: WriteOptions) {
    const { expiresAt, updatedAt } = options;
    if (expiresAt === null || updatedAt === undefined) {
      return correct.set(scope, key, value, options);
    }
    const local = localFrom(updatedAt) + (expiresAt - updatedAt);
    return correct.set(scope, key, value, { ...options, expiresAt: utcFrom(local) });
  },
}));

async function brokenIn(
  scenario: Scenario,
  partsOf: () => TaskWorldParts,
): Promise<readonly string[]> {
  const broken = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const options = { seed, trace: false, digest: false, taskParts: partsOf() };
    const { violations } = await simulate(scenario, options);
    for (const { checker } of violations) broken.add(checker);
  }
  return [...broken].toSorted();
}

describe("E93 a retention by the local calendar", () => {
  test("is found where the clocks go back", async () => {
    expect(await brokenIn(readScenario(WINTER_TIME), () => LOCAL_RETENTION)).toContain("R-expires");
  });

  test.each(OTHERS)("is not found in %s", async (name) => {
    expect(await brokenIn(readScenario(name), () => LOCAL_RETENTION)).toEqual([]);
  });
});
