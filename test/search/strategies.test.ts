import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLOCK_TASK } from "../../sim/choices/choices.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { UNCALIBRATED } from "../../sim/search/strategy/calibration.ts";
import { Campaign } from "../../sim/search/campaign.ts";
import { LocalExecutor } from "../../sim/search/execute.ts";
import type { Job } from "../../sim/search/job.ts";
import { pct } from "../../sim/search/strategy/pct.ts";
import { pos } from "../../sim/search/strategy/pos.ts";
import { SEARCHES, turnOf } from "../../sim/search/strategy/portfolio.ts";
import { randomWalk } from "../../sim/search/strategy/random-walk.ts";
import { rerun } from "../../sim/search/rerun.ts";
import type {
  Calibration,
  ChoiceSource,
  Plan,
  Strategy,
} from "../../sim/search/strategy/strategy.ts";
import { subjectFrom } from "../../sim/search/subject.ts";
import { Swarm } from "../../sim/search/swarm.ts";
import { urw } from "../../sim/search/strategy/urw.ts";
import { readScenario } from "../sim/read-scenarios.ts";

function planOf(seed: number, calibration: Calibration = UNCALIBRATED): Plan {
  return {
    seed,
    turn: seed,
    calibration,
    mayStall: true,
    swarm: (source) => source,
  };
}

/** The first and the last jobs of a short campaign. */
async function someJobs(name: string, search: (typeof SEARCHES)[number]): Promise<readonly Job[]> {
  const campaign = new Campaign({ subjects: 1, search, seed: 3, runs: 70 });
  const executor = new LocalExecutor([subjectFrom(readScenario(name))]);
  const jobs: Job[] = [];
  for (let batch = campaign.nextBatch(); batch !== undefined; batch = campaign.nextBatch()) {
    jobs.push(...batch.jobs);
    campaign.learn(batch, await executor.execute(batch));
  }
  return [...jobs.slice(0, 4), ...jobs.slice(-4)];
}

describe("every strategy", () => {
  for (const search of SEARCHES) {
    test(`${search}: a run can be repeated, and its recording replays to the same digest`, async () => {
      const scenario = readScenario("hostile-client");
      for (const job of await someJobs("hostile-client", search)) {
        const first = await rerun(scenario, job);
        const again = await rerun(scenario, job);
        expect(again.report.digest).toBe(first.report.digest);
        const { choices } = first.report;
        const replayed = await simulate(first.scenario, { seed: job.seed, replay: choices });
        expect(replayed.digest).toBe(first.report.digest);
      }
    });
  }

  test("pct: a run in which the clock overtakes hosts replays, too", async () => {
    const scenario = readScenario("runner-restarts-alone");
    const calibration = { contested: 2_000, steps: [["runner-1", 500]] as const };
    let stalls = 0;
    for (let seed = 1; seed <= 6; seed += 1) {
      const turn = { subject: 0, run: seed, seed, turn: seed };
      const job: Job = { ...turn, strategy: "pct", isSwarm: false, calibration };
      const { report, changes } = await rerun(scenario, job);
      stalls += changes.length;
      const replayed = await simulate(scenario, { seed, replay: report.choices });
      expect(replayed.digest).toBe(report.digest);
      expect(report.verdict).toBe("held");
    }
    expect(stalls).toBeGreaterThan(0);
  });

  test("the random walk makes the runs that the seeds make", async () => {
    const scenario = readScenario("hostile-client");
    const turn = { subject: 0, run: 0, seed: 9, turn: 0 };
    const job: Job = { ...turn, strategy: "random", isSwarm: false, calibration: UNCALIBRATED };
    const { report } = await rerun(scenario, job);
    expect(report.digest).toBe((await simulate(scenario, { seed: 9 })).digest);
  });
});

describe("schedulers", () => {
  const tasks = fc.uniqueArray(fc.constantFrom("a", "b", "a\u2192b", "b\u2192c", "d"), {
    minLength: 2,
  });
  const strategies: readonly (readonly [string, Strategy])[] = [
    ["pct", pct],
    ["pos", pos],
    ["urw", urw],
  ];
  for (const [name, strategy] of strategies) {
    test(`for every sequence of races, ${name} returns one of the racing tasks`, () => {
      const races = fc.array(fc.tuple(tasks, fc.boolean()), { maxLength: 60 });
      fc.assert(
        fc.property(fc.nat(), races, (seed, sequence) => {
          const { scheduler } = strategy(planOf(seed));
          for (const [racers, isClockThere] of sequence) {
            const all = isClockThere && scheduler?.racesClock ? [...racers, CLOCK_TASK] : racers;
            const chosen = scheduler?.choose(all, "") ?? -1;
            expect(all[chosen]).toBeDefined();
            scheduler?.took(all[chosen] as string);
          }
        }),
      );
    });
  }

  test("urw makes all interleavings equally likely", () => {
    const steps = [
      ["once", 1],
      ["often", 9],
    ] as const;
    const places = Array.from({ length: 10 }, () => 0);
    for (let seed = 0; seed < 4_000; seed += 1) {
      const { scheduler } = urw(planOf(seed, { contested: 10, steps }));
      let place = 0;
      while (place < 9 && scheduler?.choose(["often", "once"], "") === 0) {
        scheduler.took("often");
        place += 1;
      }
      places[place] = (places[place] ?? 0) + 1;
    }
    for (const times of places) expect(times).toBeGreaterThan(300);
  });

  test("pos keeps the priority of a waiting step until a step that races with it has run", () => {
    let kept = 0;
    for (let seed = 0; seed < 50; seed += 1) {
      const { scheduler } = pos(planOf(seed));
      const first = scheduler?.choose(["a", "b"], "");
      scheduler?.took("c");
      if (scheduler?.choose(["a", "b"], "") === first) kept += 1;
    }
    expect(kept).toBe(50);
  });

  test("pct is fair in the end: a starved task runs, too", () => {
    for (let seed = 0; seed < 30; seed += 1) {
      const { scheduler } = pct(planOf(seed, { contested: 10, steps: [["a", 5]] }));
      const seen = new Set<number>();
      for (let at = 0; at < 400; at += 1) seen.add(scheduler?.choose(["a", "b"], "") ?? -1);
      expect(seen).toEqual(new Set([0, 1]));
    }
  });
});

