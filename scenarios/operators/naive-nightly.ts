import type { CheckedJob, CreateJob } from "faultlane/check";

const POLL_EVERY_MS = 5_000;

/**
 * A nightly batch as one writes it first. Any error of a lookup counts as "the batch is gone", so that
 * one look that fails costs a second batch beside the first.
 */
export const createJob: CreateJob = (livy, { task }) => {
  const statusOf = (id: unknown): Promise<string> => livy.status(id).catch(() => "gone");
  const job: CheckedJob = {
    submitJob: () => livy.submit({ jobType: "spark", tag: task }),
    getJobStatus: statusOf,
    isJobActive: (status) => status !== "success" && status !== "dead" && status !== "gone",
    isJobSucceeded: (status) => status === "success",
    async pollUntilComplete(id) {
      for (;;) {
        const status = await statusOf(id);
        if (status === "success") return;
        if (status === "dead" || status === "gone") throw new Error(`The batch is ${status}`);
        await new Promise((resolve) => void setTimeout(resolve, POLL_EVERY_MS));
      }
    },
    getJobResult: async (id) => (await livy.result(id)).output,
  };
  return job;
};
