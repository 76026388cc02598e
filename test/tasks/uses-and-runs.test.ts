import { describe, expect, test } from "vitest";
import { OrphanedJobs } from "../../sim/checkers/task/orphaned-jobs.ts";
import {
  CheckerRunner,
  createTaskCheckers,
  TaskFacts,
  type Violation,
} from "../../sim/checkers/mod.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

const SCOPE = '["task-instance","etl","run-1","report"]#-1';
const OTHER = '["task-instance","etl","run-2","report"]#-1';
const TASK_SCOPE = '["task","etl","report"]#-1';
const TASK = "report/run-1";

type Told = readonly [host: string, body: TraceBody];

/** What the checkers report; the events are a virtual second apart. */
function violationsOf(told: readonly Told[]): readonly Violation[] {
  const runner = new CheckerRunner(createTaskCheckers(), new TaskFacts());
  told.forEach(([host, body], at) => runner.observe({ at: at * 1_000, host, ...body }));
  return runner.end();
}

/** Which symptoms the checkers report. */
function reported(...told: readonly Told[]): readonly string[] {
  return [...new Set(violationsOf(told).map(({ symptom }) => symptom))];
}

function attempt(number: number, task = TASK, scope = SCOPE): readonly Told[] {
  const tryNumber = number;
  return [
    [
      "database",
      { kind: "task-state", task, state: "running", tryNumber, attempt: number, result: "" },
    ],
    ["task-1", { kind: "attempt", task, attempt: number, tryNumber, scope, start: "execute" }],
  ];
}

function uses(number: number): Told {
  return ["task-1", { kind: "uses", attempt: number, keys: ["a", "b"] }];
}

function got(key: string, number: number, value: string | null = null, scope = SCOPE): Told {
  return ["database", { kind: "state-got", scope, key, value, attempt: number }];
}

function decided(key: string, number: number, decision = "fresh_submit"): Told {
  return ["task-1", { kind: "resume-decided", attempt: number, key, decision }];
}

function counted(number: number, ...counters: readonly string[]): readonly Told[] {
  return counters.map((counter) => [
    "task-1",
    { kind: "resume-counted", attempt: number, counter },
  ]);
}

function accepted(job: number, number: number): Told {
  const id = `j-${job}`;
  return ["jobs", { kind: "job-accepted", job, id, task: TASK, key: "", attempt: number }];
}

function set(key: string, value: string, number: number, scope = SCOPE): Told {
  const body = { kind: "state-set", scope, key, value, expiresAt: null, attempt: number } as const;
  return ["database", body];
}

function asked(job: number, number: number, status = "RUNNING"): readonly Told[] {
  return [
    ["jobs", { kind: "job-status", job, status, by: TASK, attempt: number }],
    ["task-1", { kind: "job-reply", attempt: number, call: "status", word: status, error: "" }],
  ];
}

function lookupFails(number: number): Told {
  const call = "status";
  return ["task-1", { kind: "job-reply", attempt: number, call, word: "", error: "ETIMEDOUT" }];
}

function polls(number: number): Told {
  return ["task-1", { kind: "method-called", attempt: number, method: "pollUntilComplete" }];
}

function asksStatus(number: number): Told {
  return ["task-1", { kind: "method-called", attempt: number, method: "getJobStatus" }];
}

function finished(job: number, outcome: "success" | "failure" = "success"): Told {
  return ["jobs", { kind: "job-finished", job, outcome }];
}

const LOST: Told = ["task-1", { kind: "host", state: "crash", incarnation: 1 }];
const SUCCESS: Told = [
  "database",
  { kind: "task-state", task: TASK, state: "success", tryNumber: 1, attempt: 0, result: "" },
];

function submits(key: string, job: number, number: number): readonly Told[] {
  return [
    got(key, number),
    ...counted(number, "fresh_submit"),
    decided(key, number),
    accepted(job, number),
    set(key, `"j-${job}"`, number),
    polls(number),
    ...asked(job, number),
  ];
}

const FIRST: readonly Told[] = [...attempt(1), uses(1), ...submits("a", 1, 1), finished(1)];
const BOTH: readonly Told[] = [...FIRST, ...submits("b", 2, 1), finished(2)];

