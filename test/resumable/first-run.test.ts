import { describe, expect, it } from "vitest";
import { JobBench } from "./job-bench.ts";

describe("resumeOrSubmit() on a first run", () => {
  it("B1 submits, stores, polls and fetches, in that order", async () => {
    const bench = new JobBench();
    const end = await bench.attempt();
    expect(end).toEqual({ kind: "result", value: 'rows of "job-1"' });
    expect(bench.calls).toEqual([
      "get(remote_job_id)",
      "submit",
      "set(job-1)",
      "poll(job-1)",
      "result(job-1)",
    ]);
  });

  it("B2 has the id in the store when polling starts", async () => {
    const bench = new JobBench();
    let atPoll: unknown;
    const poll = bench.job.pollUntilComplete;
    bench.job.pollUntilComplete = async (id, ctx) => {
      atPoll = await bench.stored();
      return poll(id, ctx);
    };
    await bench.attempt();
    expect(atPoll).toBe("job-1");
  });

  it("B3 reads and writes under a custom key", async () => {
    const bench = new JobBench();
    await bench.attempt({ externalIdKey: "batch_job_id" });
    expect(bench.calls[0]).toBe("get(batch_job_id)");
    expect(await bench.stored("batch_job_id")).toBe("job-1");
    expect(await bench.stored()).toBeNull();
  });

  it("B4 stores nothing and polls nothing when submit fails", async () => {
    const bench = new JobBench();
    const refusal = new Error("quota");
    bench.failures.set("submit", refusal);
    expect(await bench.attempt()).toEqual({ kind: "error", error: refusal });
    expect(await bench.stored()).toBeNull();
    expect([bench.count("set"), bench.count("poll")]).toEqual([0, 0]);
  });

  for (const none of [null, undefined]) {
    it(`B5 stores no ${none}, polls and fetches with it, and submits again on each retry`, async () => {
      const bench = new JobBench();
      bench.ids = () => none;
      expect((await bench.attempt()).kind).toBe("result");
      expect(bench.calls.slice(1)).toEqual(["submit", `poll(${none})`, `result(${none})`]);
      expect((await bench.attempt()).kind).toBe("result");
      expect(bench.accepted).toBe(2);
    });
  }

  for (const id of ["", 0, false, [], {}]) {
    it(`B6 stores the id ${JSON.stringify(id)}: only null and undefined mean no id`, async () => {
      const bench = new JobBench();
      bench.ids = () => id;
      await bench.attempt();
      expect(await bench.stored()).toEqual(id);
    });
  }

  it("B7 does not poll when set fails, and logs the id of the running job", async () => {
    const bench = new JobBench();
    const outage = new Error("503");
    bench.failures.set("set", outage);
    expect(await bench.attempt()).toEqual({ kind: "error", error: outage });
    expect([bench.count("poll"), bench.activeJobs()]).toEqual([0, 1]);
    expect(bench.log.at(-1)).toMatchObject({ level: "error", fields: { externalId: "job-1" } });
  });

  it("B8 keeps the id when polling fails", async () => {
    const bench = new JobBench();
    const outage = new Error("503");
    bench.failures.set("poll", outage);
    expect(await bench.attempt()).toEqual({ kind: "error", error: outage });
    expect(await bench.stored()).toBe("job-1");
  });

  it("B9 keeps the id when the result fails, and the retry returns without submitting", async () => {
    const bench = new JobBench();
    bench.failures.set("result", new Error("503"));
    expect((await bench.attempt()).kind).toBe("error");
    bench.failures.clear();
    expect((await bench.attempt()).kind).toBe("result");
    expect([bench.accepted, bench.count("poll")]).toEqual([1, 1]);
  });

  it("B10 leaves the key in the store after success", async () => {
    const bench = new JobBench();
    await bench.attempt();
    expect(await bench.stored()).toBe("job-1");
  });
});
