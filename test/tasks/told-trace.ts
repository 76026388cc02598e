import { CheckerRunner, createTaskCheckers, TaskFacts } from "../../sim/checkers/mod.ts";
import type { TaskRowState } from "../../sim/trace/task-events.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

export const SCOPE = '["task-instance","etl","run-1","pages"]#-1';
export const OTHER = '["task-instance","etl","run-1","other"]#-1';
export const TASK = "pages/run-1";

export type Told = readonly [host: string, body: TraceBody];

export const OUTPUT = JSON.stringify(`output of ${TASK}`);

export const BEGUN: readonly Told[] = [
  ["database", state("running", 1)],
  [
    "task-1",
    { kind: "attempt", task: TASK, attempt: 1, tryNumber: 1, scope: SCOPE, start: "execute" },
  ],
];

export function state(name: TaskRowState, attempt: number, result = ""): TraceBody {
  return { kind: "task-state", task: TASK, state: name, tryNumber: 1, attempt, result };
}

export function set(value: string, attempt = 1): Told {
  const body = {
    kind: "state-set",
    scope: SCOPE,
    key: "k",
    value,
    expiresAt: 50,
    attempt,
  } as const;
  return ["database", body];
}

export function accepted(job: number, attempt = 1, task = TASK): readonly Told[] {
  return [["jobs", { kind: "job-accepted", job, id: `j-${job}`, task, key: "", attempt }]];
}

/** The reply to a submit reaches the attempt. */
export function replied(attempt = 1): Told {
  return ["task-1", { kind: "job-reply", attempt, call: "submit", word: "", error: "" }];
}

export function asked(job: number, attempt = 1): readonly Told[] {
  return [
    ["jobs", { kind: "job-status", job, status: "RUNNING", by: TASK, attempt }],
    ["task-1", { kind: "job-reply", attempt, call: "status", word: "RUNNING", error: "" }],
  ];
}

export function polls(attempt = 1): Told {
  return ["task-1", { kind: "method-called", attempt, method: "pollUntilComplete" }];
}

export function resultOf(job: number, attempt: number): Told {
  return ["jobs", { kind: "job-result", job, by: TASK, attempt }];
}

export function finished(job: number): Told {
  return ["jobs", { kind: "job-finished", job, outcome: "success" }];
}

export function ended(outcome: string, attempt = 1): Told {
  return ["task-1", { kind: "attempt-ended", task: TASK, attempt, outcome, error: "" }];
}

/** A second attempt has begun; the first was lost. */
export const RETRIED: readonly Told[] = [
  ["task-1", { kind: "host", state: "crash", incarnation: 1 }],
  ["database", state("running", 2)],
  [
    "task-1",
    { kind: "attempt", task: TASK, attempt: 2, tryNumber: 2, scope: SCOPE, start: "execute" },
  ],
];

/** Which checkers a trace breaks; its events are so far apart. */
export function brokenBy(told: readonly Told[], apartMs = 1_000): readonly string[] {
  const judge = new CheckerRunner(createTaskCheckers(), new TaskFacts());
  told.forEach(([host, body], at) => judge.observe({ at: at * apartMs, host, ...body }));
  return [...new Set(judge.end().map(({ checker }) => checker))];
}