describe("an operator with two uses at once", () => {
  const begins = (number: number): readonly Told[] => [
    ...attempt(number),
    ["task-1", { kind: "uses", attempt: number, keys: ["a", "b"], areAtOnce: true }],
    got("a", number),
    got("b", number),
  ];
  const sends = (key: string, value: string): Told => [
    "task-1",
    { kind: "state-sent", attempt: 1, key, value },
  ];
  const replied: Told = [
    "task-1",
    { kind: "job-reply", attempt: 1, call: "submit", word: "", error: "" },
  ];
  const stored = (key: string, job: number): readonly Told[] => [
    sends(key, `j-${job}`),
    set(key, `j-${job}`, 1),
  ];
  const both = [...begins(1), accepted(1, 1), accepted(2, 1)];

  test("owes nothing for a submit whose reply was another's", () => {
    const symptoms = reported(...both, replied, ...stored("a", 1), LOST, ...begins(2));
    expect(symptoms).not.toContain("submitted-twice");
    const again = [...both, replied, ...stored("a", 1), LOST, ...begins(2), accepted(3, 2)];
    expect(reported(...again)).not.toContain("submitted-twice");
  });

  test("learns the use of a job by a key of its own alone", () => {
    const noted = [...both, sends("note", "j-1"), ...stored("b", 2), set("a", "j-1", 1)];
    const symptoms = reported(...noted, finished(1), finished(2), SUCCESS);
    expect(symptoms).not.toContain("use-without-job");
  });

  test("stores no job by a value that names none", () => {
    const onlyB = begins(2).toSpliced(-2, 1);
    const odd = [...both, set("b", "pending", 1), LOST, ...onlyB, accepted(3, 2)];
    expect(reported(...odd)).not.toContain("submitted-beside-live");
  });

  test("asks for a job by a search, whichever key it reads after that", () => {
    const failed = [finished(1, "failure"), finished(2, "failure")];
    const before = [...both, ...stored("a", 1), ...stored("b", 2), ...failed, LOST];
    const [state, begun, uses] = begins(2) as readonly [Told, Told, Told];
    const search: Told = [
      "task-1",
      { kind: "job-reply", attempt: 2, call: "status", word: "FAILED", error: "" },
    ];
    const first = [state, begun, uses, got("a", 2, "j-1")];
    const second = [got("b", 2, "j-2"), accepted(3, 2)];
    expect(reported(...before, ...first, search, ...second)).not.toContain("submitted-unasked");
    const returned: Told = [
      "task-1",
      { kind: "method-returned", attempt: 2, method: "getJobStatus", status: "FAILED" },
    ];
    expect(reported(...before, ...first, returned, ...second)).not.toContain("submitted-unasked");
    expect(reported(...before, ...first, ...second)).toContain("submitted-unasked");
  });

  test("has keys of its own for each, and an id may be given out again", () => {
    const system: Told = [
      "jobs",
      {
        kind: "job-system",
        idempotency: "return-existing",
        knowsEnded: true,
        deletesEnded: false,
        unmapped: [],
      },
    ];
    const keyed = (job: number, number: number, key: string): Told => [
      "jobs",
      { kind: "job-accepted", job, id: `j-${job}`, task: TASK, key, attempt: number },
    ];
    const keys = [system, ...begins(1), keyed(1, 1, "for a"), keyed(2, 1, "for b"), LOST];
    const again = reported(...keys, ...begins(2), keyed(3, 2, "for b"));
    expect(again).not.toContain("submitted-with-other-key");
    const looked = [...both, ...asked(1, 1), LOST, ...begins(2), accepted(3, 2)];
    expect(reported(...looked)).not.toContain("submitted-twice");
  });

  test("polls one whose id is stored while the other's is not", () => {
    expect(reported(...both, ...stored("a", 1), polls(1))).not.toContain("polled-without-id");
  });

  test("cancels at a kill each of the jobs that it submitted and looked at", () => {
    const kill: Told = [
      "scheduler",
      { kind: "kill", task: TASK, attempt: 1, category: "user", grace: 5_000 },
    ];
    const cancels = (job: number): Told => [
      "jobs",
      { kind: "job-cancel-asked", job, by: TASK, attempt: 1 },
    ];
    const ended: Told = [
      "task-1",
      { kind: "attempt-ended", task: TASK, attempt: 1, outcome: "killed", error: "" },
    ];
    const running = [...both, ...stored("a", 1), ...stored("b", 2), ...asked(1, 1), ...asked(2, 1)];
    expect(reported(...running, kill, cancels(2), ended)).toContain("left-running");
    expect(reported(...running, kill, cancels(1), ended)).toContain("left-running");
    expect(reported(...running, kill, cancels(1), cancels(2), ended)).not.toContain("left-running");
    const unasked = [...both, ...stored("a", 1), ...stored("b", 2), ...asked(1, 1)];
    expect(reported(...unasked, kill, cancels(1), ended)).not.toContain("left-running");
  });

  test("looks at a job of the attempt before it without owing its end", () => {
    const kill: Told = [
      "scheduler",
      { kind: "kill", task: TASK, attempt: 2, category: "user", grace: 5_000 },
    ];
    const ended: Told = [
      "task-1",
      { kind: "attempt-ended", task: TASK, attempt: 2, outcome: "killed", error: "" },
    ];
    const before = [...both, ...stored("a", 1), ...stored("b", 2), LOST, ...begins(2)];
    expect(reported(...before, ...asked(1, 2), kill, ended)).not.toContain("left-running");
  });

  test("decides by the lookup of one while another is looked up", () => {
    const before = [...both, ...stored("a", 1), ...stored("b", 2), LOST, ...begins(2)];
    const verdict = [asksStatus(2), ...asked(2, 2), decided("a", 2, "terminal_resubmit")];
    expect(reported(...before, ...verdict, polls(2))).not.toContain("verdict-of-other-job");
  });

  test("fails by one while the other is not asked for", () => {
    const ended: Told = [
      "task-1",
      { kind: "attempt-ended", task: TASK, attempt: 1, outcome: "failed", error: "JobFailed" },
    ];
    const polled = [...both, ...stored("a", 1), ...stored("b", 2), polls(1), ended];
    expect(reported(...polled)).not.toContain("failed-unasked");
  });
});

