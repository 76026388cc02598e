import { describe, expect, test } from "vitest";
import { checkResumableJob } from "../../sim/check/mod.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";
import { playPhases } from "../../sim/run/play-phases.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { PresetJob } from "../../sim/workloads/preset-job.ts";
import { PresetOperator } from "../../sim/workloads/preset-operator.ts";

const HOUR_MS = 3_600_000;

/** Which of the promises of liveness break. */
async function brokenIn(text: string): Promise<readonly string[]> {
  const { violations } = await simulate(parseScenario(text, "long"), { seed: 1, trace: false });
  const broken = violations.map(({ checker }) => checker);
  return broken.filter((id) => id === "R-settled" || id === "settled");
}

/** How long a world is played that has progress at these instants, and is never at rest. */
async function playedMs(progressAt: readonly number[], patienceMs = 0): Promise<number> {
  const world = new World(new CalmChoices(), { keepTrace: false });
  let seen = 0;
  await playPhases(
    world,
    { safety: 1_000, liveness: 10_000 },
    {
      start: () => undefined,
      calmDown: () => undefined,
      isAtRest: () => false,
      restCheckMs: 1_000,
      patienceMs,
      hasProgressed() {
        const due = progressAt.filter((at) => at <= world.now).length;
        const isMore = due > seen;
        seen = due;
        return isMore;
      },
    },
  );
  return world.now;
}

describe("the liveness phase", () => {
  test("gives up after as long as the scenario says, or the world's patience, without progress", async () => {
    expect(await playedMs([])).toBe(11_000);
    expect(await playedMs([], 60_000)).toBe(61_000);
  });

  test("goes on for as long again after each progress", async () => {
    expect(await playedMs([5_000, 14_000, 23_000])).toBe(33_000);
    expect(await playedMs([5_000, 16_000])).toBe(15_000);
  });
});

describe("an operator whose job runs longer than the liveness phase", () => {
  const knobs = { runMs: { min: 2 * HOUR_MS, max: 2 * HOUR_MS } };

  test.each([
    ["is not accused", "kubernetes-pod", 60_000, 70],
    [
      "is not accused when it polls once an hour, and the system keeps jobs",
      ...(["databricks", HOUR_MS, 150] as const),
    ],
    [
      "is not accused where the system has one place, which another run would have for as long",
      ...(["glue", 60_000, 70] as const),
    ],
  ] as const)("%s", async (_what, system, pollEveryMs, numRuns) => {
    const { runs } = await checkResumableJob(
      (client, { clock, task: name }) =>
        new PresetOperator(new PresetJob(client, clock, { system, name, pollEveryMs })),
      { system, numRuns, knobs },
    );
    expect(runs).toBe(numRuns);
  });

  test("is found when it waits for ever", async () => {
    class NeverEnds extends PresetOperator {
      override isJobActive(): boolean {
        return true;
      }
      override async pollUntilComplete(): Promise<void> {
        for (;;) await new Promise((resolve) => setTimeout(resolve, 600_000));
      }
    }
    const check = checkResumableJob(
      (client, { clock, task: name }) =>
        new NeverEnds(new PresetJob(client, clock, { system: "livy", name })),
      { system: "livy", numRuns: 1, knobs },
    );
    await expect(check).rejects.toMatchObject({ guarantee: "R-settled" });
  });
});

describe("an operator whose system forgets jobs while it hides how they have ended", () => {
  const knobs = 'retention: 20s, unknownStatuses: "2/3", takes: { min: 10s, max: 10s }';
  const system = `system: { kubernetes-pod: { ${knobs} } }`;
  const phases = "phases: { safety: 1s, liveness: 1h }";
  const text = `{ story: Hidden, world: operator, ${system}, ${phases} }`;
  const scenario = parseScenario(text, "hidden");

  test("is not accused of the attempts which that costs, seeds 1 to 40", async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { violations } = await simulate(scenario, { seed, trace: false });
      expect([seed, violations]).toEqual([seed, []]);
    }
  });

  test("is found when it never believes a success", async () => {
    class NeverSucceeds extends PresetJob {
      override isJobSucceeded(): boolean {
        return false;
      }
    }
    const operator = new OperatorUnderTest((client, { clock, task: name }) => {
      return new PresetOperator(
        new NeverSucceeds(client, clock, { system: "kubernetes-pod", name }),
      );
    });
    const { violations } = await simulate(scenario, { seed: 1, operator, trace: false });
    expect(violations.map(({ checker }) => checker)).toContain("R-settled");
  });
});

describe("a world of tasks", () => {
  const operators = [
    "resumable",
    "resumable-checkpoint",
    "deferrable-resumable",
    "plain",
    "hand-written",
    "checkpoint",
    "deferrable",
  ];
  for (const operator of operators) {
    test(`waits for a job of two hours: ${operator}`, async () => {
      const task = `{ name: load, operator: ${operator}, pollEvery: 60s }`;
      const broken = await brokenIn(
        `{ story: Long, world: tasks, tasks: [${task}], jobServer: { system: livy, takes: { min: 2h, max: 2h } } }`,
      );
      expect(broken).toEqual([]);
    });
  }

  test("waits for retries, pages and runs that take hours", async () => {
    const retried = "{ name: load, operator: resumable, retryDelay: 1h }";
    const jobServer = "{ system: livy, failFirst: 2 }";
    expect(
      await brokenIn(`{ story: Long, world: tasks, tasks: [${retried}], jobServer: ${jobServer} }`),
    ).toEqual([]);
    const pages = "{ name: load, operator: pages, pages: 2, pageTakes: 1h, runs: 2, every: 3h }";
    expect(await brokenIn(`{ story: Long, world: tasks, tasks: [${pages}] }`)).toEqual([]);
  });
});

test("a world of triggerers waits for an ack timeout that is longer than its liveness phase", async () => {
  const stream = "{ name: orders, triggers: 2, stuckTrigger: 1 }";
  const broken = await brokenIn(
    `{ story: Long, world: triggerer, streams: [${stream}], manager: { ackTimeout: 2h }, phases: { liveness: 10m } }`,
  );
  expect(broken).toEqual([]);
});
