import { describe, expect, test } from "vitest";
import { Campaign } from "../../sim/search/campaign.ts";
import type { Failure } from "../../sim/search/failure.ts";
import type { Job, JobResult } from "../../sim/search/job.ts";
import { UNCALIBRATED } from "../../sim/search/strategy/calibration.ts";

const LOST: Failure = {
  checker: "G1",
  symptom: "never-delivered",
  shape: "# was never handed out",
};
const TWICE: Failure = { checker: "G4", symptom: "settled-twice", shape: "# was settled twice" };

function resultOf(failures: readonly Failure[] = [], features: readonly number[] = []): JobResult {
  return {
    failures,
    digest: "",
    features: Uint32Array.from(features),
    marks: [],
    faults: 0,
    calibration: UNCALIBRATED,
    ms: 0,
  };
}

/** Makes all runs of a campaign; `fails` returns what the run with this seed breaks. */
function searched(
  campaign: Campaign,
  fails: (seed: number) => readonly Failure[] = () => [],
): readonly Job[] {
  const jobs: Job[] = [];
  for (let batch = campaign.nextBatch(); batch !== undefined; batch = campaign.nextBatch()) {
    jobs.push(...batch.jobs);
    campaign.learn(
      batch,
      batch.jobs.map(({ seed }) => resultOf(fails(seed))),
    );
  }
  return jobs;
}

function campaignOf(runs: number, made: readonly number[] = []): Campaign {
  return new Campaign({ subjects: 2, search: "urw", seed: 5, runs, made });
}

describe("a campaign that continues an earlier one", () => {
  test("makes the runs after those that were made, of each subject", () => {
    const first = campaignOf(70);
    const before = searched(first).map(({ subject, seed }) => `${subject} ${seed}`);
    expect([first.made(0), first.made(1)]).toEqual([70, 70]);
    const second = campaignOf(70, [first.made(0), 0]);
    const after = searched(second).map(({ subject, seed }) => `${subject} ${seed}`);
    const again = after.filter((run) => before.includes(run));
    expect(again.filter((run) => run.startsWith("0"))).toEqual([]);
    expect(again.filter((run) => run.startsWith("1"))).toHaveLength(70);
    expect([second.made(0), second.made(1)]).toEqual([140, 70]);
  });

  test("counts no run as made behind one that did not end", () => {
    const campaign = campaignOf(70);
    const calibration = campaign.nextBatch();
    for (const job of calibration?.jobs ?? []) campaign.learnRun(job, resultOf());
    const batch = campaign.nextBatch();
    const [, , third, ...rest] = batch?.jobs ?? [];
    for (const job of batch?.jobs ?? []) if (job !== third) campaign.learnRun(job, resultOf());
    expect(rest.length).toBeGreaterThan(0);
    expect(campaign.made(third?.subject ?? 0)).toBe(third?.run);
  });

  test("knows the behaviour of the runs that it is given", () => {
    const campaign = campaignOf(10);
    campaign.know(1, [7, 8]);
    expect(campaign.behaviours).toBe(2);
    const batch = campaign.nextBatch();
    expect(batch?.news).toEqual([[1, Uint32Array.from([7, 8])]]);
    const second = batch?.jobs.find(({ subject }) => subject === 1) as Job;
    campaign.learnRun(second, resultOf([], [8, 9]));
    expect(campaign.behaviours).toBe(3);
  });
});

describe("the findings of a campaign", () => {
  test("are of one kind where promise, symptom and what was seen are the same", () => {
    const campaign = new Campaign({ subjects: 1, search: "urw", seed: 1, runs: 9 });
    const held: Failure = { ...LOST, shape: "# was held and never came back" };
    searched(campaign, (seed) => (seed % 3 === 0 ? [LOST] : seed % 3 === 1 ? [held, held] : []));
    expect(campaign.findings.map(({ failure, runs }) => [failure, runs])).toEqual([
      [held, 3],
      [LOST, 3],
    ]);
  });

  test("with one promise and symptom are told apart up to a limit", () => {
    const campaign = new Campaign({ subjects: 1, search: "urw", seed: 1, runs: 40 });
    searched(campaign, (seed) => [{ ...LOST, shape: "x".repeat(seed) }]);
    expect(campaign.findings.length).toBeLessThan(10);
    expect(campaign.findings.reduce((all, { runs }) => all + runs, 0)).toBe(40);
  });

  test("know which others occurred in each of their runs", () => {
    const campaign = new Campaign({ subjects: 1, search: "urw", seed: 1, runs: 9 });
    searched(campaign, (seed) => (seed > 5 ? [LOST, TWICE] : [LOST]));
    const [lost, twice] = campaign.findings;
    expect([...(lost?.alwaysWith ?? [])]).toEqual([]);
    expect([...(twice?.alwaysWith ?? [])]).toEqual([lost]);
  });

  test("are returned when their first run is learned", () => {
    const campaign = new Campaign({ subjects: 1, search: "urw", seed: 1, runs: 2 });
    const [job] = campaign.nextBatch()?.jobs ?? [];
    const fresh = campaign.learnRun(job as Job, resultOf([LOST]));
    expect(fresh).toEqual(campaign.findings);
    const [next] = campaign.nextBatch()?.jobs ?? [];
    expect(campaign.learnRun(next as Job, resultOf([LOST]))).toEqual([]);
  });
});