describe("an operator that uses the mixin twice (R-uses)", () => {
  test("runs a job for each use, and breaks nothing", () => {
    expect(reported(...BOTH, SUCCESS)).toEqual([]);
  });

  test("goes on with the job that was running, and breaks nothing", () => {
    const again = [
      got("a", 2, '"j-1"'),
      ...asked(1, 2),
      ...counted(2, "reconnect_attempt", "already_succeeded"),
      decided("a", 2, "already_succeeded"),
      got("b", 2, '"j-2"'),
      ...asked(2, 2),
      ...counted(2, "reconnect_attempt", "reconnect_success"),
      decided("b", 2, "reconnect"),
      polls(2),
    ];
    const begun = [...FIRST, ...submits("b", 2, 1), LOST, ...attempt(2), uses(2)];
    expect(reported(...begun, ...again, finished(2), SUCCESS)).toEqual([]);
  });

  test("submits its second job again only with a reason of its own (R-I1 to R-I5)", () => {
    const begun = [...FIRST, ...submits("b", 2, 1), LOST, ...attempt(2), uses(2)];
    const first = [got("a", 2, '"j-1"'), ...asked(1, 2), decided("a", 2, "already_succeeded")];
    const second = [got("b", 2, '"j-2"'), decided("b", 2, "terminal_resubmit"), accepted(3, 2)];
    const over = [finished(2), finished(3), set("b", '"j-3"', 2), SUCCESS];
    const broken = reported(...begun, ...first, ...second, ...over);
    expect(broken).toEqual(expect.arrayContaining(["submitted-twice", "submitted-unasked"]));
    const failed = [got("b", 2, '"j-2"'), finished(2, "failure"), ...asked(2, 2, "FAILED")];
    const resubmitted = [decided("b", 2, "terminal_resubmit"), accepted(3, 2), finished(3)];
    const rest = [set("b", '"j-3"', 2), SUCCESS];
    expect(reported(...begun, ...first, ...failed, ...resubmitted, ...rest)).toEqual([]);
  });

  test("does not answer for the lookups of its first use", () => {
    const unsure = [...FIRST.slice(0, -1), lookupFails(1), finished(1)];
    expect(reported(...unsure, ...submits("b", 2, 1), finished(2), SUCCESS)).toEqual([]);
  });

  test("may not decide twice by one key, or by another", () => {
    const twice = [got("a", 1, '"j-1"'), decided("a", 1, "already_succeeded")];
    expect(reported(...BOTH, ...twice, SUCCESS)).toContain("decided-twice");
    expect(reported(...BOTH, decided("c", 1), SUCCESS)).toEqual(["decided-under-other-key"]);
    expect(reported(...attempt(1), decided("c", 1), SUCCESS)).toEqual([]);
    const undeclared = [decided("c", 1), decided("d", 1)];
    expect(reported(...attempt(1), ...undeclared, SUCCESS)).toEqual(["decided-twice"]);
  });

  test("may not succeed before each of its jobs has", () => {
    expect(reported(...FIRST, SUCCESS)).toEqual(["use-without-job"]);
    const running = [...FIRST, ...submits("b", 2, 1), finished(2, "failure")];
    expect(reported(...running, SUCCESS)).toEqual(["use-without-job"]);
  });

  test("may not store a job under the key of another use", () => {
    const stored = [got("b", 1), decided("b", 1), accepted(2, 1), set("a", '"j-2"', 1)];
    const told = reported(...FIRST, ...stored, finished(2), SUCCESS);
    expect(told).toEqual(["stored-under-other-key"]);
    const other = [got("b", 1), decided("b", 1), accepted(2, 1), set("a", '"j-1"', 1)];
    expect(reported(...FIRST, ...other, finished(2), SUCCESS)).not.toContain(
      "stored-under-other-key",
    );
    expect(reported(...BOTH, set("c", '"j-2"', 1), SUCCESS)).toEqual([]);
  });

  test("submits once a use where it is not durable (R-durable)", () => {
    const undurable: Told = ["task-1", { kind: "not-durable", attempt: 1 }];
    const begun = [...attempt(1), undurable, uses(1), accepted(1, 1), finished(1)];
    const second = [accepted(2, 1), finished(2)];
    expect(reported(...begun, ...second)).not.toContain("undurable-submitted-again");
    const third = [accepted(3, 1), finished(3)];
    expect(reported(...begun, ...second, ...third)).toContain("undurable-submitted-again");
  });
});

