import { describe, expect, test } from "vitest";
import { TASK_CHECKER_IDS } from "../../sim/checkers/mod.ts";
import type { ShownEntry } from "../../sim/trace/http-events.ts";
import {
  accepted,
  asked,
  BEGUN,
  brokenBy,
  ended,
  finished,
  OTHER,
  OUTPUT,
  polls,
  replied,
  resultOf,
  RETRIED,
  SCOPE,
  set,
  state,
  TASK,
  type Told,
} from "./told-trace.ts";

const ASSET = '["asset","orders",null]#-1';

/** Somebody asks for a key over HTTP. */
function overHttp(
  method: "GET" | "DELETE",
  status: number,
  shown: readonly ShownEntry[] = [],
): readonly Told[] {
  const asks = { method, request: 1, scope: SCOPE, key: "k", value: null } as const;
  return [
    ["dashboard", { kind: "http-asked", ...asks }],
    ["dashboard", { kind: "http-answered", request: 1, status, total: shown.length, shown }],
  ];
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

test("a user who clears a task whose state went with its success has every page loaded again", () => {
  const page = (attempt: number): Told => [
    "task-1",
    { kind: "page-loaded", task: TASK, attempt, page: 1 },
  ];
  const clear = { kind: "state-cleared", scope: SCOPE, all: false, emptied: [SCOPE] } as const;
  const told: readonly Told[] = [
    ...BEGUN,
    page(1),
    set("1"),
    ended("success"),
    ["database", state("success", 0, "1")],
    ["database", { ...clear, why: "success" }],
    ["database", { kind: "user-cleared", task: TASK, keepState: true }],
    ...RETRIED.slice(1),
    page(2),
    set("1", 2),
    ended("success", 2),
    ["database", state("success", 0, "1")],
  ];
  expect(brokenBy(told)).toEqual([]);
});

/** A job that was submitted in the window, then its twin, recorded and polled to the end. */
const CRASH_IN_THE_WINDOW: readonly Told[] = [
  ...BEGUN,
  ["task-1", { kind: "resume-counted", attempt: 1, counter: "fresh_submit" }],
  ...accepted(1),
  ...RETRIED,
  ["task-1", { kind: "resume-counted", attempt: 2, counter: "fresh_submit" }],
  ...accepted(2, 2),
  set('"j-2"', 2),
  ...asked(2, 2),
  finished(1),
  finished(2),
  resultOf(2, 2),
  ended("success", 2),
  ["database", state("success", 0, OUTPUT)],
];

test("a crash in the window breaks nothing, and costs a second job", () => {
  expect(brokenBy(CRASH_IN_THE_WINDOW)).toEqual([]);
});

/** A job whose id came to nobody but a checkpoint, then `resumed`, and a second job. */
function afterCheckpoint(...resumed: readonly Told[]): readonly string[] {
  const attempt = { kind: "attempt", task: TASK, scope: SCOPE } as const;
  const left = { kind: "attempt-ended", task: TASK, attempt: 1, error: "" } as const;
  return brokenBy([
    ...BEGUN,
    ...accepted(1),
    ["task-1", { ...left, outcome: "checkpointed", checkpoint: "j-1" }],
    ["database", state("running", 2)],
    ["task-1", { ...attempt, attempt: 2, tryNumber: 1, start: "resume" }],
    ...resumed,
    ended("failed", 2),
    ["database", state("running", 3)],
    ["task-1", { ...attempt, attempt: 3, tryNumber: 2, start: "execute" }],
    ...accepted(2, 3),
    ...[finished(1), finished(2)],
    ["database", state("success", 0, OUTPUT)],
  ]);
}

test("an attempt that goes on with the job of its checkpoint has to store the id before it waits", () => {
  const sends: Told = ["task-1", { kind: "state-sent", attempt: 2, key: "k", value: '"j-1"' }];
  expect(afterCheckpoint(...asked(1, 2), ...asked(1, 2))).toEqual(["R-I1"]);
  expect(afterCheckpoint(sends, ...asked(1, 2), ...asked(1, 2))).toEqual([]);
  // One look tells that there is the job, and no more.
  expect(afterCheckpoint(...asked(1, 2))).toEqual([]);
});

function knowsKeys(idempotency: "none" | "return-existing"): Told {
  const system = { kind: "job-system", idempotency, knowsEnded: true } as const;
  return ["jobs", { ...system, deletesEnded: false, unmapped: [] }];
}

function keyed(job: number, attempt: number, key: string): Told {
  return ["jobs", { kind: "job-accepted", job, id: `j-${job}`, task: TASK, key, attempt }];
}

test.each([
  ["return-existing", "one", "other", true],
  ["return-existing", "one", "one", false],
  ["return-existing", "", "one", false],
  ["return-existing", "one", "", false],
  ["none", "one", "other", false],
  ["none", "", "other", false],
] as const)(
  "%s: a submit by %j, whose reply is lost, is hidden by one by %j: %s",
  (knows, one, other, isHidden) => {
    const system = knowsKeys(knows);
    const broken = brokenBy([
      ...[
        system,
        ...BEGUN,
        keyed(1, 1, one),
        ended("failed"),
        ["database", state("running", 2)] as const,
      ],
      [
        "task-1",
        { kind: "attempt", task: TASK, scope: SCOPE, attempt: 2, tryNumber: 2, start: "execute" },
      ],
      ...[keyed(2, 2, other), finished(1), finished(2)],
      ["database", state("success", 0, OUTPUT)],
    ]);
    expect(broken.includes("R-I1")).toBe(isHidden);
  },
);

test("a key that is made of the job in a checkpoint hides nothing from who has that checkpoint, too", () => {
  const forgotten: Told = ["jobs", { kind: "job-forgotten", job: 1 }];
  const attempt = { kind: "attempt", task: TASK, scope: SCOPE, tryNumber: 1 } as const;
  const left = { kind: "attempt-ended", task: TASK, attempt: 1, error: "" } as const;
  const brokenWhere = (start: "execute" | "resume") =>
    brokenBy([
      ...[knowsKeys("return-existing"), ...BEGUN, keyed(1, 1, "load")],
      ["task-1", { ...left, outcome: "checkpointed", checkpoint: "j-1" }],
      ...[finished(1), forgotten, ["database", state("running", 2)] as const],
      ["task-1", { ...attempt, attempt: 2, start }],
      // The reply to this submit is lost.
      ...[keyed(2, 2, "load after j-1"), ended("failed", 2)],
      ["database", state("running", 3)],
      ["task-1", { ...attempt, attempt: 3, tryNumber: 2, start: "execute" }],
      ...[keyed(3, 3, "load"), finished(2), finished(3)],
      ["database", state("success", 0, OUTPUT)],
    ]);
  expect(brokenWhere("resume")).not.toContain("R-I1");
  expect(brokenWhere("execute")).toContain("R-I1");
});

const KILLED: Told = [
  "worker-1",
  { kind: "kill", task: TASK, attempt: 1, category: "user", grace: 10 },
];

const NOT_DURABLE: Told = ["task-1", { kind: "not-durable", attempt: 1 }];

describe("an operator that is not durable", () => {
  const begun: readonly Told[] = [...BEGUN, NOT_DURABLE, ...accepted(1), replied()];
  const over: readonly Told[] = [finished(1), ["database", state("success", 0, OUTPUT)]];

  test("polls a job that nobody stored, and submits again after a crash", () => {
    const again: Told = ["task-1", { kind: "not-durable", attempt: 2 }];
    const second = [...RETRIED, again, ...accepted(2, 2), replied(2), ...asked(2, 2)];
    const told = [...begun, polls(), ...asked(1), ...second, finished(2), ...over];
    expect(brokenBy(told)).toEqual([]);
  });

  test("breaks R-durable when it reads the store", () => {
    const got: Told = [
      "database",
      { kind: "state-got", scope: SCOPE, key: "k", value: null, attempt: 1 },
    ];
    expect(brokenBy([...BEGUN, NOT_DURABLE, got, ...accepted(1), ...over])).toEqual(["R-durable"]);
  });

  test("breaks R-durable when an attempt submits twice", () => {
    expect(brokenBy([...begun, ...accepted(2), finished(2), ...over])).toEqual(["R-durable"]);
  });

  test("may store what names no job", () => {
    expect(brokenBy([...begun, set("1"), ...over])).toEqual([]);
  });
});

function decided(decision: string, attempt = 1): Told {
  return ["task-1", { kind: "resume-decided", attempt, key: "k", decision }];
}

function asksStatus(attempt = 1): Told {
  return ["task-1", { kind: "method-called", attempt, method: "getJobStatus" }];
}

/** A job whose id is stored under "k". */
const STORED: readonly Told[] = [...BEGUN, ...accepted(1), replied(), set('"j-1"')];
const OVER: readonly Told[] = [finished(1), ["database", state("success", 0, OUTPUT)]];

describe("the id of a running job", () => {
  const deleted: Told = ["database", { kind: "state-deleted", scope: SCOPE, key: "k", attempt: 1 }];
  const swept: Told = ["database", { kind: "state-swept", scope: SCOPE, key: "k", now: 51 }];
  const twin: Told = [
    "database",
    { kind: "state-set", scope: SCOPE, key: "k2", value: '"j-1"', expiresAt: 50, attempt: 1 },
  ];
  const cleared = (why: "task" | "success" | "user", emptied = [SCOPE]): Told => [
    "database",
    { kind: "state-cleared", scope: SCOPE, all: false, why, emptied },
  ];
  const got: Told = [
    "database",
    { kind: "state-got", scope: SCOPE, key: "k", value: '"j-1"', attempt: 2 },
  ];
  const cancelled: Told = ["jobs", { kind: "job-cancel-asked", job: 1, by: TASK, attempt: 1 }];

  test("may not be deleted, swept or cleared by its task", () => {
    expect(brokenBy([...STORED, deleted, ...OVER])).toEqual(["R-kept"]);
    expect(brokenBy([...STORED, swept, ...OVER])).toEqual(["R-kept"]);
    expect(brokenBy([...STORED, cleared("task"), ...OVER])).toEqual(["R-kept"]);
  });

  test("may not have expired when the next attempt looks for it", () => {
    const again = [...RETRIED, got, decided("fresh_submit", 2)];
    expect(brokenBy([...STORED, ...again, ...OVER])).toEqual(["R-kept"]);
    const absent: Told = [
      "database",
      { kind: "state-got", scope: SCOPE, key: "k2", value: null, attempt: 2 },
    ];
    expect(
      brokenBy([...STORED, ...again.slice(0, -1), absent, ...again.slice(-1), ...OVER]),
    ).toEqual([]);
  });

  test("may be cleared by the user, or lie under another key, too", () => {
    expect(brokenBy([...STORED, cleared("user"), ...OVER])).toEqual([]);
    expect(brokenBy([...STORED, cleared("task", [OTHER]), ...OVER])).toEqual(["R-I10"]);
    expect(brokenBy([...STORED, twin, deleted, ...OVER])).toEqual([]);
    expect(brokenBy([...STORED, twin, deleted, cleared("task"), ...OVER])).toEqual(["R-kept"]);
  });

  test("may go when the job has ended, is forgotten or is to be cancelled", () => {
    const forgotten: Told = ["jobs", { kind: "job-forgotten", job: 1 }];
    expect(brokenBy([...STORED, finished(1), deleted, ...OVER.slice(1)])).toEqual([]);
    expect(brokenBy([...STORED, forgotten, deleted, ...OVER])).toEqual([]);
    expect(brokenBy([...STORED, KILLED, cancelled, deleted, ...OVER])).toEqual([]);
  });
});

describe("a verdict of another job", () => {
  const again: readonly Told[] = [...RETRIED, asksStatus(2)];

  test("is believed where nobody asked for the job", () => {
    for (const decision of ["already_succeeded", "terminal_resubmit"]) {
      const told = [...STORED, ...again, decided(decision, 2), ...OVER];
      expect(brokenBy(told)).toEqual(["R-verdict"]);
    }
  });

  test("is believed where the job had succeeded", () => {
    const told = [...STORED, finished(1), ...again, decided("terminal_resubmit", 2)];
    expect(brokenBy([...told, ...OVER.slice(1)])).toEqual(["R-verdict"]);
    const other = asked(2, 2);
    const both = [...accepted(2), ...STORED.slice(-1), finished(1), ...again, ...other];
    expect(brokenBy([...STORED, ...both, decided("already_succeeded", 2)])).toContain("R-settled");
  });

  test("does no harm where it is true, or no verdict", () => {
    const succeeded = [...STORED, finished(1), ...again, decided("already_succeeded", 2)];
    expect(brokenBy([...succeeded, ...OVER.slice(1)])).toEqual([]);
    expect(brokenBy([...STORED, ...again, decided("reconnect", 2), ...OVER])).toEqual([]);
  });

  test("is not one where the system was asked, for this job or for several", () => {
    const told = (...asks: readonly Told[]) => [
      ...STORED,
      ...again,
      ...asks,
      decided("already_succeeded", 2),
      ...OVER,
    ];
    const found = asked(1, 2)[1] as Told;
    expect(brokenBy(told(...asked(1, 2)))).toEqual([]);
    expect(brokenBy(told(found))).toEqual([]);
    expect(brokenBy(told(...asked(0, 2)))).toEqual([]);
    const call = "status";
    const fails = { kind: "job-reply", attempt: 2, call, word: "", error: "ETIMEDOUT" } as const;
    expect(brokenBy(told(["task-1", fails]))).toEqual([]);
  });

  test("is not judged where a checkpoint's job was asked for, too", () => {
    const told = [...STORED, ...again, asksStatus(2), decided("already_succeeded", 2), ...OVER];
    expect(brokenBy(told)).toEqual([]);
  });

  test("lets a task succeed while its job is running", () => {
    const [, over] = OVER as [Told, Told];
    expect(brokenBy([...STORED, over, finished(1)])).toContain("R-verdict");
    const forgotten: Told = ["jobs", { kind: "job-forgotten", job: 1 }];
    expect(brokenBy([...STORED, forgotten, over, finished(1)])).not.toContain("R-verdict");
  });
});

function departed(attempt: number): Told {
  const how = { outcome: "checkpointed", error: "", departureKey: "one for all" } as const;
  return ["task-1", { kind: "attempt-ended", task: TASK, attempt, ...how }];
}

describe("departures", () => {
  test("of two attempts with one key break R-departures", () => {
    expect(brokenBy([...BEGUN, departed(1), ...RETRIED, departed(2)])).toContain("R-departures");
  });

  test("are not judged once commits were lost, as an attempt is then begun again", () => {
    const lost: Told = ["database", { kind: "commits-lost", since: 0 }];
    const told = [...BEGUN, departed(1), lost, ...RETRIED, departed(2)];
    expect(brokenBy(told)).not.toContain("R-departures");
  });
});

const BREAKING: Readonly<Record<string, readonly Told[]>> = {
  "R-I1": [...BEGUN, ...accepted(1), set('"j-1"'), ...asked(1), ...RETRIED, ...accepted(2, 2)],
  "R-I2": [...BEGUN, ...accepted(1), replied(), ...asked(1)],
  "R-I3": [...BEGUN, ...accepted(1), set('"j-1"'), ...RETRIED, ...asked(1, 2), ...accepted(2, 2)],
  "R-I4": [
    ...BEGUN,
    ...accepted(1),
    set('"j-1"'),
    finished(1),
    ...RETRIED,
    ...asked(1, 2),
    ...accepted(2, 2),
  ],
  "R-I5": [...BEGUN, ...accepted(1), set('"j-1"'), ...RETRIED, ...accepted(2, 2)],
  "R-I6": [...BEGUN, ...accepted(1), ...RETRIED, ...accepted(2, 2), set('"j-1"', 2)],
  "R-I14": [...BEGUN, ...accepted(1), set('"j-1"'), polls(), ...asked(1), KILLED, ended("killed")],
  "R-I15": [
    ...BEGUN,
    ["task-1", { kind: "resume-counted", attempt: 1, counter: "reconnect_attempt" }],
    ["task-1", { kind: "resume-counted", attempt: 1, counter: "reconnect_success" }],
    ...accepted(1),
  ],
  "R-I18": [...BEGUN, set("NaN"), ["database", state("success", 0, "0")]],
  "R-I19": [...BEGUN, ...accepted(1, 1, "other/run-1"), resultOf(1, 1)],
  "R-I20": [
    ...BEGUN,
    ["database", { kind: "result-expected", task: TASK, result: OUTPUT }],
    ...accepted(1),
    set('"j-1"'),
    finished(1),
    ["database", state("success", 0, "null")],
  ],
  "R-orphans": [...BEGUN, ...accepted(1), set('"j-1"'), ["database", state("success", 0, OUTPUT)]],
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
  "R-durable": [...BEGUN, NOT_DURABLE, ...accepted(1), set('"j-1"')],
  "R-kept": [
    ...STORED,
    ["database", { kind: "state-deleted", scope: SCOPE, key: "k", attempt: 1 }],
  ],
  "R-verdict": [...STORED, ...RETRIED, asksStatus(2), decided("already_succeeded", 2)],
  "R-uses": [...BEGUN, decided("fresh_submit"), decided("already_succeeded")],
  "R-apart": [
    ...BEGUN,
    [
      "task-2",
      { kind: "attempt", task: "o", attempt: 2, tryNumber: 1, scope: OTHER, start: "execute" },
    ],
    set("1", 2),
  ],
  "R-starts": [...BEGUN, ended("checkpointed"), ["database", state("checkpointed", 0)], ...RETRIED],
  "R-departures": [
    ...BEGUN,
    departed(1),
    ["database", state("checkpointed", 0)],
    ["database", state("running", 2)],
    [
      "task-2",
      { kind: "attempt", task: TASK, attempt: 2, tryNumber: 1, scope: SCOPE, start: "resume" },
    ],
    departed(2),
  ],
  "R-settled": BEGUN,
  "R-recovers": [...BEGUN, ended("failed"), ["database", state("failed", 0)]],
  "R-deferred": [
    ...BEGUN,
    ...accepted(1),
    ["database", state("deferred", 0)],
    ...asked(1, 0),
    ["database", { kind: "user-stopped", task: TASK }],
    ["database", state("failed", 0)],
    ...Array.from({ length: 30 }, () => set("1")),
    finished(1),
  ],
  "R-stopped": [
    ...BEGUN,
    ["database", { kind: "user-stopped", task: TASK }],
    ...Array.from({ length: 30 }, () => set("1")),
    ended("success"),
  ],
  "R-cleaned": [
    ...BEGUN,
    ["triggerer", { kind: "deferral-trigger", task: TASK, trigger: 1, state: "created" }],
    ["triggerer", { kind: "deferral-trigger", task: TASK, trigger: 1, state: "over" }],
  ],
  "R-timeout": [
    ...BEGUN,
    [
      "database",
      {
        kind: "task-state",
        task: TASK,
        state: "deferred",
        tryNumber: 1,
        attempt: 0,
        result: "",
        waits: 1,
      },
    ],
    ...Array.from({ length: 40 }, () => set("1")),
    ["database", state("failed", 0)],
  ],
  "R-expires": [
    ...BEGUN,
    ["task-1", { kind: "state-sent", attempt: 1, key: "k", value: "1" }],
    set("1"),
    ["database", state("success", 0, "0")],
  ],
  "R-shown": [...CALM, ...overHttp("GET", 200, [{ key: "k", value: "2", updatedAt: null }])],
  "R-told": [...CALM, ...overHttp("DELETE", 204)],
  "R-dated": [...CALM, ...overHttp("GET", 200, [{ key: "k", value: "1", updatedAt: 51 }])],
  "R-undeclared": [
    ...CALM,
    [
      "database",
      { kind: "state-cleared", scope: ASSET, all: false, why: "orphaned", emptied: [ASSET] },
    ],
  ],
  "R-removed": [
    ...CALM,
    [
      "task-1",
      { kind: "state-removed", attempt: 1, scope: SCOPE, key: "k", all: false, since: 9_000 },
    ],
  ],
  "R-swept": [...CALM, ["sweeper", { kind: "sweep-done", since: 9_000, now: 51, grace: 0 }]],
  uncaught: [...BEGUN, ["task-1", { kind: "uncaught", error: "RangeError" }]],
  "hot-loop": [...BEGUN, ["task-1", { kind: "spinning", steps: 100_000, ms: 0 }]],
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
