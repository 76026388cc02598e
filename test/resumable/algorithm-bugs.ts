import { JobBench } from "./job-bench.ts";

/** The algorithm, or the job that it runs, with one bug. */
export interface AlgorithmBug {
  readonly bug: string;
  /** The promise that it breaks. */
  readonly promise: string;
  readonly benchOf: () => JobBench;
}

/** Creates a bench that runs a broken copy of the algorithm, or whose job is broken. */
export function benchWith(change: (bench: JobBench) => void): () => JobBench {
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

/** Airflow's algorithm, with the differences in `differs`. */
export function upstreamLike(differs: {
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

/** Those of the known bugs (E1 to E72) that concern the algorithm or its ids. */
export const ALGORITHM_BUGS: readonly AlgorithmBug[] = [
  {
    bug: "E1 persist after poll",
    promise: "I1",
    benchOf: benchWith((bench) => (bench.runner = persistAfterPoll)),
  },
  {
    bug: "E2 a waiting state that is missing from isJobActive",
    promise: "I3",
    benchOf: benchWith((bench) => (bench.job.isJobActive = (status) => status === "BUSY")),
  },
  {
    bug: "E3 E4 a failed status taken for a missing job",
    promise: "I3",
    benchOf: benchWith((bench) => {
      bench.runner = upstreamLike({ statusFailed: () => "NOT_FOUND" });
      bench.failures.set("status", new Error("503"));
    }),
  },
  {
    bug: "E5 truthiness of the id, and the id 0",
    promise: "I3",
    benchOf: benchWith((bench) => {
      bench.runner = upstreamLike({ isId: Boolean });
      bench.ids = (at) => at - 1;
    }),
  },
  {
    bug: "E8 a call between submit and persist",
    promise: "I1",
    benchOf: benchWith((bench) => {
      bench.runner = upstreamLike({
        beforePersist: async (ctx) => {
          if (ctx.tryNumber === 1) throw new Error("XCom is down");
        },
      });
    }),
  },
  {
    bug: "E20 E62 an end that is no success taken for one",
    promise: "I20",
    benchOf: benchWith((bench) => {
      bench.job.isJobSucceeded = (status) => status !== "RUNNING";
      bench.job.getJobResult = (id) => `${bench.statusOf(id)} ${JSON.stringify(id)}`;
    }),
  },
  {
    bug: "E22 a reconnect that returns what the poll returns",
    promise: "I20",
    benchOf: benchWith((bench) => {
      bench.runner = upstreamLike({ reconnected: (polled) => polled });
    }),
  },
  {
    bug: "E61 an id that loses digits on its way",
    promise: "I19",
    benchOf: benchWith((bench) => {
      const { pollUntilComplete } = bench.job;
      bench.job.pollUntilComplete = (id, ctx) =>
        pollUntilComplete(`${String(id).slice(0, -1)}0`, ctx);
    }),
  },
];
