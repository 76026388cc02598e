import { describe, expect, it } from "vitest";
import { JobFailed } from "../../src/resumable/mod.ts";
import { JobBench } from "./job-bench.ts";

/** Returns a bench whose first attempt stored `id`, of a job with `status`. */
async function withStored(status: string, id: unknown = "old"): Promise<JobBench> {
  const bench = new JobBench();
  await bench.store.set("remote_job_id", id as string);
  bench.setStatus(id, status);
  return bench;
}

describe("resumeOrSubmit() on a retry with a stored id", () => {
  it("B11 B13 reconnects to an active job: one poll, no submit, no set, and the result (Q2)", async () => {
    const bench = await withStored("RUNNING");
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "old"' });
    expect(bench.calls.slice(1)).toEqual(["status(old)", "poll(old)", "result(old)"]);
  });

  it("B12 reconnects to a pending job", async () => {
    const bench = await withStored("PENDING");
    await bench.attempt();
    expect(bench.calls.slice(1)).toEqual(["status(old)", "poll(old)", "result(old)"]);
  });

  it("B14 fetches the result of a succeeded job and does nothing else", async () => {
    const bench = await withStored("SUCCEEDED");
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "old"' });
    expect(bench.calls.slice(1)).toEqual(["status(old)", "result(old)"]);
  });

  it("B15 submits again after a failure, and the new id replaces the old", async () => {
    const bench = await withStored("FAILED");
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "job-1"' });
    expect(bench.calls.slice(1)).toEqual([
      "status(old)",
      "submit",
      "set(job-1)",
      "poll(job-1)",
      "result(job-1)",
    ]);
    expect(await bench.stored()).toBe("job-1");
  });

  for (const status of ["FAILED", "KILLED", "UNKNOWN", ""]) {
    it(`B16 takes the status "${status}", which neither predicate knows, as terminal`, async () => {
      const bench = await withStored(status);
      await bench.attempt();
      expect(bench.accepted).toBe(1);
    });
  }

  it("B16 fails when a predicate returns no boolean, instead of submitting a running job again", async () => {
    const bench = await withStored("RUNNING");
    bench.job.isJobActive = () => undefined as unknown as boolean;
    expect(await bench.attempt()).toMatchObject({ kind: "error", error: { name: "TypeError" } });
    expect(bench.accepted).toBe(0);
  });

  it("B17 reconnects when both predicates are true, without calling the second", async () => {
    const bench = await withStored("RUNNING");
    let asked = 0;
    bench.job.isJobSucceeded = () => ++asked > 0;
    await bench.attempt();
    expect([bench.count("poll"), asked]).toEqual([1, 0]);
  });

  it("B18 rejects with the error of the status lookup: no submit, no poll, the key unchanged", async () => {
    const bench = await withStored("RUNNING");
    const outage = new Error("503");
    bench.failures.set("status", outage);
    expect(await bench.attempt()).toEqual({ kind: "error", error: outage });
    expect([bench.accepted, bench.count("poll"), bench.count("set")]).toEqual([0, 0, 0]);
    expect(await bench.stored()).toBe("old");
  });

  it("B19 rejects with the error of a predicate likewise", async () => {
    for (const predicate of ["isJobActive", "isJobSucceeded"] as const) {
      const bench = await withStored("FAILED");
      bench.job[predicate] = () => {
        throw new Error("no such status");
      };
      expect((await bench.attempt()).kind).toBe("error");
      expect([bench.accepted, await bench.stored()]).toEqual([0, "old"]);
    }
  });

  it("B20 submits again when the job's status is a sentinel for not found", async () => {
    const bench = await withStored("NOT_FOUND");
    await bench.attempt();
    expect(await bench.stored()).toBe("job-1");
  });

  for (const id of ["", 0, false, [], {}]) {
    it(`B21 reconnects to the stored id ${JSON.stringify(id)} (Q1)`, async () => {
      const bench = await withStored("RUNNING", id);
      expect((await bench.attempt()).kind).toBe("result");
      expect([bench.accepted, bench.count("status")]).toEqual([0, 1]);
    });
  }

  for (const id of [["h1", "h2"], { name: "pod", uid: "u1" }, 42]) {
    it(`B22 passes the id ${JSON.stringify(id)} through unchanged`, async () => {
      const bench = await withStored("RUNNING", id);
      const seen: unknown[] = [];
      bench.job.pollUntilComplete = (given) => seen.push(given);
      await bench.attempt();
      expect(seen).toEqual([id]);
    });
  }

  it("B23 rejects with the error of the store's get, and submits nothing", async () => {
    const bench = await withStored("RUNNING");
    const outage = new Error("503");
    bench.failures.set("get", outage);
    expect(await bench.attempt()).toEqual({ kind: "error", error: outage });
    expect(bench.accepted).toBe(0);
  });

  it("B24 does not find the id after its key was renamed: a duplicate, and the old key stays", async () => {
    const bench = await withStored("RUNNING");
    await bench.attempt({ externalIdKey: "renamed" });
    expect([bench.accepted, bench.statusOf("old")]).toEqual([1, "RUNNING"]);
    expect([await bench.stored(), await bench.stored("renamed")]).toEqual(["old", "job-1"]);
  });

  it("B25 keeps the terminal id when the resubmit fails, and looks it up again next time", async () => {
    const bench = await withStored("FAILED");
    bench.failures.set("submit", new Error("quota"));
    expect((await bench.attempt()).kind).toBe("error");
    expect(await bench.stored()).toBe("old");
    bench.failures.clear();
    expect((await bench.attempt()).kind).toBe("result");
    expect([bench.count("status"), bench.accepted]).toEqual([2, 1]);
  });

  it("B26 has two jobs alive after a crash between a resubmit and its set", async () => {
    const bench = await withStored("FAILED");
    await bench.attempt({}, { site: "set", when: "before" });
    expect(await bench.stored()).toBe("old");
    await bench.attempt({}, { site: "poll", when: "before" });
    expect([bench.accepted, bench.activeJobs()]).toEqual([2, 2]);
  });

  it("B27 polls a job that ends between the status and the poll", async () => {
    const bench = await withStored("RUNNING");
    const status = bench.job.getJobStatus;
    bench.job.getJobStatus = async (id, ctx) => {
      const seen = await status(id, ctx);
      bench.setStatus("old", "SUCCEEDED");
      return seen;
    };
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "old"' });
  });

  it("B28 rejects when the job fails while it is polled, and the next retry submits a new one", async () => {
    const bench = await withStored("RUNNING");
    bench.endings = ["FAILED"];
    const end = await bench.attempt();
    expect(end.kind === "error" && end.error).toBeInstanceOf(JobFailed);
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "job-1"' });
  });

  it("B29 waits as long as the poll does, and has no limit of its own", async () => {
    const bench = await withStored("RUNNING");
    let finish = (): void => undefined;
    bench.job.pollUntilComplete = () => new Promise<void>((resolve) => (finish = resolve));
    let over = false;
    const attempt = bench.attempt().then(() => (over = true));
    await bench.clock.advance(1e9, async () => undefined);
    for (let tick = 0; tick < 50; tick += 1) await Promise.resolve();
    expect(over).toBe(false);
    finish();
    await attempt;
    expect(over).toBe(true);
  });

  it("B30 looks up the status once and calls each predicate at most once", async () => {
    for (const [status, predicates] of [
      ["RUNNING", 1],
      ["SUCCEEDED", 2],
      ["FAILED", 2],
    ] as const) {
      const bench = await withStored(status);
      await bench.attempt();
      expect([bench.count("status"), bench.predicateCalls]).toEqual([1, predicates]);
    }
  });
});
