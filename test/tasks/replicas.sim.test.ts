import { describe, expect, test } from "vitest";
import { createTaskCheckers, CheckerRunner, TaskFacts } from "../../sim/checkers/mod.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { drawScenario } from "../../sim/scenario/world-kinds.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";
import type { TaskScenario } from "../../sim/worlds/tasks/task-scenario.ts";
import type { TaskWorldParts } from "../../sim/worlds/tasks/task-parts.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { ASKING_LOADER, suspiciousLoader } from "./database-bugs.ts";

const SEEDS = 6;
const DRAWN_SEEDS = 80;

function isOfTasks(scenario: Scenario): scenario is TaskScenario {
  return scenario.world === "tasks";
}

function tasksOf(scenario: Scenario): TaskScenario {
  if (!isOfTasks(scenario)) throw new TypeError(`${scenario.name} has no tasks`);
  return scenario;
}

async function brokenIn(
  scenario: Scenario,
  seed: number,
  taskParts?: TaskWorldParts,
): Promise<readonly string[]> {
  const parts = taskParts === undefined ? {} : { taskParts };
  const report = await simulate(scenario, { ...parts, seed, trace: false, digest: false });
  return [...new Set(report.violations.map(({ checker }) => checker))];
}

describe("E79 a loader that asks the store before each page", () => {
  const scenario = tasksOf(readScenario("store/replica-lags"));

  test("loads pages again and again while the replica lags", async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      expect(await brokenIn(scenario, seed, ASKING_LOADER)).toContain("R-I12");
    }
  });

  test("is not found by the other faults", async () => {
    const faults = scenario.faults.filter((fault) => !("lag" in fault));
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      expect(await brokenIn({ ...scenario, faults }, seed, ASKING_LOADER)).toEqual([]);
    }
  });
});

describe("E80 a loader that takes lost progress for corruption", () => {
  const scenario = tasksOf(readScenario("store/fail-over-loses-commits"));

  test("ends failed once a fail-over has lost some", async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      expect(await brokenIn(scenario, seed, suspiciousLoader())).toEqual(["R-recovers"]);
    }
  });

  test("is not found by the other faults, nor where a replica lags", async () => {
    const crash = { at: 20_000, crash: "database", restartAfter: 5_000 } as const;
    const faults = scenario.faults.filter((fault) => !("failOver" in fault));
    const others = [
      { ...scenario, faults: [...faults, crash] },
      readScenario("store/paginated-progress"),
      readScenario("store/replica-lags"),
    ];
    for (const other of others) {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        expect(await brokenIn(other, seed, suspiciousLoader())).toEqual([]);
      }
    }
  });
});

test(`nobody is accused where a replica took over, drawn seeds 1 to ${DRAWN_SEEDS}`, async () => {
  for (let seed = 1; seed <= DRAWN_SEEDS; seed += 1) {
    const drawn = tasksOf(drawScenario("tasks", seed));
    const isShared = drawn.tasks.some(({ operator }) => operator === "watermark");
    if (drawn.payloads !== undefined || isShared) continue;
    const losing = [2_000, 10_000, 40_000][seed % 3] as number;
    const at = 20_000 + ((seed * 7_919) % 40_000);
    const failOver = { at, failOver: "database", losing, downFor: 3_000 } as const;
    const scenario = { ...drawn, faults: [...drawn.faults, failOver] };
    expect([seed, await brokenIn(scenario, seed)]).toEqual([seed, []]);
  }
});

test(`nobody is accused where the replica always lags, drawn seeds 1 to ${DRAWN_SEEDS}`, async () => {
  for (let seed = 1; seed <= DRAWN_SEEDS; seed += 1) {
    const drawn = tasksOf(drawScenario("tasks", seed));
    if (drawn.payloads !== undefined) continue;
    const by = [3_000, 20_000, 60_000][seed % 3] as number;
    const lag = { at: 0, lag: "database", by, for: drawn.phases.safety } as const;
    const scenario = { ...drawn, faults: [...drawn.faults, lag] };
    expect([seed, await brokenIn(scenario, seed)]).toEqual([seed, []]);
  }
});

const TASK = "report/run-1";
const SCOPE = '["task-instance","etl","run-1","report"]#-1';
const KEY = "remote_job_id";
const AT = { submit: 1_000, store: 2_000, lag: 3_000, read: 4_000, again: 5_000 };

type Told = readonly [at: number, host: string, body: TraceBody];

function begun(at: number, attempt: number): readonly Told[] {
  const row = { task: TASK, tryNumber: attempt, attempt } as const;
  return [
    [at, "database", { kind: "task-state", state: "running", result: "", ...row }],
    [at, `task-${attempt}`, { kind: "attempt", scope: SCOPE, start: "execute", ...row }],
  ];
}

