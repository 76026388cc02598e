import { describe, expect, it } from "vitest";
import { runTask } from "../../src/operator/mod.ts";
import { sweepStore } from "../../src/store/mod.ts";
import { RunBatch } from "./batch-operator.ts";
import { JobBench } from "./job-bench.ts";

const DAY_MS = 86_400_000;
const drain = async (): Promise<void> => undefined;

/** Returns a bench whose first attempt was lost while its job ran. */
async function withRunningJob(): Promise<JobBench> {
  const bench = new JobBench();
  await bench.attempt({}, { site: "poll", when: "before" });
  return bench;
}

describe("a stored id", () => {
  it("B49 B50 is absent after its retention, swept or not: a new job, without a warning", async () => {
    for (const sweeps of [false, true]) {
      const bench = await withRunningJob();
      await bench.clock.advance(31 * DAY_MS, drain);
      if (sweeps) await sweepStore(bench.backend, { clock: bench.clock });
      await bench.attempt();
      expect(bench.accepted).toBe(2);
    }
  });

  it("B51 that a user cleared: a new job; that was kept: reconnects or returns", async () => {
    const cleared = await withRunningJob();
    await cleared.store.clear();
    await cleared.attempt();
    expect(cleared.accepted).toBe(2);
    const kept = await withRunningJob();
    await kept.attempt();
    expect(kept.accepted).toBe(1);
  });

  it("B52 of a job that succeeded, kept when the task is cleared: returns at once and runs nothing", async () => {
    const bench = new JobBench();
    await bench.attempt();
    const before = bench.calls.length;
    expect((await bench.attempt()).kind).toBe("result");
    expect(bench.calls.slice(before)).toEqual([
      "get(remote_job_id)",
      "status(job-1)",
      "result(job-1)",
    ]);
  });

  it("B53 that was cleared on success: another run submits a new job", async () => {
    const bench = new JobBench();
    await bench.attempt();
    await bench.store.clear();
    await bench.attempt();
    expect(bench.accepted).toBe(2);
  });

  it("B54 belongs to one map index", async () => {
    const bench = new JobBench();
    for (const mapIndex of [0, 1]) {
      bench.mapIndex = mapIndex;
      await bench.attempt({}, { site: "poll", when: "before" });
    }
    expect(await bench.stored()).toBe("job-2");
    bench.mapIndex = 0;
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "job-1"' });
  });

  it("B55 is used by two concurrent attempts: both poll one job, and both resubmit a failed one", async () => {
    const active = await withRunningJob();
    const both = await Promise.all([active.attempt(), active.attempt()]);
    expect(both.map((end) => end.kind)).toEqual(["result", "result"]);
    expect(active.accepted).toBe(1);
    const failed = await withRunningJob();
    failed.setStatus("job-1", "FAILED");
    await Promise.all([failed.attempt(), failed.attempt()]);
    expect(failed.accepted).toBe(3);
  });

  it("B58 of a failed last attempt: onKill is not called, so that the job is not cancelled", async () => {
    let kills = 0;
    class Counting extends RunBatch {
      override onKill(): void {
        kills += 1;
      }
    }
    const bench = new JobBench();
    bench.failures.set("poll", new Error("503"));
    const outcome = await runTask(new Counting(bench), bench.context());
    expect([outcome.kind, kills, bench.activeJobs()]).toEqual(["failed", 0, 1]);
  });
});
