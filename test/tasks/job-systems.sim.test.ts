import { describe, expect, test } from "vitest";
import { JOB_SYSTEM_NAMES } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/scenario/simulate.ts";
import type { TaskScenario } from "../../sim/scenario/task-scenario.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const SEEDS = [1, 2, 3, 4, 5];

describe("in a storm, on every system of the spec's table, the operators keep every promise", () => {
  const storm = readScenario("resumable/jobs-under-everything") as TaskScenario;
  for (const system of JOB_SYSTEM_NAMES) {
    test(`${system}, seeds ${SEEDS.join(", ")}`, async () => {
      const scenario = { ...storm, jobServer: { ...storm.jobServer, system } };
      const broken: string[] = [];
      for (const seed of SEEDS) {
        const report = await simulate(scenario, { seed, trace: false });
        const again = await simulate(scenario, { seed, trace: false });
        expect(again.digest).toBe(report.digest);
        broken.push(...report.violations.map(({ checker, detail }) => `${checker}: ${detail}`));
      }
      expect(broken).toEqual([]);
    });
  }
});
