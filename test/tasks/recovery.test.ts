import { describe, expect, test } from "vitest";
import { CheckerRunner, TaskFacts } from "../../sim/checkers/mod.ts";
import { tasksRecover } from "../../sim/checkers/task/recovery.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

const TASK = "pages/run-1";

type Told = readonly [host: string, body: TraceBody];

function attempt(number: number, host = `task-${number}`, task = TASK): Told {
  const start = "execute";
  return [host, { kind: "attempt", task, attempt: number, tryNumber: number, scope: "s", start }];
}

function failed(number: number, host = `task-${number}`): Told {
  const error = "UnreadableValue";
  return [host, { kind: "attempt-ended", task: TASK, attempt: number, outcome: "failed", error }];
}

function state(name: "running" | "up_for_retry" | "failed", number = 0): Told {
  const body = { task: TASK, state: name, tryNumber: 1, attempt: number, result: "" } as const;
  return ["database", { kind: "task-state", ...body }];
}

function host(name: string, what: "start" | "crash" | "restart" | "pause" | "resume"): Told {
  const until = what === "pause" ? { until: 99_000 } : {};
  return [name, { kind: "host", state: what, incarnation: 1, ...until }];
}

function link(what: "cut" | "repaired" | "held" | "released"): Told {
  return ["task-1", { kind: "link", to: "api", state: what }];
}

function fault(at: string): Told {
  return [at, { kind: "fault", site: "store.commit", verdict: "fail before", rule: "r" }];
}

const JOB: readonly Told[] = [
  ["jobs", { kind: "job-accepted", job: 1, id: "j-1", task: TASK, key: "", attempt: 1 }],
];

/** What R-recovers says of a trace, whose events are a virtual second apart. */
function saidOf(told: readonly Told[], retriesMin = 0): readonly string[] {
  const runner = new CheckerRunner([tasksRecover(retriesMin)], new TaskFacts());
  told.forEach(([name, body], at) => runner.observe({ at: at * 1_000, host: name, ...body }));
  return runner.end().map(({ detail }) => detail);
}

/** One attempt, with what happens before, during and after it, and the end of its task. */
function run({ before = [], amid = [], after = [] }: Record<string, readonly Told[]>): Told[] {
  return [
    ...before,
    state("running", 1),
    attempt(1),
    ...amid,
    failed(1),
    ...after,
    state("failed"),
  ];
}

const BLAME = /attempt 1: UnreadableValue/;

describe("a task that ends failed is excused", () => {
  test.each<readonly [string, readonly Told[]]>([
    ["by a fault in its own process", run({ amid: [fault("task-1")] })],
    ["by a fault in a host that it may need", run({ amid: [fault("api")] })],
    ["by a host that crashes while it runs", run({ amid: [host("api", "crash")] })],
    ["by a host that is down as it begins", run({ before: [host("api", "crash")] })],
    ["by a host that is stalled as it begins", run({ before: [host("api", "pause")] })],
    ["by a link that is cut as it begins", run({ before: [link("cut")] })],
    ["by a link that is held while it runs", run({ amid: [link("held")] })],
    [
      "by a link from another process to what it may need",
      run({ amid: [attempt(2, "task-2"), ["task-2", { kind: "link", to: "api", state: "cut" }]] }),
    ],
    [
      "by a link from what it may need to another process",
      run({ amid: [attempt(2, "task-2"), ["api", { kind: "link", to: "task-2", state: "cut" }]] }),
    ],
    ["by a refusal", run({ amid: [["api", { kind: "refused", attempt: 1, what: "write" }]] })],
    [
      "by a job that is rejected",
      run({
        amid: [["jobs", { kind: "job-rejected", task: TASK, key: "", reason: "full", attempt: 1 }]],
      }),
    ],
    [
      "by its job's failure",
      run({ amid: [...JOB, ["jobs", { kind: "job-finished", job: 1, outcome: "failure" }]] }),
    ],
    [
      "by its job being forgotten",
      run({ amid: [...JOB, ["jobs", { kind: "job-forgotten", job: 1 }]] }),
    ],
    [
      "by its user, who stops a later attempt",
      [
        ...run({}).slice(0, -1),
        state("up_for_retry"),
        state("running", 2),
        attempt(2),
        ["worker-1", { kind: "kill", task: TASK, attempt: 2, category: "user", grace: 1 }],
        ["task-2", { kind: "attempt-ended", task: TASK, attempt: 2, outcome: "killed", error: "" }],
        state("failed"),
      ],
    ],
  ])("%s", (_, told) => {
    expect(saidOf(told)).toEqual([]);
  });
});

