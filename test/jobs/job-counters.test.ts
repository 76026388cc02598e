import { describe, expect, test } from "vitest";
import { JobCounters } from "../../sim/jobs/job-counters.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

function countersOf(...events: readonly (TraceBody & { readonly host?: string })[]): JobCounters {
  return JobCounters.from(events.map((event, at) => ({ at, host: "worker", ...event })));
}

function accepted(job: number, task: string, id = `job-${job}`): TraceBody {
  return { kind: "job-accepted", job, id, task, key: "", attempt: 0 };
}

function stored(value: string): TraceBody {
  const key = "remote_job_id";
  return { kind: "state-set", scope: "s", key, value, expiresAt: null, attempt: 1 };
}

const ATTEMPT: TraceBody = {
  kind: "attempt",
  task: "a",
  attempt: 1,
  tryNumber: 1,
  scope: "s",
  start: "execute",
};

describe("JobCounters", () => {
  test("counts what the system did, and requests by job", () => {
    const counters = countersOf(
      accepted(1, "a"),
      accepted(2, "a"),
      accepted(3, "b"),
      { kind: "job-rejected", task: "a", key: "", reason: "busy", attempt: 0 },
      { kind: "job-deduplicated", job: 2, task: "a", key: "k", attempt: 0 },
      { kind: "job-status", job: 3, status: "RUNNING", by: "a", attempt: 0 },
      { kind: "job-status", job: 0, status: "", by: "a", attempt: 0 },
      { kind: "job-cancel-asked", job: 1, by: "a", attempt: 0 },
      { kind: "job-cancel-asked", job: 1, by: "a", attempt: 0 },
      { kind: "job-cancelled", job: 1 },
      { kind: "job-finished", job: 2, outcome: "success" },
      { kind: "job-result", job: 2, by: "a", attempt: 0 },
      { kind: "job-forgotten", job: 2 },
    );
    expect(counters).toMatchObject({
      accepted: 3,
      rejected: 1,
      deduplicated: 1,
      cancelledByUs: 1,
      polledWrongJob: 1,
      resultFetches: 1,
    });
    expect(counters.duplicatesOf("a")).toBe(1);
    expect(counters.duplicatesOf("nobody")).toBe(0);
    expect(counters.liveAtEnd.map(({ job }) => job)).toEqual([3]);
    expect(counters.jobs.get(2)).toMatchObject({ outcome: "success", isKnown: false, fetches: 1 });
  });

  test("reports a live job as orphaned if no store has its id and no attempt of its task runs", () => {
    const orphans = (...events: readonly TraceBody[]): number[] =>
      countersOf(accepted(1, "a"), ...events).orphaned.map(({ job }) => job);
    expect(orphans()).toEqual([1]);
    expect(orphans(stored('"job-1"'))).toEqual([]);
    expect(orphans(stored('"job-1"'), stored('"job-2"'))).toEqual([1]);
    const gone = { scope: "s", key: "remote_job_id" } as const;
    expect(orphans(stored('"job-1"'), { kind: "state-deleted", ...gone })).toEqual([1]);
    expect(orphans(stored('"job-1"'), { kind: "state-swept", ...gone, now: 1 })).toEqual([1]);
    const cleared = {
      kind: "state-cleared",
      scope: "s",
      all: false,
      why: "user",
      emptied: ["s"],
    } as const;
    expect(orphans(stored('"job-1"'), cleared)).toEqual([1]);
    expect(orphans(ATTEMPT)).toEqual([]);
    expect(orphans(ATTEMPT, { kind: "host", state: "crash", incarnation: 1 })).toEqual([1]);
    const ended = {
      kind: "attempt-ended",
      task: "a",
      attempt: 1,
      outcome: "failed",
      error: "",
    } as const;
    expect(orphans(ATTEMPT, ended)).toEqual([1]);
    expect(orphans({ kind: "job-finished", job: 1, outcome: "failure" })).toEqual([]);
  });

  test("recognises numeric and object ids in the store", () => {
    const ids: readonly [string, string][] = [
      ["0", "0"],
      ['{"name":"pod","uid":"1"}', '{"name":"pod","uid":"1"}'],
      ["9007199254740993", '"9007199254740993"'],
    ];
    for (const [id, value] of ids) {
      expect(countersOf(accepted(1, "a", id), stored(value)).orphaned).toEqual([]);
    }
    expect(countersOf(accepted(1, "a", "10"), stored("0")).orphaned).toHaveLength(1);
  });
});
