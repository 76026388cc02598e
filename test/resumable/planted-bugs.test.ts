import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SITES, JobBench } from "./job-bench.ts";
import { brokenPromise, type History } from "./laws.ts";

const crash = fc.record({
  site: fc.constantFrom(...SITES),
  when: fc.constantFrom("before" as const, "after" as const),
});
const histories: fc.Arbitrary<History> = fc.record({
  crashes: fc.array(fc.option(crash, { nil: undefined }), { maxLength: 4 }),
  endings: fc.array(fc.constantFrom("SUCCEEDED" as const, "FAILED" as const), { maxLength: 2 }),
});

/** The promises that a bench breaks over generated histories. */
async function promisesBrokenBy(benchOf: () => JobBench): Promise<Set<string>> {
  const broken = new Set<string>();
  for (const history of fc.sample(histories, { seed: 4, numRuns: 300 })) {
    const found = await brokenPromise(history, benchOf);
    if (found !== undefined) broken.add(found.promise);
  }
  return broken;
}

/** A bench whose tasks are run by a broken copy of the algorithm, or whose job is broken. */
function benchWith(change: (bench: JobBench) => void): () => JobBench {
  return () => {
    const bench = new JobBench();
    change(bench);
    return bench;
  };
}

type Broken = JobBench["runner"];
const KEY = "remote_job_id";

const persistAfterPoll: Broken = async (job, ctx) => {
  const stored = await ctx.taskStateStore?.get(KEY);
  if (stored !== null) return job.getJobResult(stored, ctx);
  const id = await job.submitJob(ctx);
  await job.pollUntilComplete(id, ctx);
  await ctx.taskStateStore?.set(KEY, id as string);
  return job.getJobResult(id, ctx);
};

/** The algorithm as upstream has it, with what `differs`. */
function upstreamLike(differs: {
  readonly isId?: (id: unknown) => boolean;
  readonly reconnected?: (polled: unknown) => unknown;
  readonly statusFailed?: () => string;
  readonly beforePersist?: (ctx: Parameters<Broken>[1]) => Promise<unknown>;
}): Broken {
  const { isId = (id) => id !== null, reconnected, statusFailed, beforePersist } = differs;
  return async (job, ctx) => {
    const stored = await ctx.taskStateStore?.get(KEY);
    if (isId(stored)) {
      const status = await (async () => job.getJobStatus(stored, ctx))().catch((error: unknown) => {
        if (statusFailed === undefined) throw error;
        return statusFailed();
      });
      if (await job.isJobActive(status)) {
        const polled = await job.pollUntilComplete(stored, ctx);
        return reconnected === undefined ? job.getJobResult(stored, ctx) : reconnected(polled);
      }
      if (await job.isJobSucceeded(status)) return job.getJobResult(stored, ctx);
    }
    const id = await job.submitJob(ctx);
    await beforePersist?.(ctx);
    await ctx.taskStateStore?.set(KEY, id as string);
    await job.pollUntilComplete(id, ctx);
    return job.getJobResult(id, ctx);
  };
}

describe("a planted bug", () => {
  it("of nobody is found in the algorithm as it should be", async () => {
    expect(await promisesBrokenBy(benchWith(() => undefined))).toEqual(new Set());
    const right = benchWith((bench) => (bench.runner = upstreamLike({})));
    expect(await promisesBrokenBy(right)).toEqual(new Set());
  });

  it("E1 persist after poll breaks I1", async () => {
    const benchOf = benchWith((bench) => (bench.runner = persistAfterPoll));
    expect(await promisesBrokenBy(benchOf)).toContain("I1");
  });

  it("E2 a waiting state that is missing from isJobActive breaks I3", async () => {
    const benchOf = benchWith((bench) => (bench.job.isJobActive = (status) => status === "BUSY"));
    expect(await promisesBrokenBy(benchOf)).toContain("I3");
  });

  it("E3 E4 a failed status taken for a missing job breaks I3", async () => {
    const benchOf = benchWith((bench) => {
      bench.runner = upstreamLike({ statusFailed: () => "NOT_FOUND" });
      bench.failures.set("status", new Error("503"));
    });
    expect(await promisesBrokenBy(benchOf)).toContain("I3");
  });

  it("E5 truthiness of the id breaks I3 for the id 0", async () => {
    const benchOf = benchWith((bench) => {
      bench.runner = upstreamLike({ isId: Boolean });
      bench.ids = (at) => at - 1;
    });
    expect(await promisesBrokenBy(benchOf)).toContain("I3");
    const repaired = benchWith((bench) => (bench.ids = (at) => at - 1));
    expect(await promisesBrokenBy(repaired)).toEqual(new Set());
  });

  it("E8 a call between submit and persist breaks I1", async () => {
    const benchOf = benchWith((bench) => {
      bench.runner = upstreamLike({
        beforePersist: async (ctx) => {
          if (ctx.tryNumber === 1) throw new Error("XCom is down");
        },
      });
    });
    expect(await promisesBrokenBy(benchOf)).toContain("I1");
  });

  it("E20 E62 an end that is no success taken for one breaks I20", async () => {
    const benchOf = benchWith((bench) => {
      bench.job.isJobSucceeded = (status) => status !== "RUNNING";
      bench.job.getJobResult = (id) => `${bench.statusOf(id)} ${JSON.stringify(id)}`;
    });
    expect(await promisesBrokenBy(benchOf)).toContain("I20");
  });

  it("E22 a reconnect that returns what the poll returns breaks I20", async () => {
    const benchOf = benchWith((bench) => {
      bench.runner = upstreamLike({ reconnected: (polled) => polled });
    });
    expect(await promisesBrokenBy(benchOf)).toContain("I20");
  });

  it("E61 an id that loses digits on its way breaks I19", async () => {
    const benchOf = benchWith((bench) => {
      const { pollUntilComplete } = bench.job;
      bench.job.pollUntilComplete = (id, ctx) =>
        pollUntilComplete(`${String(id).slice(0, -1)}0`, ctx);
    });
    expect(await promisesBrokenBy(benchOf)).toContain("I19");
  });
});
