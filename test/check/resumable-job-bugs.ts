import type {
  CheckedJob,
  CreateJob,
  JobSurroundings,
} from "../../sim/worlds/operator/operator-under-test.ts";
import type { JobClient } from "../../sim/jobs/job-client.ts";
import type { JobSystemKnobs } from "../../sim/jobs/job-knobs.ts";
import type { JobId } from "../../sim/jobs/job-id.ts";
import { JobNotFound, JobRejected } from "../../sim/jobs/job-errors.ts";
import type { JobSystemName } from "../../sim/jobs/presets.ts";
import { PresetJob, type StoredJobId } from "../../sim/workloads/preset-job.ts";
import type { ExecutionContext, TaskContext } from "../../src/operator/mod.ts";
import { JobFailed } from "../../src/resumable/mod.ts";
import { sleep } from "../../src/time/mod.ts";

/** A job as its author wrote it, and the parts that its bugs are made of. */
interface Parts extends JobSurroundings {
  readonly job: PresetJob;
  readonly right: Required<
    Omit<CheckedJob, "createTrigger" | "execute" | "externalIdKey" | "durable">
  >;
  readonly client: JobClient;
}

export interface PlantedJobBug {
  readonly name: string;
  readonly system: JobSystemName;
  readonly knobs?: Partial<JobSystemKnobs>;
  /** Any of these names it rightly. */
  readonly promises: readonly string[];
  readonly break: (parts: Parts) => Partial<CheckedJob>;
}

/** The example operator of a system, whole. */
export function rightJobOn(system: JobSystemName): CreateJob {
  return (client, surroundings) => partsOf(system, client, surroundings).right;
}

export function brokenJobOn({ system, break: broken }: PlantedJobBug): CreateJob {
  return (client, surroundings) => {
    const parts = partsOf(system, client, surroundings);
    return { ...parts.right, ...broken(parts) };
  };
}

function partsOf(system: JobSystemName, client: JobClient, surroundings: JobSurroundings): Parts {
  const { clock, task } = surroundings;
  const job = new PresetJob(client, clock, { system, name: task });
  const right = {
    submitJob: () => job.submitJob(),
    getJobStatus: (id: unknown, ctx: TaskContext) => job.getJobStatus(id as StoredJobId, ctx),
    isJobActive: (status: string) => job.isJobActive(status),
    isJobSucceeded: (status: string) => job.isJobSucceeded(status),
    pollUntilComplete: (id: unknown, ctx: TaskContext) =>
      job.pollUntilComplete(id as StoredJobId, ctx),
    getJobResult: (id: unknown, ctx: TaskContext) => job.getJobResult(id as StoredJobId, ctx),
    onKill: async (executionContext: ExecutionContext | null) => {
      if (executionContext?.category !== "infrastructure") await job.cancel();
    },
  };
  return { ...surroundings, job, right, client };
}

/** A poll by nothing but `getJobStatus` and the predicates, and a kill that knows its job. */
export function polling(
  job: Pick<CheckedJob, "getJobStatus" | "isJobActive" | "isJobSucceeded">,
  { clock, client }: Parts,
): Pick<Required<CheckedJob>, "pollUntilComplete" | "onKill"> {
  let polled: unknown;
  return {
    async pollUntilComplete(id, ctx) {
      polled = id;
      for (;;) {
        const status = await job.getJobStatus(id, ctx);
        if (await job.isJobSucceeded(status)) return;
        if (!(await job.isJobActive(status))) throw new JobFailed(id, status);
        await sleep(clock, 5_000, ctx.signal);
      }
    },
    async onKill(executionContext) {
      const isKept = polled === undefined || executionContext?.category === "infrastructure";
      if (!isKept) await client.cancel(polled);
    },
  };
}

/** How a job is found again by its id alone, whoever's it is. */
function lookedUpById({
  right: { isJobActive, isJobSucceeded },
  client,
}: Parts): Pick<Parts["right"], "getJobStatus" | "isJobActive" | "isJobSucceeded"> {
  const getJobStatus = (id: unknown): Promise<string> =>
    statusOr("NOT_FOUND", () => client.status(id));
  return { getJobStatus, isJobActive, isJobSucceeded };
}

async function statusOr(word: string, ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof JobNotFound) return word;
    throw error;
  }
}

const POD = { namespace: "jobs", name: "load" };

