import { describe, expect, test } from "vitest";
import { PASS } from "../../sim/faults/verdict.ts";
import { SITE_NAMES, type SiteName } from "../../sim/faults/site.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { problemsOf } from "../../sim/scenario/problems.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { drawScenario, worldKindOf } from "../../sim/scenario/world-kinds.ts";
import { loadParts, readScenario, scenarioNames } from "../sim/read-scenarios.ts";
import { correctPartsOf } from "./subjects.ts";

const SEEDS = [1, 2, 3, 4, 5, 6];
/** Sites at which no run of the kit's own scenarios passes, or no code at all. */
const RARE: readonly SiteName[] = [
  "api.delete-task-state",
  "api.xcom",
  "job.cancel",
  "payload.delete",
];

/** Each site that runs of a scenario pass, as a call or as a point of a host's own code. */
async function passedIn(scenario: Scenario, parts: object, seed: number): Promise<Set<string>> {
  const passed = new Set<string>();
  const watch = {
    name: "watch",
    decide({ site, isPoint }: { readonly site: SiteName; readonly isPoint: boolean }) {
      passed.add(`${site} ${isPoint ? "crash-before" : "drop-reply"}`);
      return PASS;
    },
  };
  await simulate(scenario, { ...parts, seed, trace: false, digest: false, rules: [watch] });
  return passed;
}

/** Whether a scenario may list this fault. */
function isTaken(scenario: Scenario, site: SiteName, verdict: string): boolean {
  const fault = { site, verdict, times: 1, for: 2_000, restartAfter: 3_000 };
  const struck = worldKindOf(scenario).makeup.withFaults(scenario, [fault]);
  return problemsOf(struck).every(({ path }) => path[0] !== "faults");
}

const WORLDS_WITH_SITES = ["triggerer", "tasks", "operator", "producer"] as const;

test("each site is one where a scenario of some world may strike", () => {
  const scenarios = WORLDS_WITH_SITES.map((world) => drawScenario(world, 1));
  const isSomewhere = (site: SiteName): boolean =>
    scenarios.some((scenario) => isTaken(scenario, site, "crash-before"));
  expect(SITE_NAMES.filter((site) => !isSomewhere(site))).toEqual([]);
});

describe.each(WORLDS_WITH_SITES)("the sites of the world %s", (world) => {
  test(
    "are those that its runs pass, with the verdicts that strike there",
    { timeout: 120_000 },
    async () => {
      const passed = new Set<string>();
      for (const seed of SEEDS) {
        const scenario = drawScenario(world, seed);
        for (const one of await passedIn(scenario, correctPartsOf(world), seed)) passed.add(one);
      }
      for (const name of scenarioNames()) {
        const scenario = readScenario(name);
        if (scenario.world !== world) continue;
        for (const one of await passedIn(scenario, await loadParts(name), 1)) passed.add(one);
      }
      const scenario = drawScenario(world, 1);
      for (const one of passed) {
        const [site, verdict] = one.split(" ") as [SiteName, string];
        expect([site, verdict, isTaken(scenario, site, verdict)]).toEqual([site, verdict, true]);
      }
      const never = SITE_NAMES.filter(
        (site) =>
          isTaken(scenario, site, "crash-before") &&
          !RARE.includes(site) &&
          ![...passed].some((one) => one.startsWith(`${site} `)),
      );
      expect(never).toEqual([]);
    },
  );
});
