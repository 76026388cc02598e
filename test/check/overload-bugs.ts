import type { StoredJobId } from "../../sim/workloads/preset-job.ts";
import { type PlantedJobBug, polling } from "./resumable-job-bugs.ts";

/** The HTTP status of an error of a client library. */
function statusOf(error: unknown): number {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  return typeof status === "number" ? status : 0;
}

/** Bugs that show only when a system refuses what is too much for it. */
export const OVERLOAD_BUGS: readonly PlantedJobBug[] = [
  {
    name: "E90 each status from 400 to 499 is taken for a job that does not exist",
    system: "emr-serverless",
    promises: ["R-I1", "R-I3", "R-I4", "R-I5"],
    break: (parts) => {
      const { job, right } = parts;
      const getJobStatus = async (id: unknown): Promise<string> => {
        try {
          return await job.getJobStatus(id as StoredJobId);
        } catch (error) {
          const status = statusOf(error);
          if (status < 400 || status > 499) throw error;
          return "NOT_FOUND";
        }
      };
      return { getJobStatus, ...polling({ ...right, getJobStatus }, parts) };
    },
  },
];