describe("a job that a copy of a call has submitted", () => {
  const STORED = [...attempt(1), accepted(1, 1), set("a", '"j-1"', 1), ...asked(1, 1)];
  const UNDURABLE: Told = ["task-1", { kind: "not-durable", attempt: 1 }];
  const ENDS = [finished(1), finished(2), SUCCESS];

  function copied(key = ""): Told {
    const body = { kind: "job-accepted", job: 2, id: "j-2", task: TASK, attempt: 1 } as const;
    return ["jobs", { ...body, key, isCopy: true }];
  }

  function system(idempotency: "none" | "return-existing"): Told {
    const rest = { knowsEnded: true, deletesEnded: false, unmapped: [] };
    return ["jobs", { kind: "job-system", idempotency, ...rest }];
  }

  test("is nobody's where the system knows no keys (R-I1, R-I3, R-I4, R-I5, R-I15)", () => {
    const none = system("none");
    expect(reported(none, ...STORED, copied(), ...ENDS)).toEqual([]);
    expect(reported(none, ...STORED, finished(1), copied(), ...ENDS)).toEqual([]);
    expect(reported(none, ...STORED, lookupFails(1), copied(), ...ENDS)).toEqual([]);
    const counts = counted(1, "reconnect_attempt");
    expect(reported(none, ...STORED, ...counts, copied(), ...ENDS)).toEqual([]);
    expect(reported(none, ...STORED, copied(), accepted(3, 1))).toContain("submitted-beside-live");
  });

  test("replaces no job, which is not left to itself", () => {
    const orphans = new OrphanedJobs();
    const facts = new TaskFacts();
    const left = ([host, body]: Told, nth: number): number => {
      const event = { at: nth * 1_000, host, ...body };
      orphans.observe(event, facts);
      facts.apply(event);
      return orphans.list(facts).length;
    };
    expect([...STORED, copied(), accepted(3, 1)].map(left).slice(-2)).toEqual([0, 2]);
  });

  test("could have been known by a key (R-I1)", () => {
    const known = system("return-existing");
    expect(reported(known, ...STORED, copied(), ...ENDS)).toEqual(["copied-without-key"]);
    expect(reported(known, ...STORED, copied("k"), ...ENDS)).toEqual([]);
  });

  test("is none of those that an operator which is not durable submits (R-durable)", () => {
    const begun = [system("return-existing"), ...attempt(1), UNDURABLE, accepted(1, 1)];
    expect(reported(...begun, copied(), ...ENDS)).toEqual([]);
    const again = [...begun, finished(1, "failure"), copied(), accepted(3, 1)];
    expect(reported(...again, finished(2), finished(3), SUCCESS)).toEqual([]);
    expect(reported(...again, accepted(4, 1))).toContain("undurable-submitted-again");
  });
});

