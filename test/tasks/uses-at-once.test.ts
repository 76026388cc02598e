import { describe, expect, test } from "vitest";
import { Checkpoints } from "../../sim/checkers/task/checkpoints.ts";
import { attemptJobsOf, type JobFact, jobFactOf } from "../../sim/checkers/task/job-fact.ts";
import { StoredIds } from "../../sim/checkers/task/stored-ids.ts";
import { names } from "../../sim/checkers/task/job-names.ts";
import { learnUse, neediestUse } from "../../sim/checkers/task/uses-at-once.ts";
import type { TraceBody, TraceEvent } from "../../sim/trace/trace.ts";
import { usesIn } from "../../sim/worlds/operator/uses-in.ts";

const TASK = "etl";

function job(number: number, use: string, change: Partial<JobFact> = {}): JobFact {
  const by = { task: TASK, key: "", attempt: 1, acceptedAt: 0, replaces: undefined } as const;
  return { ...jobFactOf({ ...by, job: number, id: `j-${number}`, use }), ...change };
}

/** Which use an attempt is taken to submit for; `number`: the attempt. */
function neediest(jobs: readonly JobFact[], number = 2, begun = ["a", "b"]): string {
  const attempt = { ...attemptJobsOf(TASK), keys: ["a", "b"], begun: new Set(begun) };
  return neediestUse({ number, attempt, jobs, checkpoints: new Checkpoints() });
}

const STORED = { isRecorded: true } as const;
const FAILED = { ...STORED, state: "failure" } as const;

describe("the use that most needs a job", () => {
  test("is the first that has begun, while none has a job", () => {
    expect(neediest([])).toBe("a");
    expect(neediest([], 2, ["b"])).toBe("b");
    expect(neediest([], 2, [])).toBe("a");
  });

  test("is none of those whose job is stored, be it done", () => {
    expect(neediest([job(1, "a", STORED)])).toBe("b");
    expect(neediest([job(1, "a", { ...STORED, state: "success" })])).toBe("b");
    expect(neediest([job(1, "a", STORED), job(2, "b", { attempt: 2 })])).toBe("b");
    expect(neediest([job(1, "a", STORED), job(2, "b", FAILED)])).toBe("b");
  });

  test("may be one whose job nobody finds: it is forgotten, or its id was never stored", () => {
    expect(neediest([job(1, "a", { ...STORED, isForgotten: true }), job(2, "b", FAILED)])).toBe(
      "a",
    );
    expect(neediest([job(1, "a"), job(2, "b", FAILED)])).toBe("a");
    expect(neediest([job(1, "a", { state: "failure" }), job(2, "b", FAILED)])).toBe("a");
  });

  test("is not the one whose job the attempt has just submitted, unless that has failed", () => {
    expect(neediest([job(1, "a", { attempt: 2 })])).toBe("b");
    expect(neediest([job(1, "a", { attempt: 2, state: "success" })])).toBe("b");
    expect(neediest([job(1, "a", { attempt: 2, state: "failure" })])).toBe("a");
    expect(neediest([job(1, "a", { attempt: 2 }), job(2, "b", FAILED)])).toBe("b");
  });

  test("is not the one whose job a replica hid, which the attempt cannot know", () => {
    const hidden = job(1, "a", STORED);
    const attempt = {
      ...attemptJobsOf(TASK),
      keys: ["a", "b"],
      begun: new Set(["a", "b"]),
      hidden: new Set([hidden]),
    };
    const jobs = [hidden, job(2, "b", FAILED)];
    expect(neediestUse({ number: 2, attempt, jobs, checkpoints: new Checkpoints() })).toBe("a");
  });

  test("is not the one whose job a checkpoint names", () => {
    const checkpoints = new Checkpoints();
    const by = { at: 0, host: "task-1", task: TASK } as const;
    const ended = {
      kind: "attempt-ended",
      attempt: 1,
      outcome: "checkpointed",
      error: "",
    } as const;
    checkpoints.apply({ ...by, ...ended, checkpoint: "j-1" });
    const begun = {
      kind: "attempt",
      attempt: 2,
      tryNumber: 1,
      scope: "",
      start: "resume",
    } as const;
    checkpoints.apply({ ...by, ...begun });
    const attempt = { ...attemptJobsOf(TASK), keys: ["a", "b"], begun: new Set(["a", "b"]) };
    const jobs = [job(1, "a"), job(2, "b")];
    expect(neediestUse({ number: 2, attempt, jobs, checkpoints })).toBe("b");
  });

  test("is the one whose job the attempt has seen to fail", () => {
    const seen = job(2, "b", { ...FAILED, askedBy: new Set([2]) });
    expect(neediest([job(1, "a", FAILED), seen])).toBe("b");
    expect(neediest([job(1, "a", FAILED), job(2, "b", { ...FAILED, askedBy: new Set([1]) })])).toBe(
      "a",
    );
    expect(neediest([seen], 2)).toBe("a");
  });

  test("is judged by the best of its jobs", () => {
    expect(neediest([job(1, "a", STORED), job(2, "a", FAILED)])).toBe("b");
    expect(neediest([job(1, "a", FAILED), job(2, "a", STORED), job(3, "b", FAILED)])).toBe("b");
  });
});

