import { describe, expect, test } from "vitest";
import { createTaskCheckers, Judge, TASK_CHECKER_IDS, TaskFacts } from "../../sim/checkers/mod.ts";
import type { TraceBody } from "../../sim/trace.ts";

const SCOPE = '["task-instance","etl","run-1","pages"]#-1';
const OTHER = '["task-instance","etl","run-1","other"]#-1';
const TASK = "pages/run-1";

type Told = readonly [host: string, body: TraceBody];

const BEGUN: readonly Told[] = [
  ["database", state("running", 1)],
  [
    "task-1",
    { kind: "attempt", task: TASK, attempt: 1, tryNumber: 1, scope: SCOPE, start: "execute" },
  ],
];

function state(
  name: "running" | "success" | "up_for_retry",
  attempt: number,
  result = "",
): TraceBody {
  return { kind: "task-state", task: TASK, state: name, tryNumber: 1, attempt, result };
}

function set(value: string, attempt = 1): Told {
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

/** Which checkers a trace breaks; its events are a virtual second apart. */
function brokenBy(told: readonly Told[]): readonly string[] {
  const judge = new Judge(createTaskCheckers(), new TaskFacts());
  told.forEach(([host, body], at) => judge.hear({ at: at * 1_000, host, ...body }));
  return [...new Set(judge.end().map(({ checker }) => checker))];
}

const CALM: readonly Told[] = [
  ...BEGUN,
  set("1"),
  ["database", { kind: "state-got", scope: SCOPE, key: "k", value: "1", attempt: 1 }],
  ["database", state("success", 0, "0")],
];

test("a calm trace breaks nothing", () => {
  expect(brokenBy(CALM)).toEqual([]);
});

const BREAKING: Readonly<Record<string, readonly Told[]>> = {
  "R-I7": [
    ...CALM,
    ["database", { kind: "state-got", scope: OTHER, key: "k", value: "1", attempt: 1 }],
  ],
  "R-I8": [...BEGUN, set("null"), ["database", state("success", 0, "0")]],
  "R-I9": [...CALM, ["database", { kind: "state-swept", scope: SCOPE, key: "k", now: 50 }]],
  "R-I10": [
    ...CALM,
    [
      "database",
      { kind: "state-cleared", scope: OTHER, all: false, why: "task", emptied: [SCOPE] },
    ],
  ],
  "R-I11": [
    ...CALM,
    [
      "database",
      {
        kind: "state-cleared",
        scope: '["asset","a",null]#-1',
        all: false,
        why: "task",
        emptied: ['["asset","a",null]#-1'],
      },
    ],
    ["database", { kind: "state-swept", scope: '["asset","a",null]#-1', key: "w", now: 99 }],
  ],
  "R-I12": [
    ...BEGUN,
    ["task-1", { kind: "page-loaded", task: TASK, attempt: 1, page: 1 }],
    ["task-1", { kind: "page-loaded", task: TASK, attempt: 1, page: 1 }],
    ["database", state("success", 0, "1")],
  ],
  "R-I13": [
    ...BEGUN,
    ["source", { kind: "rows-arrived", process: "orders", to: 5 }],
    [
      "database",
      {
        kind: "state-set",
        scope: SCOPE,
        key: "watermark",
        value: "5",
        expiresAt: null,
        attempt: 1,
      },
    ],
    ["database", state("success", 0, "0")],
  ],
  "R-I16": [
    ...BEGUN,
    set("1"),
    ["database", state("up_for_retry", 0)],
    [
      "database",
      { kind: "state-cleared", scope: SCOPE, all: false, why: "success", emptied: [SCOPE] },
    ],
    ["database", state("success", 0, "0")],
  ],
  "R-I17": [...CALM, set("2")],
  "R-settled": BEGUN,
};

describe("each checker is seen to fail", () => {
  for (const [id, told] of Object.entries(BREAKING)) {
    test(id, () => {
      expect(brokenBy(told)).toContain(id);
    });
  }

  test("and none is left out", () => {
    expect(Object.keys(BREAKING).toSorted()).toEqual(TASK_CHECKER_IDS.toSorted());
  });
});
