import { describe, expect, test } from "vitest";
import { JOB_SYSTEM_NAMES } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { TaskScenario } from "../../sim/worlds/tasks/task-scenario.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const SEEDS = [1, 2, 3, 4, 5];

describe("in a storm, on every job system that has a preset, the operators keep every promise", () => {
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
