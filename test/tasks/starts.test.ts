import { describe, expect, test } from "vitest";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import {
  accepted,
  asked,
  BEGUN,
  brokenBy,
  ended,
  finished,
  replied,
  SCOPE,
  state,
  TASK,
  type Told,
} from "./told-trace.ts";

type Start = Extract<TraceEvent, { kind: "attempt" }>["start"];

/** The next attempt of the task, and what the other checkers want: its success. */
function attempt(number: number, start: Start, tryNumber: number): readonly Told[] {
  return [
    ["database", { ...state("running", number), tryNumber } as Told[1]],
    ["task-1", { kind: "attempt", task: TASK, attempt: number, tryNumber, scope: SCOPE, start }],
  ];
}

function over(number: number): readonly Told[] {
  return [ended("success", number), ["database", state("success", 0, "0")]];
}

function entered(...states: readonly Parameters<typeof state>[0][]): readonly Told[] {
  return states.map((one): Told => ["database", state(one, 0)]);
}

const CHECKPOINTED = [...BEGUN, ended("checkpointed"), ...entered("checkpointed", "queued")];
const FIRED = [...BEGUN, ended("deferred"), ...entered("deferred", "scheduled", "queued")];
const HANDLES = [...FIRED, ...attempt(2, "event", 1)];
const DEAD: Told = ["database", { kind: "declared-dead", task: TASK, attempt: 2 }];
const CLEARED: Told = ["database", { kind: "user-cleared", task: TASK, keepState: true }];

describe("after a checkpoint", () => {
  test("an attempt resumes, in the same try", () => {
    expect(brokenBy([...CHECKPOINTED, ...attempt(2, "resume", 1), ...over(2)])).toEqual([]);
  });

  test.each(["execute", "event"] as const)("one that begins with %s breaks R-starts", (start) => {
    const told = [...CHECKPOINTED, ...attempt(2, start, 1), ...over(2)];
    expect(brokenBy(told)).toEqual(["R-starts"]);
  });

  test("a new try breaks R-starts", () => {
    const told = [...CHECKPOINTED, ...attempt(2, "resume", 2), ...over(2)];
    expect(brokenBy(told)).toEqual(["R-starts"]);
  });

  test("an attempt of a task that a user has cleared executes", () => {
    const cleared = [...CHECKPOINTED, CLEARED, ...entered("scheduled")];
    expect(brokenBy([...cleared, ...attempt(2, "execute", 2), ...over(2)])).toEqual([]);
    expect(brokenBy([...cleared, ...attempt(2, "resume", 2), ...over(2)])).toEqual(["R-starts"]);
  });

  test("nothing is owed once commits were lost", () => {
    const lost: Told = ["database", { kind: "commits-lost", since: 0 }];
    const told = [...CHECKPOINTED, lost, ...attempt(2, "execute", 1), ...over(2)];
    expect(brokenBy(told)).toEqual([]);
  });
});

describe("after a deferral", () => {
  test("an attempt handles the event, again when it is lost", () => {
    const again = [DEAD, ...entered("up_for_retry"), ...attempt(3, "event", 2)];
    expect(brokenBy([...HANDLES, ...over(2)])).toEqual([]);
    expect(brokenBy([...HANDLES, ...again, ...over(3)])).toEqual([]);
  });

  test("an event that goes with the attempt breaks R-starts", () => {
    const anew = [DEAD, ...entered("up_for_retry"), ...attempt(3, "execute", 2)];
    expect(brokenBy([...HANDLES, ...anew, ...over(3)])).toEqual(["R-starts"]);
  });

  test("an attempt that was lost before it began, and begins late, changes nothing", () => {
    const running: Told = ["database", { ...state("running", 2), tryNumber: 1 } as Told[1]];
    const [, late] = attempt(2, "event", 1) as [Told, Told];
    const lost = [...FIRED, running, DEAD, ...entered("up_for_retry", "queued")];
    const anew = [...attempt(3, "execute", 2), ended("deferred", 3), ...entered("deferred")];
    const told = [...lost, ...anew, late, ended("failed", 2), ...entered("scheduled", "queued")];
    expect(brokenBy([...told, ...attempt(4, "event", 2), ...over(4)])).toEqual([]);
    expect(brokenBy([...told, ...attempt(4, "event", 3), ...over(4)])).toEqual(["R-starts"]);
  });

  test("an attempt after its trigger failed executes", () => {
    const failed = [...BEGUN, ended("deferred"), ...entered("deferred", "up_for_retry")];
    expect(brokenBy([...failed, ...attempt(2, "execute", 2), ...over(2)])).toEqual([]);
  });
});

test("a try that goes on after a reschedule is not a new one", () => {
  const gone = [...BEGUN, ended("rescheduled"), ...entered("up_for_reschedule", "queued")];
  expect(brokenBy([...gone, ...attempt(2, "execute", 1), ...over(2)])).toEqual([]);
  expect(brokenBy([...gone, ...attempt(2, "execute", 2), ...over(2)])).toEqual(["R-starts"]);
});

describe("an attempt that resumes", () => {
  const left = [...BEGUN, ...accepted(1), replied(), ended("checkpointed")];
  const resumes = [...left, ...entered("checkpointed", "queued"), ...attempt(2, "resume", 1)];
  const end = [finished(1), finished(2), ...entered("failed")];

  test("and submits without a look at its job breaks R-starts", () => {
    expect(brokenBy([...resumes, ...accepted(2, 2), ...end])).toContain("R-starts");
  });

  test("may submit after a look at it", () => {
    const told = [...resumes, ...asked(1, 2), ...accepted(2, 2), ...end];
    expect(brokenBy(told)).not.toContain("R-starts");
  });
});

test("a task that its user has stopped is not tried again", () => {
  const kill: Told = [
    "worker-1",
    { kind: "kill", task: TASK, attempt: 1, category: "user", grace: 10 },
  ];
  const stopped = [...BEGUN, kill, ended("killed")];
  expect(brokenBy([...stopped, ...entered("failed")])).toEqual([]);
  const again = [...entered("up_for_retry"), ...attempt(2, "execute", 2), ...over(2)];
  expect(brokenBy([...stopped, ...again])).toEqual(["R-starts"]);
});

test("a copy of a submit, which the network has made, is no submit of what resumes", () => {
  const left = [...BEGUN, ...accepted(1), replied(), ended("checkpointed")];
  const resumes = [...left, ...entered("checkpointed", "queued"), ...attempt(2, "resume", 1)];
  const ends = [finished(1), finished(2), ...over(2)];
  const copied = accepted(2, 2).map(([host, body]): Told => [
    host,
    { ...body, isCopy: true } as Told[1],
  ]);
  expect(brokenBy([...resumes, ...accepted(2, 2), ...ends])).toContain("R-starts");
  expect(brokenBy([...resumes, ...copied, ...ends])).not.toContain("R-starts");
});
