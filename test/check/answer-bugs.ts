import type { JobClient } from "../../sim/jobs/job-client.ts";
import type { JobId } from "../../sim/jobs/job-id.ts";
import { PresetJob, type StoredJobId } from "../../sim/workloads/preset-job.ts";
import type { PlantedJobBug } from "./resumable-job-bugs.ts";

/** A client whose answers are all taken to be about the job that was asked for. */
export function believed(client: JobClient, task: string): JobClient {
  return new Proxy(client, {
    get(target, name) {
      if (name === "describe") {
        return async (id: JobId) => ({ ...(await target.describe(id)), id, tag: task });
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Bugs that show only when a system answers about another job than it was asked about. */
export const ANSWER_BUGS: readonly PlantedJobBug[] = [
  {
    name: "E91 an answer is believed without a look at the id of the job that it is about",
    system: "emr-serverless",
    promises: ["R-I1", "R-I3", "R-I4", "R-I5"],
    break: ({ client, clock, task }) => {
      const job = new PresetJob(believed(client, task), clock, {
        system: "emr-serverless",
        name: task,
      });
      return {
        submitJob: () => job.submitJob(),
        getJobStatus: (id, ctx) => job.getJobStatus(id as StoredJobId, ctx),
        isJobActive: (status) => job.isJobActive(status),
        isJobSucceeded: (status) => job.isJobSucceeded(status),
        pollUntilComplete: (id, ctx) => job.pollUntilComplete(id as StoredJobId, ctx),
        getJobResult: (id, ctx) => job.getJobResult(id as StoredJobId, ctx),
        async onKill(executionContext) {
          if (executionContext?.category !== "infrastructure") await job.cancel();
        },
      };
    },
  },
];