describe("the portfolio", () => {
  test("has 35 % URW, 25 % POS, and 20 % each of random and PCT, turns in order", () => {
    const turns = Array.from({ length: 200 }, (_, run) => turnOf("portfolio", run));
    const of = (name: string): readonly number[] =>
      turns.filter(({ strategy }) => strategy === name).map(({ turn }) => turn);
    const counts = ["urw", "pos", "random", "pct"].map((name) => of(name).length);
    expect(counts).toEqual([70, 50, 40, 40]);
    expect(of("pct")).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });
});

describe("a swarm", () => {
  test("for every seed stays in range, keeps the calm choice possible, and repeats its draws", () => {
    const asked = fc.tuple(
      fc.constantFrom("fault", "time", "data", "workload"),
      fc.constantFrom("x", "y", "z"),
      fc.integer({ min: 2, max: 60 }),
    );
    fc.assert(
      fc.property(fc.nat(), fc.array(asked, { maxLength: 40 }), (seed, questions) => {
        const answers = [1, 2].map(() => {
          const source = new Swarm(seed).around(randomWalk(planOf(seed)));
          return questions.map(([kind, label, n]) => source.stream(kind, "part").choose(n, label));
        });
        expect(answers[0]).toEqual(answers[1]);
        questions.forEach(([, , n], at) => {
          const value = answers[0]?.[at] ?? -1;
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThan(n);
        });
      }),
    );
  });

  test("draws in two levels whether a fault strikes, and leaves its details alone", () => {
    const source = (seed: number): ChoiceSource => new Swarm(seed).around(randomWalk(planOf(seed)));
    const seeds = Array.from({ length: 400 }, (_, seed) => seed);
    const strikes = seeds.map((seed) => {
      const stream = source(seed).stream("fault", "rules");
      return seeds.filter(() => stream.choose(1_000, "broker.fetch") === 999).length;
    });
    const active = strikes.filter((times) => times > 50).length / seeds.length;
    const rare = strikes.filter((times) => times <= 10).length;
    expect(active).toBeGreaterThan(0.2);
    expect(active).toBeLessThan(0.4);
    expect(rare).toBe(seeds.length - active * seeds.length);
    const times = seeds.map((seed) =>
      source(seed).stream("fault", "storm").choose(60_000, "when in the minute"),
    );
    expect(new Set(times).size).toBeGreaterThan(300);
  });

  test("says in words how it changed a run", () => {
    const said = new Set<string>();
    for (let seed = 0; seed < 100; seed += 1) {
      const swarm = new Swarm(seed);
      const source = swarm.around(randomWalk(planOf(seed)));
      source.stream("fault", "rules").choose(9, "broker.fetch");
      source.stream("workload", "client").choose(3, "stop all");
      for (const change of swarm.changes()) said.add(change.replace(/in \d+ draws/, "in N draws"));
    }
    expect([...said].toSorted()).toEqual([
      'fault "broker.fetch" never strikes',
      'fault "broker.fetch" strikes once in 4 opportunities',
      'workload choice "stop all" takes only option 0, out of 0 to 2',
      'workload choice "stop all" takes only options 0, 1, 2, out of 0 to 2',
      'workload choice "stop all" takes only options 0, 1, out of 0 to 2',
      'workload choice "stop all" takes only options 0, 2, out of 0 to 2',
      'workload choice "stop all" takes the last of its 3 options once in N draws',
    ]);
  });

  const LISTING = ["everything-at-once", "resumable/three-kinds-of-kill"];
  test.each(LISTING)("now and then leaves a fault of %s out, and says so", (name) => {
    const scenario = readScenario(name);
    const drawn = Array.from({ length: 20 }, (_, seed) => new Swarm(seed).scenario(scenario));
    expect(drawn.some(({ without }) => without.length === 0)).toBe(true);
    expect(drawn.some(({ without }) => without.length > 0)).toBe(true);
    for (const { scenario: left, without } of drawn) {
      if (!("operations" in left && "operations" in scenario)) throw new Error("?");
      if (left.world === "manager" || scenario.world === "manager") throw new Error("?");
      const all = scenario.faults.length + scenario.operations.length;
      expect(left.faults.length + left.operations.length + without.length).toBe(all);
    }
  });
});
