import { textFromJobId } from "../../sim/jobs/job-id.ts";
import { TaskStateStore } from "../../src/store/mod.ts";
import type { PlantedJobBug } from "./resumable-job-bugs.ts";

/** Where the store holds a job's id, and where E74 remembers a failure. */
const ID_KEY = "remote_job_id";
const FAILURE_KEY = "last_failure";

/** Bugs of what an operator keeps in the store of its task; each breaks one promise and no other. */
export const MEMORY_BUGS: readonly PlantedJobBug[] = [
  {
    name: "E73 the id is deleted when the poll begins, and stored again when it ends",
    system: "aws-batch",
    promises: ["R-kept"],
    break: ({ right }) => ({
      async pollUntilComplete(id, ctx) {
        const { taskStateStore: store } = ctx;
        if (store instanceof TaskStateStore) await store.delete(ID_KEY);
        await right.pollUntilComplete(id, ctx);
        await store?.set(ID_KEY, String(id));
      },
    }),
  },
  {
    name: "E74 a failure is remembered without the id of its job",
    system: "aws-batch",
    promises: ["R-verdict"],
    break: ({ job, right, client, task }) => ({
      async getJobStatus(id, ctx) {
        const failure = await ctx.taskStateStore?.get(FAILURE_KEY);
        if (typeof failure === "string") return failure;
        const status = await right.getJobStatus(id, ctx);
        const isFailure = !job.isJobActive(status) && !job.isJobSucceeded(status);
        if (isFailure) await ctx.taskStateStore?.set(FAILURE_KEY, status);
        return status;
      },
      /** Hides the bug: a second job is submitted only where no other runs or has succeeded. */
      async submitJob(ctx) {
        const own = (await client.find({ tag: task })).findLast(
          ({ status }) => job.isJobActive(status) || job.isJobSucceeded(status),
        );
        return own === undefined ? await right.submitJob(ctx) : textFromJobId(own.id);
      },
    }),
  },
  {
    name: "E111 an attempt believes of its second job what it was told of the first",
    system: "aws-batch",
    promises: ["R-verdict"],
    break({ job, right }) {
      let ended: string | undefined;
      const statusOf: typeof right.getJobStatus = async (id, ctx) => {
        if (ended !== undefined) return ended;
        const status = await right.getJobStatus(id, ctx);
        if (!job.isJobActive(status)) ended = status;
        return status;
      };
      return {
        getJobStatus: statusOf,
        async pollUntilComplete(id, ctx) {
          if (ended === undefined) return right.pollUntilComplete(id, ctx);
          if (!job.isJobSucceeded(ended)) throw new Error(`The job ended as "${ended}"`);
          return undefined;
        },
      };
    },
  },
];