describe("what is reported of uses, verdicts and ids", () => {
  const STORED = [...attempt(1), accepted(1, 1), set("a", '"j-1"', 1)];
  const again = [LOST, ...attempt(2), asksStatus(2)];
  const verdict = (decision: string, ...rest: readonly Told[]): readonly Violation[] => {
    const told = [...STORED, ...again, decided("a", 2, decision), ...rest, finished(1), SUCCESS];
    return violationsOf(told).filter(({ checker }) => checker === "R-verdict");
  };

  test("names the use that has no job", () => {
    const details = violationsOf([...FIRST, SUCCESS]).map(({ detail }) => detail);
    expect(details).toEqual([`${TASK} succeeded, and no job for "b" did`]);
  });

  test("holds an operator with one declared use to its key", () => {
    const one: Told = ["task-1", { kind: "uses", attempt: 1, keys: ["a"] }];
    const told = reported(...attempt(1), one, decided("c", 1));
    expect(told).toContain("decided-under-other-key");
  });

  test("is nothing of a task without attempts, or of a decision without a job", () => {
    expect(reported(SUCCESS)).toEqual([]);
    const told = [...attempt(1), asksStatus(1), decided("a", 1, "already_succeeded"), SUCCESS];
    expect(reported(...told)).toEqual([]);
  });

  test("is a verdict when the attempt goes on, and once", () => {
    const ended: Told = [
      "task-1",
      { kind: "attempt-ended", task: TASK, attempt: 2, outcome: "failed", error: "" },
    ];
    const at = (STORED.length + again.length + 1) * 1_000;
    for (const next of [polls(2), ended]) {
      const found = verdict("already_succeeded", next, polls(2));
      expect(found.map((one) => one.at)).toEqual([at]);
    }
  });

  test("says what the job was", () => {
    const [running] = verdict("already_succeeded");
    expect(running?.detail).toBe("attempt 2 takes job 1 for ended, which is running, unasked");
    const failed = [...STORED, finished(1, "failure"), ...again];
    const told = [...failed, decided("a", 2, "already_succeeded"), SUCCESS];
    const [wrong] = violationsOf(told).filter(({ checker }) => checker === "R-verdict");
    expect(wrong?.detail).toBe("attempt 2 takes job 1 for ended, which is ended: failure, unasked");
  });

  test("is no verdict where the system has forgotten the job", () => {
    const forgotten: Told = ["jobs", { kind: "job-forgotten", job: 1 }];
    const told = [...STORED, forgotten, ...again, decided("a", 2, "terminal_resubmit")];
    expect(reported(...told, finished(1), SUCCESS)).toEqual([]);
  });

  test("is no loss of an id that was never stored, or whose job has ended", () => {
    const cleared: Told = [
      "database",
      { kind: "state-cleared", scope: SCOPE, all: false, why: "task", emptied: [SCOPE] },
    ];
    expect(reported(...attempt(1), accepted(1, 1), cleared, finished(1), SUCCESS)).toEqual([]);
    const over = [...STORED, finished(1), LOST, ...attempt(2), got("a", 2, '"j-1"')];
    expect(reported(...over, decided("a", 2), SUCCESS)).toEqual([]);
  });
});

