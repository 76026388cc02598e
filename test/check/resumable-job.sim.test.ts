import { describe, expect, test } from "vitest";
import { checkResumableJob } from "../../sim/check/check-resumable-job.ts";
import { PropertyViolation } from "../../sim/check/property-violation.ts";
import { JOB_SYSTEM_NAMES } from "../../sim/jobs/presets.ts";
import {
  brokenJobOn,
  PLANTED_JOB_BUGS,
  type PlantedJobBug,
  rightJobOn,
} from "./resumable-job-bugs.ts";

/** On one core; what a user would wait for. */
const FOUND_WITHIN_MS = 10_000;

async function violationOf(bug: PlantedJobBug, seed = 1): Promise<PropertyViolation> {
  const error = await checkResumableJob(brokenJobOn(bug), { system: bug.system, seed }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof PropertyViolation) return error;
  throw new Error(`"${bug.name}" was not found`, { cause: error });
}

describe("checkResumableJob()", () => {
  for (const system of JOB_SYSTEM_NAMES) {
    test(`finds nothing in the example operator on ${system}, seeds 1 to 150`, async () => {
      const report = await checkResumableJob(rightJobOn(system), { system, numRuns: 150 });
      expect(report).toMatchObject({ system, runs: 150, seed: 1 });
      expect(report.attempts).toBeGreaterThan(150);
    });
  }

  for (const bug of PLANTED_JOB_BUGS) {
    test(`finds ${bug.name}, on ${bug.system}, seed 1`, async () => {
      const before = performance.now();
      const { guarantee, detail, story } = await violationOf(bug);
      expect(performance.now() - before).toBeLessThan(FOUND_WITHIN_MS);
      expect(bug.promises).toContain(guarantee);
      expect(story.at(-1)).toContain(detail);
    });
  }
});