describe("the use of a job", () => {
  function learnt(jobs: readonly JobFact[], key: string, value: string): readonly string[] {
    learnUse(jobs, key, (job) => names(value, job));
    return jobs.map(({ use }) => use);
  }

  test("is learnt by the first write of its id; the two that were mistaken are exchanged", () => {
    expect(learnt([job(1, "a"), job(2, "b")], "b", "j-1")).toEqual(["b", "a"]);
    expect(learnt([job(1, "a"), job(2, "b")], "b", '"j-2"')).toEqual(["a", "b"]);
    expect(learnt([job(1, "a"), job(2, "a")], "b", "j-2")).toEqual(["a", "b"]);
    expect(learnt([job(1, "a")], "b", "j-3")).toEqual(["a"]);
  });

  test("stays once its id was sent, and that of another attempt's job stays", () => {
    const sent = { sentBy: new Set([1]) };
    expect(learnt([job(1, "a", sent), job(2, "b")], "b", "j-1")).toEqual(["a", "b"]);
    expect(learnt([job(1, "a"), job(2, "b", sent)], "b", "j-1")).toEqual(["b", "b"]);
    expect(learnt([job(1, "a"), job(2, "b", { attempt: 2 })], "b", "j-1")).toEqual(["b", "b"]);
  });
});

describe("the ids in the store", () => {
  test("are those of the keys that hold them, the last one for each use", () => {
    const ids = new StoredIds();
    const [one, other] = [job(1, "a"), job(2, "a")];
    expect(ids.keysOf(one).size).toBe(0);
    ids.add({ task: TASK, key: "k" }, one);
    ids.add({ task: TASK, key: "l" }, one);
    expect([...ids.keysOf(one)]).toEqual(["k", "l"]);
    ids.remove("k", [one, other]);
    expect([one.isRecorded, one.wasRecorded, other.isRecorded]).toEqual([true, true, false]);
    expect(ids.lastOf(TASK, "a")).toBe(one);
    ids.add({ task: TASK, key: "m" }, other);
    expect(ids.lastOf(TASK, "a")).toBe(other);
    expect(ids.lastOf(TASK, "b")).toBe(undefined);
    ids.remove(undefined, [one, other]);
    expect([one.isRecorded, one.wasRecorded]).toEqual([false, true]);
    expect(ids.lastOf(TASK, "a")).toBe(undefined);
  });
});

describe("the uses in a run without faults", () => {
  const got = (key: string): TraceBody => ({
    kind: "state-got",
    scope: "s",
    key,
    value: null,
    attempt: 1,
  });
  const submitted = (number: number): TraceBody => ({
    kind: "job-accepted",
    job: number,
    id: `j-${number}`,
    task: TASK,
    key: "",
    attempt: 1,
  });
  const asked = (number: number): TraceBody => ({
    kind: "job-status",
    job: number,
    status: "RUNNING",
    by: TASK,
    attempt: 1,
  });
  const set = (key: string, value: string): TraceBody => ({
    kind: "state-set",
    scope: "s",
    key,
    value,
    expiresAt: null,
    attempt: 1,
  });
  const usesOf = (...bodies: readonly TraceBody[]): ReturnType<typeof usesIn> =>
    usesIn(bodies.map((body, at): TraceEvent => ({ at, host: "h", ...body })));
  const stage = [got("a"), submitted(1), set("a", "j-1"), asked(1)];
  const load = [got("b"), submitted(2), set("b", "j-2"), asked(2)];

  test("come one after the other, or at once", () => {
    expect(usesOf(...stage, ...load)).toEqual({ keys: ["a", "b"], areAtOnce: false });
    expect(usesOf(...stage, got("a"), ...load)).toEqual({ keys: ["a", "b"], areAtOnce: false });
    expect(usesOf(...stage, ...load, asked(1))).toEqual({ keys: ["a", "b"], areAtOnce: true });
    const readAgain = [...stage, got("b"), got("a"), ...load.slice(1)];
    expect(usesOf(...readAgain)).toEqual({ keys: ["a", "b"], areAtOnce: false });
    const submittedBeside = [got("a"), got("b"), submitted(1), set("a", "j-1"), ...load.slice(1)];
    expect(usesOf(...submittedBeside)).toEqual({ keys: ["a", "b"], areAtOnce: true });
    const storedBeside = [got("a"), submitted(1), got("b"), set("a", "j-1"), ...load.slice(1)];
    expect(usesOf(...storedBeside)).toEqual({ keys: ["a", "b"], areAtOnce: true });
  });

  test("are none where there is one job, or one key for all", () => {
    expect(usesOf(...stage)).toEqual({ keys: [], areAtOnce: false });
    const oneKey = [...stage, submitted(2), set("a", "j-2"), asked(1)];
    expect(usesOf(...oneKey)).toEqual({ keys: [], areAtOnce: false });
  });

  test("have begun when their key is read, whatever else is read or asked for", () => {
    const unread = [submitted(1), set("a", "j-1"), submitted(2), set("b", "j-2"), asked(1)];
    expect(usesOf(...unread)).toEqual({ keys: ["a", "b"], areAtOnce: false });
    expect(usesOf(...unread.slice(0, 2), ...load, asked(1)).areAtOnce).toBe(false);
    expect(usesOf(...stage, got("c"), asked(1), ...load).areAtOnce).toBe(false);
  });
});
