import { describe, expect, it } from "vitest";
import { JobBench } from "./job-bench.ts";

describe("resumeOrSubmit() without the store", () => {
  it("B31 warns when there is no store, then submits, polls and fetches", async () => {
    const bench = new JobBench();
    bench.withStore = false;
    expect((await bench.attempt()).kind).toBe("result");
    expect(bench.calls).toEqual(["submit", "poll(job-1)", "result(job-1)"]);
    expect(bench.levels()).toContain("warn");
  });

  it("B32 neither reads nor writes the store when not durable", async () => {
    const bench = new JobBench();
    expect((await bench.attempt({ durable: false })).kind).toBe("result");
    expect(bench.calls).toEqual(["submit", "poll(job-1)", "result(job-1)"]);
    expect(bench.log).toEqual([]);
  });

  it("B33 submits beside a stored active job when not durable", async () => {
    const bench = new JobBench();
    await bench.attempt({}, { site: "poll", when: "before" });
    await bench.attempt({ durable: false }, { site: "poll", when: "before" });
    expect([bench.accepted, bench.activeJobs()]).toEqual([2, 2]);
  });

  it("B34 is durable by default", async () => {
    const bench = new JobBench();
    await bench.attempt();
    expect(await bench.stored()).toBe("job-1");
  });

  it("B35 submits again when only the second attempt is durable", async () => {
    const bench = new JobBench();
    await bench.attempt({ durable: false }, { site: "poll", when: "before" });
    await bench.attempt();
    expect(bench.accepted).toBe(2);
  });

  it("B36 reconnects to attempt 1's job when only attempt 2 was not durable", async () => {
    const bench = new JobBench();
    await bench.attempt({}, { site: "poll", when: "before" });
    await bench.attempt({ durable: false }, { site: "poll", when: "before" });
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "job-1"' });
    expect(bench.statusOf("job-2")).toBe("RUNNING");
  });

  it("B37 rejects a job with a method missing before anything is submitted", async () => {
    const bench = new JobBench();
    const job = bench.job as unknown as Record<string, unknown>;
    delete job["getJobResult"];
    delete job["isJobActive"];
    const end = await bench.attempt();
    expect(String(end.kind === "error" && end.error)).toBe(
      "TypeError: Cannot resume or submit Object: it has no isJobActive, no getJobResult",
    );
    expect(bench.calls).toEqual([]);
  });

  it("B38 returns the first job to a second call with the same key, and another with another key", async () => {
    const bench = new JobBench();
    const one = await bench.attempt();
    expect(await bench.attempt()).toEqual(one);
    await bench.attempt({ externalIdKey: "second_job" });
    expect(bench.accepted).toBe(2);
  });
});
