import { describe, expect, test } from "vitest";
import { Campaign, type Executor } from "../../sim/search/campaign.ts";
import { LocalExecutor } from "../../sim/search/execute.ts";
import type { JobResult } from "../../sim/search/job.ts";
import { subjectFrom } from "../../sim/search/subject.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { pausedOwner } from "./lane-world.ts";

const subjects = [subjectFrom(readScenario("stalling-client")), pausedOwner(30)];

/** So many executors as worker threads would be, each with its share of a batch. */
function sharedBy(count: number): Executor {
  const executors = Array.from({ length: count }, () => new LocalExecutor(subjects));
  return async ({ jobs, news }) => {
    const results: JobResult[] = [];
    for (const [first, executor] of executors.entries()) {
      const places = [...jobs.keys()].filter((at) => at % count === first);
      const share = jobs.filter((_, at) => at % count === first);
      const done = await executor.execute({ jobs: share, news });
      places.forEach((place, at) => {
        results[place] = done[at] as JobResult;
      });
    }
    return results;
  };
}

async function campaignOf(execute: Executor): Promise<Campaign> {
  const campaign = new Campaign({ subjects: 2, search: "portfolio", seed: 1, runs: 150 });
  for (let batch = campaign.nextBatch(); batch !== undefined; batch = campaign.nextBatch()) {
    campaign.learn(batch, await execute(batch));
  }
  return campaign;
}

describe("a campaign", () => {
  test("finds the same on any number of workers", async () => {
    const [alone, three] = [await campaignOf(sharedBy(1)), await campaignOf(sharedBy(3))];
    expect(alone.findings.length).toBeGreaterThan(0);
    expect(three.findings).toEqual(alone.findings);
    expect(three.accounts).toEqual(alone.accounts);
    expect(three.marks).toEqual(alone.marks);
    expect(three.behaviours).toBe(alone.behaviours);
  });

  test("makes the requested number of runs of each subject, calibration first", async () => {
    const campaign = await campaignOf(sharedBy(1));
    expect(campaign.runs).toBe(300);
    expect(campaign.accounts.get("calibration")?.runs).toBe(2);
    expect([...campaign.accounts.values()].reduce((all, { runs }) => all + runs, 0)).toBe(300);
  });

  test("finds most new behaviour at first", async () => {
    const campaign = new Campaign({ subjects: 1, search: "random", seed: 1, runs: 129 });
    const executor = new LocalExecutor(subjects);
    const grown: number[] = [];
    for (let batch = campaign.nextBatch(); batch !== undefined; batch = campaign.nextBatch()) {
      const before = campaign.behaviours;
      campaign.learn(batch, await executor.execute(batch));
      grown.push(campaign.behaviours - before);
    }
    expect(grown).toHaveLength(3);
    expect(grown[2]).toBeLessThan((grown[0] ?? 0) + (grown[1] ?? 0));
  });
});

describe("marks", () => {
  test("are not events: recording them does not change the digest", async () => {
    const scenario = readScenario("hostile-client");
    const { stats, trace } = await simulate(scenario, { seed: 1 });
    expect(stats.marks.filter(([, times]) => times > 0).length).toBeGreaterThan(5);
    expect(JSON.stringify(trace)).not.toContain("fired twice");
  });

  test("that are never reached are reported with 0", async () => {
    const calm = "story: x\nworld: manager\noperations: 1\n";
    const { stats } = await simulate(parseScenario(calm, "calm"), { seed: 1 });
    expect(stats.marks.length).toBeGreaterThan(12);
    expect(stats.marks.some(([, times]) => times === 0)).toBe(true);
  });
});
