import { describe, expect, it } from "vitest";
import { type Crash, JobBench } from "./job-bench.ts";

/** Returns the number of accepted jobs when attempt 1 is lost at `crash` and attempt 2 finishes. */
async function jobsAfter(crash: Crash): Promise<{ jobs: number; bench: JobBench }> {
  const bench = new JobBench();
  expect(await bench.attempt({}, crash)).toEqual({ kind: "crash" });
  expect((await bench.attempt()).kind).toBe("result");
  return { jobs: bench.accepted, bench };
}

describe("a worker lost on the first run", () => {
  it("B39 B40 before or during submit, with nothing accepted: one job", async () => {
    expect((await jobsAfter({ site: "submit", when: "before" })).jobs).toBe(1);
  });

  it("B41 after the system accepted and before it replied: two jobs", async () => {
    expect((await jobsAfter({ site: "submit", when: "after" })).jobs).toBe(2);
  });

  it("B42 B43 after submit and before the store has the id: two jobs", async () => {
    expect((await jobsAfter({ site: "set", when: "before" })).jobs).toBe(2);
  });

  it("B43 after the store has the id and before it replied: one job", async () => {
    expect((await jobsAfter({ site: "set", when: "after" })).jobs).toBe(1);
  });

  it("B44 before or during the poll: one job, and the retry reconnects", async () => {
    const { jobs, bench } = await jobsAfter({ site: "poll", when: "before" });
    expect([jobs, bench.count("poll")]).toEqual([1, 2]);
  });

  it("B45 after the poll and before the result: one job, and the retry returns", async () => {
    const { jobs, bench } = await jobsAfter({ site: "poll", when: "after" });
    expect([jobs, bench.count("poll"), bench.count("result")]).toEqual([1, 1, 1]);
  });

  it("B46 after the result and before the report: one job, and the result is fetched twice", async () => {
    const { jobs, bench } = await jobsAfter({ site: "result", when: "after" });
    expect([jobs, bench.count("poll"), bench.count("result")]).toEqual([1, 1, 2]);
  });

  it("B47 after success: an unnecessary retry returns the same result", async () => {
    const bench = new JobBench();
    const first = await bench.attempt();
    expect(await bench.attempt()).toEqual(first);
    expect(bench.accepted).toBe(1);
  });

  it("B48 inside the decision: nothing changed, and the retry decides again", async () => {
    for (const site of ["get", "status"] as const) {
      for (const when of ["before", "after"] as const) {
        const bench = new JobBench();
        await bench.attempt({}, { site: "poll", when: "before" });
        expect(await bench.attempt({}, { site, when })).toEqual({ kind: "crash" });
        expect([bench.accepted, await bench.stored()]).toEqual([1, "job-1"]);
        expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "job-1"' });
        expect(bench.accepted).toBe(1);
      }
    }
  });
});