/** The known bugs (E1 to E72) that a user's own job can have. */
export const PLANTED_JOB_BUGS: readonly PlantedJobBug[] = [
  {
    name: "E1 submitJob waits for the job, so that its id is persisted after the poll",
    system: "spark-on-yarn",
    promises: ["R-I2", "R-I1"],
    break: ({ right }) => ({
      async submitJob(ctx) {
        const id = await right.submitJob(ctx);
        await right.pollUntilComplete(id, ctx);
        return id;
      },
    }),
  },
  {
    name: "E2 waiting states are missing from isJobActive",
    system: "databricks",
    promises: ["R-I3"],
    break: () => ({
      isJobActive: (status) => ["PENDING", "QUEUED", "RUNNING", "TERMINATING"].includes(status),
    }),
  },
  {
    name: "E3 an unknown status is treated as terminal",
    system: "spark-standalone",
    promises: ["R-I5"],
    break: () => ({
      isJobActive: (status) => ["SUBMITTED", "RUNNING", "RELAUNCHING"].includes(status),
    }),
  },
  {
    name: "E4 a status lookup that fails is taken for a missing job",
    system: "spark-on-yarn",
    promises: ["R-I5"],
    break: ({ right }) => ({
      async getJobStatus(id, ctx) {
        try {
          return await right.getJobStatus(id, ctx);
        } catch {
          return "NOT_FOUND";
        }
      },
    }),
  },
  {
    name: "E5 truthiness of the id: Livy's first batch is 0",
    system: "livy",
    promises: ["R-I3"],
    break: ({ right }) => ({
      getJobStatus: (id, ctx) => (id ? right.getJobStatus(id, ctx) : "NOT_FOUND"),
    }),
  },
  {
    name: "E7 the external id key is renamed between attempts",
    system: "anthropic-batches",
    promises: ["R-I3"],
    break: ({ tryNumber }) => ({ externalIdKey: `job_id_${tryNumber}` }),
  },
  {
    name: "E8 an XCom is pushed between submit and persist",
    system: "anthropic-batches",
    promises: ["R-I1"],
    break: ({ right, xcom }) => ({
      async submitJob(ctx) {
        const id = await right.submitJob(ctx);
        await xcom.push("batch_id", id);
        return id;
      },
    }),
  },
  {
    name: "E17 the first pod with our label is taken for ours, a failed one of before",
    system: "kubernetes-pod",
    promises: ["R-I3", "R-I4"],
    break: ({ right, client, task }) => ({
      async getJobStatus(id, ctx) {
        const status = await right.getJobStatus(id, ctx);
        const [pod] = await client.find({ tag: task });
        return pod?.status ?? status;
      },
    }),
  },
  {
    name: "E18 a fixed pod name, and whoever holds it is taken for ours",
    system: "kubernetes-pod",
    // A pod that has ended is deleted by whoever wants its name, and by nobody else.
    knobs: { nameReuse: true, objectVanishes: undefined },
    promises: ["R-I19"],
    break: (parts) => {
      const { right, client } = parts;
      const job = {
        isJobActive: right.isJobActive,
        isJobSucceeded: right.isJobSucceeded,
        getJobStatus: () => statusOr("NOT_FOUND", () => client.status(POD)),
      };
      return {
        ...job,
        async submitJob() {
          await client.submit({ jobType: "batch", clientId: POD.name }).catch((error: Error) => {
            if (error.name !== "JobConflict") throw error;
          });
          return POD;
        },
        ...polling(job, parts),
      };
    },
  },
  {
    name: "E18 an id that a restarted server has given to somebody else is taken for ours",
    system: "livy",
    promises: ["R-I19"],
    break: (parts) => {
      const { right, client, clock } = parts;
      const job = {
        isJobActive: right.isJobActive,
        isJobSucceeded: right.isJobSucceeded,
        async getJobStatus(id: unknown) {
          const status = await statusOr("NOT_FOUND", () => client.status(id));
          if (status !== "NOT_FOUND") return status;
          await sleep(clock, 10_000);
          return statusOr("NOT_FOUND", () => client.status(id));
        },
      };
      return {
        ...job,
        ...polling(job, parts),
        getJobResult: async (id) => (await client.result(id)).output,
      };
    },
  },
  {
    name: "E19 a history scan takes its first match of any state",
    system: "aws-batch",
    promises: ["R-I3", "R-settled"],
    break: ({ client, task }) => ({
      async getJobStatus() {
        const [first] = await client.find({ tag: task });
        return first?.status ?? "NOT_FOUND";
      },
    }),
  },
  {
    name: "E20 a self-inflicted STOPPED is read as success",
    system: "glue",
    promises: ["R-I20", "R-settled"],
    break: ({ right, client }) => ({
      isJobSucceeded: (status) => status === "STOPPED" || right.isJobSucceeded(status),
      getJobResult: async (id) => (await client.describe(id)).status,
    }),
  },
  {
    name: "E23 what getJobResult needs is remembered by the poll only",
    system: "snowflake",
    promises: ["R-I20"],
    break: ({ right }) => {
      let result: unknown;
      return {
        async pollUntilComplete(id, ctx) {
          await right.pollUntilComplete(id, ctx);
          result = await right.getJobResult(id, ctx);
        },
        getJobResult: () => result,
      };
    },
  },
  {
    name: "E24 a fixed idempotency key, also on a resubmit",
    system: "dataproc",
    promises: ["R-settled"],
    break: ({ client, task }) => ({
      submitJob: () => client.submit({ jobType: "batch", tag: task, idempotencyKey: task }),
    }),
  },
  {
    name: "E24 an idempotency key that names the task, and not its run",
    system: "databricks",
    promises: ["R-I19"],
    break: ({ client, ...surroundings }) =>
      partsOf("databricks", client, { ...surroundings, task: "load" }).right,
  },
  {
    name: "E25 a random job id each attempt defeats the reattach on a conflict",
    system: "bigquery",
    promises: ["R-I1"],
    break: ({ client, task }) => ({
      submitJob: () =>
        client.submit({
          jobType: "batch",
          tag: task,
          clientId: `${task}-${Math.floor(Math.random() * 1e9)}`,
        }),
    }),
  },
  {
    name: "E28 a conflict after an ambiguous submit is read as a failure",
    system: "bigquery",
    promises: ["R-settled"],
    break: ({ client, task }) => ({
      submitJob: () => client.submit({ jobType: "batch", tag: task, clientId: task }),
    }),
  },
  {
    name: "E29 an id made from the time",
    system: "trigger-dag-run",
    promises: ["R-I1"],
    break: ({ client, task }) => ({
      submitJob: () =>
        client.submit({ jobType: "batch", tag: task, clientId: `manual__${Date.now()}` }),
    }),
  },
  {
    name: "E30 a job that is not found yet is taken for gone",
    system: "aws-batch",
    promises: ["R-I3"],
    break: ({ client }) => ({
      getJobStatus: (id) => statusOr("NOT_FOUND", () => client.status(id)),
    }),
  },
  {
    name: "E61 a 64-bit id goes through a number",
    system: "databricks",
    promises: ["R-I3", "R-I19", "R-settled"],
    break: (parts) => {
      const { client, task } = parts;
      const job = lookedUpById(parts);
      return {
        ...job,
        submitJob: async () => Number(await client.submit({ jobType: "batch", tag: task })),
        ...polling(job, parts),
        getJobResult: (id) => client.result(id),
      };
    },
  },
  {
    name: "B22 a 64-bit id is handed to a store of JSON as it is",
    system: "databricks",
    promises: ["R-I1"],
    break: ({ client, task }) => ({
      submitJob: () => client.submit({ jobType: "batch", tag: task }),
    }),
  },
  {
    name: "E62 DONE is treated as success",
    system: "bigquery",
    promises: ["R-I20", "R-settled"],
    break: (parts) => {
      const { right } = parts;
      const job = {
        isJobActive: right.isJobActive,
        isJobSucceeded: (status: string) => status.startsWith("DONE"),
        getJobStatus: right.getJobStatus,
      };
      return { ...job, ...polling(job, parts) };
    },
  },
  {
    name: "E65 a pod that is gone when the retry asks is run again, though it had succeeded",
    system: "spark-on-kubernetes",
    promises: ["R-I4"],
    break: ({ job }) => ({
      getJobStatus: (id) => job.getJobStatus(id as StoredJobId),
      getJobResult: (id) => job.getJobResult(id as StoredJobId),
    }),
  },
  {
    name: "E66 a pod that vanished is cached as succeeded",
    system: "spark-on-kubernetes",
    promises: ["R-I20"],
    break: (parts) => {
      const { right } = parts;
      const job = {
        getJobStatus: right.getJobStatus,
        isJobActive: right.isJobActive,
        isJobSucceeded: (status: string) => ["Succeeded", "NOT_FOUND"].includes(status),
      };
      return { ...job, ...polling(job, parts), getJobResult: () => "done" };
    },
  },
  {
    name: "E68 a retry submits again where one job may run at a time",
    system: "glue",
    promises: ["R-settled"],
    break: ({ client, task }) => ({
      submitJob: () => client.submit({ jobType: "batch", tag: task }),
    }),
  },
  {
    name: "E68 where one job may run at a time, the one that runs is taken for ours",
    system: "glue",
    promises: ["R-I19"],
    break: (parts) => {
      const { right, client } = parts;
      const job = lookedUpById(parts);
      return {
        ...job,
        ...polling(job, parts),
        async submitJob(ctx) {
          try {
            return await right.submitJob(ctx);
          } catch (error) {
            const [running] = await client.find({ last: 1 });
            if (!(error instanceof JobRejected) || running === undefined) throw error;
            return running.id;
          }
        },
        getJobResult: async (id) => (await client.result(id)).output,
      };
    },
  },
  {
    name: "E69 a poll that meets a transient error cancels the job",
    system: "anthropic-batches",
    promises: ["R-I14"],
    break: (parts) => {
      const { right, client } = parts;
      const getJobStatus = (id: unknown): Promise<string> => client.status(id);
      const poll = polling({ ...right, getJobStatus }, parts);
      return {
        ...poll,
        async pollUntilComplete(id, ctx) {
          try {
            await poll.pollUntilComplete(id, ctx);
          } catch (error) {
            if (!(error instanceof JobFailed)) await client.cancel(id);
            throw error;
          }
        },
      };
    },
  },
  {
    name: "I6 an earlier job of the same tag is stored for the new one",
    system: "dbt-cloud",
    promises: ["R-I6", "R-I1"],
    break: ({ right, client, task }) => ({
      async submitJob(ctx) {
        await right.submitJob(ctx);
        const [first] = await client.find({ tag: task });
        return first?.id;
      },
    }),
  },
  {
    name: "I19 the result is that of the newest job of the type",
    system: "emr-on-eks",
    promises: ["R-I19"],
    break: ({ client, job }) => ({
      async getJobResult() {
        const jobs = await client.find({ jobType: "batch" });
        const newest = jobs.findLast(({ status }) => job.isJobSucceeded(status));
        return (await client.result(newest?.id)).output;
      },
    }),
  },
  {
    name: "the id is deleted when the job has succeeded",
    system: "aws-batch",
    promises: ["R-I1"],
    break: (parts) => ({
      async pollUntilComplete(id, ctx) {
        await parts.right.pollUntilComplete(id, ctx);
        await ctx.taskStateStore?.delete("remote_job_id");
      },
    }),
  },
  {
    name: "I14 every kill cancels the job",
    system: "aws-batch",
    promises: ["R-I14"],
    break: ({ job }) => ({ onKill: () => job.cancel() }),
  },
  {
    name: "E57 no kill cancels the job",
    system: "aws-batch",
    promises: ["R-I14"],
    break: () => ({ onKill: () => undefined }),
  },
  {
    name: "B56 after a reconnect the job to cancel is not known",
    system: "dbt-cloud",
    promises: ["R-I14"],
    break: ({ right, client }) => {
      let submitted: JobId | undefined;
      return {
        async submitJob(ctx) {
          submitted = (await right.submitJob(ctx)) as JobId;
          return submitted;
        },
        async onKill(executionContext) {
          if (submitted === undefined || executionContext?.category === "infrastructure") return;
          await client.cancel(submitted);
        },
      };
    },
  },
  {
    name: "E81 no id becomes a text, and is stored as if it were one",
    system: "webhook",
    promises: ["R-I3", "R-I4"],
    break: ({ right, client }) => ({
      async submitJob(ctx) {
        return String(await right.submitJob(ctx));
      },
      getJobStatus: (id) => statusOr("failed", () => client.status(id)),
      pollUntilComplete: (_id, ctx) => right.pollUntilComplete(null, ctx),
      getJobResult: () => null,
    }),
  },
  {
    name: "a kill cancels the first of several statements, and the others run on",
    system: "snowflake",
    promises: ["R-I14"],
    break: ({ right, client }) => {
      let polled: readonly string[] = [];
      return {
        pollUntilComplete(ids, ctx) {
          polled = ids as readonly string[];
          return right.pollUntilComplete(ids, ctx);
        },
        async onKill(executionContext) {
          if (executionContext?.category === "infrastructure") return;
          if (polled.length > 0) await client.cancel(polled.slice(0, 1));
        },
      };
    },
  },
  {
    name: "it is not durable, and stores its id all the same",
    system: "aws-batch",
    promises: ["R-durable"],
    break: ({ right }) => ({
      durable: false,
      async execute(ctx) {
        const id = await right.submitJob(ctx);
        await ctx.taskStateStore?.set("remote_job_id", id as string);
        await right.pollUntilComplete(id, ctx);
        return right.getJobResult(id, ctx);
      },
    }),
  },
  {
    name: "a heartbeat in a timer throws",
    system: "livy",
    promises: ["uncaught"],
    break: ({ right }) => ({
      async submitJob(ctx) {
        const id = await right.submitJob(ctx);
        setTimeout(() => {
          throw new RangeError("No heartbeat");
        }, 1_000);
        return id;
      },
    }),
  },
];

/** Bugs that show where nothing befalls the run, which a search that draws faults never makes. */
export const CALM_JOB_BUGS: readonly PlantedJobBug[] = [
  {
    name: "the first fetch of a result asks for another job, and a retry repairs it",
    system: "aws-batch",
    promises: ["R-recovers"],
    break: ({ right, tryNumber }) => ({
      getJobResult: (id, ctx) => right.getJobResult(tryNumber === 1 ? `${String(id)}/1` : id, ctx),
    }),
  },
];
