import { sleep } from "../../src/time/mod.ts";
import type { StoredJobId } from "../../sim/workloads/preset-job.ts";
import { type PlantedJobBug, polling } from "./resumable-job-bugs.ts";

/** After so many time-outs in a row the job of E72 counts as failed. */
const TIME_OUTS_MAX = 2;

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Returns what `lookUp` does; "FAILED" after some time-outs in a row. */
async function hastily(lookUp: () => Promise<string>): Promise<string> {
  for (let timeOuts = 0; timeOuts < TIME_OUTS_MAX; timeOuts += 1) {
    try {
      return await lookUp();
    } catch (error) {
      if (codeOf(error) !== "ETIMEDOUT") throw error;
    }
  }
  return "FAILED";
}

/** A submit that ends with such an error is made again, under a new key. */
export function submittingAgain(isSuch: (error: unknown) => boolean): PlantedJobBug["break"] {
  return ({ right, client, task }) => ({
    async submitJob(ctx) {
      try {
        return await right.submitJob(ctx);
      } catch (error) {
        if (!isSuch(error)) throw error;
        await sleep(client.clock, 10_000);
        const idempotencyKey = `${task}.again`;
        return await client.submit({ jobType: "batch", tag: task, idempotencyKey });
      }
    },
  });
}

/** Bugs that show only when a system crashes in a call or without a word, or a copy comes late. */
export const CALLEE_FAULT_BUGS: readonly PlantedJobBug[] = [
  {
    name: "E70 a job is looked up by its tag, and submitted without a key",
    system: "emr-serverless",
    promises: ["R-I1"],
    break: ({ job, client, task }) => ({
      async submitJob() {
        const found = await client.find({ tag: task });
        const own = found.findLast(
          ({ status }) => job.isJobActive(status) || job.isJobSucceeded(status),
        );
        return own?.id ?? (await client.submit({ jobType: "batch", tag: task }));
      },
    }),
  },
  {
    name: "E71 a submit whose connection breaks is repeated under a new key",
    system: "emr-serverless",
    promises: ["R-I1"],
    break: submittingAgain((error) => codeOf(error) === "ECONNRESET"),
  },
  {
    name: "E72 two time-outs in a row are taken for the end of the job",
    system: "emr-serverless",
    promises: ["R-I3", "R-I4", "R-I5"],
    break: (parts) => {
      const { job, right } = parts;
      const getJobStatus = (id: unknown): Promise<string> =>
        hastily(() => job.getJobStatus(id as StoredJobId));
      return { getJobStatus, ...polling({ ...right, getJobStatus }, parts) };
    },
  },
];
