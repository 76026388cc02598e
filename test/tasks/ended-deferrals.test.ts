import { describe, expect, test } from "vitest";
import { CheckerRunner, TaskFacts } from "../../sim/checkers/mod.ts";
import { endedDeferrals } from "../../sim/checkers/task/ended-deferrals.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

const TASK = "report/run-1";

type Told = readonly [at: number, host: string, body: TraceBody];

function state(at: number, name: "deferred" | "failed" | "scheduled"): Told {
  const body = { task: TASK, state: name, tryNumber: 1, attempt: 0, result: "" } as const;
  return [at, "database", { kind: "task-state", ...body }];
}

function host(at: number, what: "start" | "crash" | "pause" | "resume" | "skew"): Told {
  return [at, "triggerer", { kind: "host", state: what, incarnation: 1 }];
}

function link(at: number, what: "cut" | "repaired"): Told {
  return [at, "triggerer", { kind: "link", to: "jobs", state: what }];
}

/** Its trigger looks for the job. */
const POLLED: Told = [
  2,
  "jobs",
  { kind: "job-status", job: 1, status: "RUNNING", by: TASK, attempt: 0 },
];
const DEFERRED: readonly Told[] = [
  POLLED,
  [1, "jobs", { kind: "job-accepted", job: 1, id: "j-1", task: TASK, key: "", attempt: 1 }],
  state(2, "deferred"),
];
const STOPPED: readonly Told[] = [
  [50_000, "database", { kind: "user-stopped", task: TASK }],
  state(50_000, "failed"),
];
const CLEARED: readonly Told[] = [
  [50_000, "database", { kind: "user-cleared", task: TASK, keepState: true }],
  state(50_000, "scheduled"),
];

function finished(at = 120_000): Told {
  return [at, "jobs", { kind: "job-finished", job: 1, outcome: "success" }];
}

/** How often R-deferred accuses a trace, in the order of its times. */
function accusations(told: readonly Told[]): number {
  const runner = new CheckerRunner([endedDeferrals()], new TaskFacts());
  for (const [at, name, body] of told.toSorted(([a], [b]) => a - b)) {
    runner.observe({ at, host: name, ...body });
  }
  return runner.end().length;
}

describe("R-deferred accuses", () => {
  test.each([
    ["a stop", STOPPED],
    ["a clear", CLEARED],
  ])("%s of a deferred task whose job runs on", (_, ended) => {
    expect(accusations([...DEFERRED, ...ended, finished()])).toBe(1);
  });

  test("also after an attempt was lost, whose process does not come back", () => {
    const attempt = { attempt: 1, task: TASK, tryNumber: 1, scope: "s", start: "execute" } as const;
    const lost: readonly Told[] = [
      [1, "task-1", { kind: "attempt", ...attempt }],
      [2, "task-1", { kind: "host", state: "crash", incarnation: 1 }],
    ];
    expect(accusations([...lost, ...DEFERRED, ...STOPPED, finished()])).toBe(1);
  });

  test("also after faults that were over before", () => {
    const over = [host(3, "crash"), host(4, "start"), link(5, "cut"), link(6, "repaired")];
    expect(accusations([...DEFERRED, ...over, ...STOPPED, finished()])).toBe(1);
  });
});

describe("R-deferred accuses nobody", () => {
  const asked: Told = [12_000, "jobs", { kind: "job-cancel-asked", job: 1, by: TASK, attempt: 0 }];
  const later: Told = [
    60_000,
    "jobs",
    { kind: "job-accepted", job: 1, id: "j-1", task: TASK, key: "", attempt: 2 },
  ];
  test.each<readonly [string, readonly Told[]]>([
    [
      "where no trigger waits for the job",
      [...DEFERRED.filter((one) => one !== POLLED), ...STOPPED, finished()],
    ],
    [
      "where its trigger did not find the job",
      [...DEFERRED, [3, "jobs", { ...POLLED[2], status: "" } as TraceBody], ...STOPPED, finished()],
    ],
    [
      "where the operator leaves its jobs alone",
      [
        ...DEFERRED,
        [50_000, "database", { kind: "user-stopped", task: TASK, leavesJobs: true }],
        state(50_000, "failed"),
        finished(),
      ],
    ],
    ["where the cancellation was asked for", [...DEFERRED, ...STOPPED, asked, finished()]],
    ["where the job ended at about that time", [...DEFERRED, ...STOPPED, finished(79_000)]],
    [
      "where the job is one of a later attempt",
      [...DEFERRED.slice(1), ...CLEARED, later, finished()],
    ],
    ["where the task was not deferred", [...DEFERRED.slice(0, 2), ...STOPPED, finished()]],
    [
      "where the triggerer has just restarted",
      [...DEFERRED, host(47_000, "crash"), host(49_000, "start"), ...STOPPED, finished()],
    ],
    ["while the triggerer is down", [...DEFERRED, host(3, "crash"), ...STOPPED, finished()]],
    ["while the triggerer stalls", [...DEFERRED, host(3, "pause"), ...STOPPED, finished()]],
    ["after its clock was stepped", [...DEFERRED, ...STOPPED, host(51_000, "skew"), finished()]],
    ["while a link is cut", [...DEFERRED, link(3, "cut"), ...STOPPED, finished()]],
    [
      "after a call has failed meanwhile",
      [
        ...DEFERRED,
        ...STOPPED,
        [51_000, "triggerer", { kind: "fault", site: "job.cancel", verdict: "fail", rule: "r" }],
        finished(),
      ],
    ],
  ])("%s", (_, told) => {
    expect(accusations(told)).toBe(0);
  });
});
