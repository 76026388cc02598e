import { describe, expect, test } from "vitest";
import { CRASH_POINTS } from "../../sim/checkers/mod.ts";
import { simulate } from "../../sim/scenario/simulate.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";
import { catalogueFrom, type CatalogueEntry } from "./catalogue.ts";
import pinned from "./digests.json" with { type: "json" };

const SEEDS = [1, 2, 3];

/**
 * Pinned digests: what a seed does is a promise to whoever kept one. A change of behaviour changes
 * them; then look why, and pin anew with `npm run pin`.
 */
const DIGESTS = pinned as Readonly<Record<string, unknown>>;

describe("the scenarios", () => {
  const entries: CatalogueEntry[] = [];

  for (const name of scenarioNames()) {
    test(`${name}, seeds ${SEEDS.join(", ")}: ends as told, twice with one digest, the pinned one`, async () => {
      const scenario = readScenario(name);
      const hits = new Map<string, number>();
      const digests: string[] = [];
      for (const seed of SEEDS) {
        const report = await simulate(scenario, { seed, trace: false });
        const again = await simulate(scenario, { seed, trace: true });
        expect(report.violations.map(({ checker, detail }) => `${checker}: ${detail}`)).toEqual(
          again.violations.map(({ checker, detail }) => `${checker}: ${detail}`),
        );
        expect(["held", "broken-as-told"]).toContain(report.verdict);
        expect(again.digest).toBe(report.digest);
        digests.push(report.digest);
        for (const [point, times] of report.stats.crashPoints) {
          hits.set(point, (hits.get(point) ?? 0) + times);
        }
      }
      entries.push({ name, story: scenario.story, hits });
      expect(digests).toEqual(DIGESTS[name]);
    });
  }

  test("a replay of the recorded choices gives the same digest", async () => {
    const scenario = readScenario("everything-at-once");
    const { digest, choices } = await simulate(scenario, { seed: 5 });
    const replayed = await simulate(scenario, { seed: 5, replay: choices });
    expect(choices.length).toBeGreaterThan(1_000);
    expect(replayed.digest).toBe(digest);
  });

  test("hit each of the thirty crash points, and the catalogue says which", async () => {
    const missed = Object.keys(CRASH_POINTS).filter(
      (point) => !entries.some(({ hits }) => hits.has(point)),
    );
    expect(missed).toEqual([]);
    await expect(catalogueFrom(entries)).toMatchFileSnapshot("../../scenarios/README.md");
  });
});