describe("runs of one task that overlap (R-apart)", () => {
  const OVERLAPPING = [...attempt(1), ...attempt(2, "report/run-2", OTHER)];
  const over: readonly Told[] = [
    SUCCESS,
    [
      "database",
      {
        kind: "task-state",
        task: "report/run-2",
        state: "failed",
        tryNumber: 1,
        attempt: 0,
        result: "",
      },
    ],
  ];

  test("each have their own state", () => {
    const own = [
      set("k", "1", 1),
      set("k", "2", 2, OTHER),
      got("k", 1, "1"),
      got("k", 2, "2", OTHER),
    ];
    expect(reported(...OVERLAPPING, ...own, ...over)).toEqual([]);
  });

  test("do not read or write each other's", () => {
    expect(reported(...OVERLAPPING, set("k", "1", 2), ...over)).toEqual(["foreign-state"]);
    expect(reported(...OVERLAPPING, got("k", 1, null, OTHER), ...over)).toEqual(["foreign-state"]);
  });

  test("may share the state of their task", () => {
    const shared = [set("k", "1", 1, TASK_SCOPE), got("k", 2, "1", TASK_SCOPE)];
    expect(reported(...OVERLAPPING, ...shared, ...over)).toEqual([]);
    expect(reported(...OVERLAPPING, got("k", 0, null), ...over)).toEqual([]);
  });
});

describe("a status that an earlier attempt stored (R-I5)", () => {
  const stores = (number: number, key = "verdict"): Told => set(key, '"FAILED"', number);
  const first: readonly Told[] = [
    ...attempt(1),
    got("id", 1),
    decided("id", 1),
    accepted(1, 1),
    set("id", '"j-1"', 1),
    polls(1),
  ];
  const told: readonly Told[] = [finished(1, "failure"), ...asked(1, 1, "FAILED")];
  const second = (...reads: readonly Told[]): readonly Told[] => [
    LOST,
    ...attempt(2),
    got("id", 2, '"j-1"'),
    ...reads,
    accepted(2, 2),
  ];
  const reads = got("verdict", 2, '"FAILED"');
  const unasked = "submitted-unasked";

  test("need not be asked for again by the attempt that reads it", () => {
    expect(reported(...first, ...told, stores(1), ...second(reads))).not.toContain(unasked);
    expect(reported(...first, ...told, stores(1), ...second())).toContain(unasked);
  });

  test("is there to be read, under the key that it was stored by", () => {
    const gone = got("verdict", 2, null);
    expect(reported(...first, ...told, stores(1), ...second(gone))).toContain(unasked);
    expect(reported(...first, ...told, stores(1, "other"), ...second(reads))).toContain(unasked);
  });

  test("is stored after its attempt was told that the job is over", () => {
    expect(reported(...first, stores(1), ...told, ...second(reads))).toContain(unasked);
    const early = [...asked(1, 1, "FAILED"), finished(1, "failure")];
    expect(reported(...first, ...early, stores(1), ...second(reads))).toContain(unasked);
    const ended = finished(1, "failure");
    expect(reported(...first, ended, stores(1), ...second(reads))).toContain(unasked);
  });

  test("was told to an attempt of the task itself", () => {
    const other = [...attempt(9, "report/run-2", OTHER), finished(1, "failure"), ...asked(1, 9)];
    expect(reported(...first, ...other, stores(1), ...second(reads))).toContain(unasked);
  });

  test("is not that of a job that was recorded before", () => {
    const again = [...second(reads), set("id", '"j-2"', 2), finished(2, "failure")];
    const third: readonly Told[] = [
      LOST,
      ...attempt(3),
      got("id", 3, '"j-2"'),
      got("verdict", 3, '"FAILED"'),
      accepted(3, 3),
    ];
    expect(reported(...first, ...told, stores(1), ...again, ...third)).toContain(unasked);
  });
});