function submit(job: number, by: number): TraceBody {
  return { kind: "job-accepted", job, id: `j-${job}`, task: TASK, key: "", attempt: by };
}

/** Attempt 1 submits a job and stores its id; then `by` reads, and submits another one. */
function toldBy(by: number, value: string | null, lag: number): readonly Told[] {
  const stored = { scope: SCOPE, key: KEY, value: '"j-1"', expiresAt: null, attempt: 1 };
  const isSecond: readonly Told[] = by === 1 ? [] : begun(AT.lag, by);
  return [
    ...begun(0, 1),
    [AT.submit, "jobs", submit(1, 1)],
    [AT.store, "database", { kind: "state-set", ...stored }],
    [AT.lag, "database", { kind: "reads-lag", by: lag, until: 60_000 }],
    ...isSecond,
    [AT.read, "database", { kind: "state-got", scope: SCOPE, key: KEY, value, attempt: by }],
    [AT.again, "jobs", submit(2, by)],
  ];
}

function brokenBy(told: readonly Told[]): readonly string[] {
  const judge = new CheckerRunner(createTaskCheckers(), new TaskFacts());
  for (const [at, host, body] of told) judge.observe({ at, host, ...body });
  return [...new Set(judge.violations.map(({ checker }) => checker))].toSorted();
}

describe("an attempt that submits beside a running job whose id is stored", () => {
  const ACCUSED = ["R-I1", "R-I3", "R-I5"];

  test("is excused where the replica that it read had not got the id yet", () => {
    expect(brokenBy(toldBy(2, null, 3_000))).toEqual([]);
  });

  test("is accused where the replica had got it, and its read as well", () => {
    expect(brokenBy(toldBy(2, null, 1_000))).toEqual([...ACCUSED, "R-I7"].toSorted());
  });

  test("is accused where it has read the id", () => {
    expect(brokenBy(toldBy(2, '"j-1"', 1_000))).toEqual(ACCUSED);
  });

  test("is accused where it submitted the job itself", () => {
    expect(brokenBy(toldBy(1, null, 3_000))).toEqual(ACCUSED);
  });

  test("excuses none that comes later and reads what is stored", () => {
    const later: readonly Told[] = [
      ...begun(61_000, 3),
      [
        62_000,
        "database",
        { kind: "state-got", scope: SCOPE, key: KEY, value: '"j-1"', attempt: 3 },
      ],
      [63_000, "jobs", submit(3, 3)],
    ];
    expect(brokenBy([...toldBy(2, null, 3_000), ...later])).toEqual(ACCUSED);
  });
});

describe("a job whose stored id a fail-over has lost", () => {
  const LOST_AT = 3_000;

  /** Attempt 1 submits a job and stores its id; then there is a fail-over, and attempt 2 submits. */
  function toldSince(since: number, value: string | null): readonly Told[] {
    const stored = { scope: SCOPE, key: KEY, value: '"j-1"', expiresAt: null, attempt: 1 };
    return [
      ...begun(0, 1),
      [AT.submit, "jobs", submit(1, 1)],
      [AT.store, "database", { kind: "state-set", ...stored }],
      [LOST_AT, "database", { kind: "commits-lost", since }],
      ...begun(LOST_AT, 2),
      [AT.read, "database", { kind: "state-got", scope: SCOPE, key: KEY, value, attempt: 2 }],
      [AT.again, "jobs", submit(2, 2)],
    ];
  }

  test("excuses a second one", () => {
    expect(brokenBy(toldSince(1_500, null))).toEqual([]);
  });

  test("is one whose id was not stored before", () => {
    expect(brokenBy(toldSince(AT.store, '"j-1"'))).toEqual(["R-I1", "R-I3", "R-I5"]);
  });

  test("reads as nothing, and not as it was", () => {
    expect(brokenBy(toldSince(1_500, '"j-1"'))).toEqual(["R-I7"]);
  });

  test("excuses no third one beside the second, whose id is stored", () => {
    const stored = { scope: SCOPE, key: KEY, value: '"j-2"', expiresAt: null, attempt: 2 };
    const more: readonly Told[] = [
      [6_000, "database", { kind: "state-set", ...stored }],
      ...begun(7_000, 3),
      [
        8_000,
        "database",
        { kind: "state-got", scope: SCOPE, key: KEY, value: '"j-2"', attempt: 3 },
      ],
      [9_000, "jobs", submit(3, 3)],
    ];
    expect(brokenBy([...toldSince(1_500, null), ...more])).toEqual(["R-I1", "R-I3", "R-I5"]);
  });
});