describe("a task that ends failed is not excused", () => {
  test.each<readonly [string, readonly Told[]]>([
    ["by nothing", run({})],
    ["by a fault before it began", run({ before: [fault("api")] })],
    ["by a fault after it ended", run({ after: [fault("api")] })],
    ["by a host that is up again", run({ before: [host("api", "crash"), host("api", "restart")] })],
    ["by a stall that is over", run({ before: [host("api", "pause"), host("api", "resume")] })],
    ["by a link that is repaired", run({ before: [link("cut"), link("repaired")] })],
    [
      "by a fault in the process of another attempt",
      run({ before: [attempt(7, "task-7", "other/run-1")], amid: [fault("task-7")] }),
    ],
    [
      "by the crash of the process of an earlier attempt",
      run({ before: [attempt(7, "task-7"), host("task-7", "crash")] }),
    ],
    ["by a job that runs", run({ amid: JOB })],
    [
      "by its job's success",
      run({ amid: [...JOB, ["jobs", { kind: "job-finished", job: 1, outcome: "success" }]] }),
    ],
    [
      "by faults that struck another of its attempts",
      [
        ...run({}).slice(0, -1),
        state("up_for_retry"),
        state("running", 2),
        attempt(2),
        fault("task-2"),
        failed(2),
        state("failed"),
      ],
    ],
  ])("%s", (_, told) => {
    expect(saidOf(told)).toEqual([expect.stringMatching(BLAME)]);
  });
});

describe("a task whose worker was lost", () => {
  const lost = (...before: readonly Told[]): readonly Told[] => [
    ...before,
    state("running", 1),
    attempt(1),
    ["database", { kind: "declared-dead", task: TASK, attempt: 1 }],
    state("failed"),
  ];

  test("is to be tried again while it has tries left", () => {
    expect(saidOf(lost(), 1)).toEqual([
      `${TASK} ends failed, although attempt 1 was only lost in try 1`,
    ]);
  });

  test.each<readonly [string, readonly Told[]]>([
    ["its user has stopped it", [["database", { kind: "user-stopped", task: TASK }]]],
    ["a fail-over lost commits", [["database", { kind: "commits-lost", since: 0 }]]],
  ])("fails if %s", (_, before) => {
    expect(saidOf(lost(...before), 1)).toEqual([]);
  });

  test("fails in its last try", () => {
    expect(saidOf(lost())).toEqual([]);
  });
});

describe("a deferred task whose trigger fails", () => {
  const deferred = (waits?: number): Told => {
    const body = { task: TASK, state: "deferred", tryNumber: 1, attempt: 0, result: "" } as const;
    return ["database", { kind: "task-state", ...body, ...(waits !== undefined && { waits }) }];
  };
  const ended: Told = [
    "task-1",
    { kind: "attempt-ended", task: TASK, attempt: 1, outcome: "deferred", error: "" },
  ];
  const waiting = (amid: readonly Told[], waits?: number): readonly Told[] => [
    ...JOB,
    state("running", 1),
    attempt(1),
    ended,
    deferred(waits),
    ...amid,
    state("failed"),
  ];
  const blame = [
    `${TASK} ends failed; the trigger of attempt 1 failed, and no fault struck while it waited, and its job did not fail`,
  ];
  const jobFails: Told = ["jobs", { kind: "job-finished", job: 1, outcome: "failure" }];

  test("is blamed where nothing befell the run while it waited", () => {
    expect(saidOf(waiting([]))).toEqual(blame);
    expect(saidOf(waiting([], 60_000))).toEqual(blame);
    expect(saidOf([fault("api"), ...waiting([])])).toEqual(blame);
  });

  test.each<readonly [string, readonly Told[]]>([
    ["by a fault", waiting([fault("triggerer")])],
    ["by a host that crashes", waiting([host("triggerer", "crash")])],
    ["by a host that is down already", [host("triggerer", "crash"), ...waiting([])]],
    ["by a link that is cut", waiting([link("cut")])],
    ["by commits that are lost", waiting([["database", { kind: "commits-lost", since: 0 }]])],
    ["by its user", waiting([["scheduler", { kind: "user-stopped", task: TASK }]])],
    ["by its job's failure", waiting([jobFails])],
    ["by its time-out", waiting([], 1_000)],
    ["because it runs again", [...waiting([]).slice(0, -1), state("up_for_retry")]],
  ])("is excused %s", (_, told) => {
    expect(saidOf(told)).toEqual([]);
  });
});
