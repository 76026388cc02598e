import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideResume,
  type JobRecord,
  type JobStatusClass,
  stepsFrom,
} from "../../src/resumable/decide.ts";
import { resumeOrSubmit } from "../../src/resumable/mod.ts";
import { JobBench, SITES } from "./job-bench.ts";
import { brokenPromise, type History, isInWindow } from "./laws.ts";

const crashes = fc.record({
  site: fc.constantFrom(...SITES),
  when: fc.constantFrom("before" as const, "after" as const),
});
const histories: fc.Arbitrary<History> = fc.record({
  crashes: fc.array(fc.option(crashes, { nil: undefined }), { maxLength: 6 }),
  endings: fc.array(fc.constantFrom("SUCCEEDED" as const, "FAILED" as const), { maxLength: 4 }),
});
const ids = fc.oneof(
  fc.integer({ min: 0 }),
  fc.string(),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
    fc.string(),
  ),
);
const records: fc.Arbitrary<JobRecord> = fc.oneof(
  fc.constantFrom<JobRecord>({ kind: "no_store" }, { kind: "absent" }),
  fc
    .constantFrom<JobStatusClass>("active", "succeeded", "terminal")
    .map((status) => ({ kind: "present", status }) as const),
);

/** A stored job is submitted again only when it is terminal; a submitted job is polled. */
function decisionHolds(record: JobRecord): boolean {
  const { submits, persists, polls } = stepsFrom(decideResume(record));
  if (submits && record.kind === "present" && record.status !== "terminal") return false;
  return (!submits || polls) && persists === (submits && record.kind !== "no_store");
}

describe("resumeOrSubmit()", () => {
  it("for every record, the decision submits a stored job again only when it is terminal", () => {
    fc.assert(fc.property(records, decisionHolds), { seed: 4 });
  });

  it("for every history of crashes and failures, keeps I1, I3, I4, I19 and I20", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        expect(await brokenPromise(history)).toBeUndefined();
      }),
      { seed: 4, numRuns: 2_000 },
    );
  });

  it("for every JSON id, a lost poll is resumed with that id and no second job", async () => {
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const bench = new JobBench();
        bench.ids = () => id;
        await bench.attempt({}, { site: "poll", when: "before" });
        expect(await bench.attempt()).toMatchObject({ kind: "result" });
        expect([bench.accepted, await bench.stored()]).toEqual([1, id]);
      }),
      { seed: 4 },
    );
  });

  it("for every single crash, exactly those in the window leave a second job", async () => {
    for (const site of SITES) {
      for (const when of ["before", "after"] as const) {
        const bench = new JobBench();
        await bench.attemptUntilResult([{ site, when }]);
        const jobs = isInWindow({ site, when }) ? 2 : 1;
        expect([site, when, bench.accepted]).toEqual([site, when, jobs]);
      }
    }
  });
});

describe("an abort of the attempt", () => {
  const reason = new Error("stopped");

  it("before anything: rejects with its reason and calls nothing", async () => {
    const bench = new JobBench();
    const ctx = { ...bench.context(), signal: AbortSignal.abort(reason) };
    await expect(resumeOrSubmit(bench.job, ctx)).rejects.toBe(reason);
    expect(bench.calls).toEqual([]);
  });

  it("during the read of the store: nothing is submitted", async () => {
    const bench = new JobBench();
    const controller = new AbortController();
    const get = bench.backend.get.bind(bench.backend);
    bench.backend.get = (scope, key) => {
      controller.abort(reason);
      return get(scope, key);
    };
    const ctx = { ...bench.context(), signal: controller.signal };
    await expect(resumeOrSubmit(bench.job, ctx)).rejects.toBe(reason);
    expect(bench.accepted).toBe(0);
  });

  it("during the look at a job that has failed: nothing is submitted", async () => {
    const bench = new JobBench();
    bench.setStatus("job-0", "FAILED");
    await bench.store.set("remote_job_id", "job-0");
    const controller = new AbortController();
    const { getJobStatus } = bench.job;
    bench.job.getJobStatus = (id, ctx) => {
      controller.abort(reason);
      return getJobStatus(id, ctx);
    };
    const ctx = { ...bench.context(), signal: controller.signal };
    await expect(resumeOrSubmit(bench.job, ctx)).rejects.toBe(reason);
    expect([bench.accepted, await bench.stored()]).toEqual([0, "job-0"]);
  });

  it("during submit: the id is stored anyway, and nothing is polled", async () => {
    const bench = new JobBench();
    const controller = new AbortController();
    const { submitJob } = bench.job;
    bench.job.submitJob = (ctx) => {
      controller.abort(reason);
      return submitJob(ctx);
    };
    const ctx = { ...bench.context(), signal: controller.signal };
    await expect(resumeOrSubmit(bench.job, ctx)).rejects.toBe(reason);
    expect([await bench.stored(), bench.count("poll")]).toEqual(["job-1", 0]);
  });
});
