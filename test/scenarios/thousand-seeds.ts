// A thousand seeds of each family of scenarios. It takes minutes, so that two test files share the families
// and run side by side.
import { expect, test } from "vitest";
import { LineDigest } from "../../sim/trace/digest.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { loadParts, readScenario, scenarioFamilies } from "../sim/read-scenarios.ts";
import pinned from "./digests.json" with { type: "json" };

const RUNS = 1_000;
/** Seeds that no other test uses. */
const FIRST_SEED = 1_001;

const DIGESTS = pinned as Readonly<Record<string, unknown>>;

/** The families about shared streams; all others are about tasks. */
export function isOfStreams(family: string): boolean {
  return family === "streams" || family === "producers";
}

/** Writes a test for each family that is asked for: nothing is broken, and digests agree everywhere. */
export function testThousandSeeds(isAsked: (family: string) => boolean): void {
  const asked = scenarioFamilies().filter(([family]) => isAsked(family));
  test.for(asked)(
    `${RUNS} seeds of %s: no violation, each twice with one digest, the same on every runtime`,
    async ([family, names]) => {
      const digests = new LineDigest();
      const bad: string[] = [];
      for (let at = 0; at < RUNS; at += 1) {
        const name = names[at % names.length] as string;
        const seed = FIRST_SEED + at;
        const scenario = readScenario(name);
        const options = { ...(await loadParts(name)), seed, trace: false };
        const report = await simulate(scenario, options);
        const again = await simulate(scenario, options);
        digests.add(report.digest);
        if (again.digest !== report.digest) bad.push(`${name} ${seed}: two digests`);
        if (report.verdict === "broken" || report.verdict === "unexpected-success") {
          bad.push(`${name} ${seed}: ${report.verdict} ${report.violations[0]?.detail ?? ""}`);
        }
      }
      expect(bad.join("\n")).toBe("");
      expect(digests.hex()).toBe(DIGESTS[`a thousand seeds of ${family}`]);
    },
  );
}
