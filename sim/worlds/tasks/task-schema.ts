import { z } from "zod";
import type {
  FailOver,
  JobOperator,
  ReplicaLag,
  TaskOperation,
  TaskScenario,
  TaskSpec,
  SoftKill,
} from "./task-scenario.ts";
import type { ScenarioBase } from "../../codecs/scenario-parts.ts";
import { count } from "../../codecs/count.ts";
import { duration } from "../../codecs/duration.ts";
import { hostFault, siteFault } from "../../codecs/fault-codecs.ts";
import { NEVER, ratio } from "../../codecs/ratio.ts";
import { jobServer } from "../job-system-schema.ts";

const taskName = z.string().regex(/^[a-z][a-z0-9_-]*$/, {
  error: 'expected a name in small letters such as "nightly-report"',
});

const taskBase = {
  name: taskName.describe("The task's name."),
  runs: count.default(1).describe("How many runs the task has, one after the other."),
  every: duration
    .default(60_000)
    .describe("How long after its start a run is followed by the next, at the earliest."),
  overlap: z
    .boolean()
    .optional()
    .describe("Whether a run also starts while the run before it is not over; default false."),
  mapped: z
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe("How many map indices the task has; 0: it is not mapped."),
  retries: z
    .int()
    .min(0)
    .max(100)
    .default(3)
    .describe("How many times a failed attempt is retried."),
  retryDelay: duration.default(5_000).describe("How long a retry waits."),
  executionTimeout: duration
    .optional()
    .describe("How long an attempt may run before it is killed."),
  clearOnSuccess: z
    .boolean()
    .default(false)
    .describe("Whether the task's state is cleared when it succeeds."),
  retention: z
    .union([z.literal("never"), duration])
    .optional()
    .describe(
      "How long state entries live where a write does not say; without it: the store's default.",
    ),
};

const progressScope = z.enum(["task-instance", "task", "process", "asset", "xcom"]);

const JOB_OPERATORS = [
  "resumable",
  "resumable-twice",
  "resumable-checkpoint",
  "deferrable-resumable",
  "plain",
  "hand-written",
  "checkpoint",
  "deferrable",
] as const satisfies readonly JobOperator[];

const task: z.ZodType<TaskSpec, unknown> = z.discriminatedUnion("operator", [
  z.strictObject({
    ...taskBase,
    operator: z.literal("pages").describe("Loads pages and remembers the last one."),
    pages: count.default(10).describe("How many pages there are."),
    pageTakes: duration.default(0).describe("How long a page takes to load."),
    progressIn: progressScope.default("task-instance").describe("Where progress is kept."),
    progressAs: z
      .enum(["number", "lookalike"])
      .optional()
      .describe(
        'How progress is written: "number", the default, or "lookalike": as values that look like the references which a payload store has in the database.',
      ),
    reschedule: duration
      .optional()
      .describe(
        "After each page the task gives up its worker, as a sensor in reschedule mode does, and goes on so much later.",
      ),
  }),
  z.strictObject({
    ...taskBase,
    operator: z
      .literal("watermark")
      .describe("Loads the rows that arrived since the last watermark."),
    progressIn: progressScope.default("task").describe("Where the watermark is kept."),
    progressAs: z
      .literal("model")
      .optional()
      .describe(
        "The watermark is the value of AIP-30's TaskState, TaskInstanceState or ProcessState.",
      ),
    rowsEvery: duration.default(5_000).describe("How often rows arrive at the source."),
    writes: z
      .enum(["set", "raise"])
      .optional()
      .describe(
        'How the watermark is written: "set", the default, or "raise": by compare-and-set, unless a higher one is there.',
      ),
  }),
  z.strictObject({
    ...taskBase,
    operator: z
      .literal("scratch")
      .describe("Keeps pieces of its work for times of their own, and removes them itself."),
    pieces: count.default(4).describe("How many pieces there are."),
    works: duration.default(30_000).describe("How long it works on them."),
    clearsAll: z
      .boolean()
      .default(false)
      .describe("Whether it clears the state of all its map indices, or only its own."),
  }),
  z.strictObject({
    ...taskBase,
    operator: z
      .enum(JOB_OPERATORS)
      .describe(
        "How the task runs a job in the external system: with the mixin, with a checkpoint, deferred, or without any of them.",
      ),
    externalIdKey: z
      .string()
      .min(1)
      .default("remote_job_id")
      .describe("The state key under which the job's id is stored."),
    durable: z.boolean().default(true).describe("Whether the job's id is stored at all."),
    pollEvery: duration.default(5_000).describe("How often the job's status is polled."),
    deferralTimeout: duration
      .optional()
      .describe("How long a deferral waits for its trigger; without it, for as long as it takes."),
  }),
]);

const softKill: z.ZodType<SoftKill, unknown> = z.strictObject({
  at: duration.describe("The virtual time at which the fault strikes."),
  softKill: z.string().describe("The worker that gets SIGTERM."),
  category: z
    .enum(["infrastructure", "timeout", "user"])
    .default("infrastructure")
    .describe("Why it is killed."),
  grace: duration.default(30_000).describe("How long it may still run."),
  restartAfter: duration.default(3_000).describe("How long it stays down."),
});

const replicaLag: z.ZodType<ReplicaLag, unknown> = z.strictObject({
  at: duration.describe("The virtual time at which the fault strikes."),
  lag: z
    .literal("database")
    .describe("The database of which a replica lags; attempts read the state store there."),
  by: duration.describe("How far the replica is behind: reads get what was committed before that."),
  for: duration.describe("How long the fault lasts."),
});

const failOver: z.ZodType<FailOver, unknown> = z.strictObject({
  at: duration.describe("The virtual time at which the fault strikes."),
  failOver: z.literal("database").describe("The database that fails, and a replica takes over."),
  losing: duration.describe(
    "What was committed in this time before it is lost, though it was acknowledged.",
  ),
  downFor: duration.default(3_000).describe("How long the replica takes to take over."),
});

const operation: z.ZodType<TaskOperation, unknown> = z.union([
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    clear: z
      .string()
      .describe('The task instance that a user clears, such as "pages/run-1" or "pages/run-1[2]".'),
    keepState: z.boolean().default(true).describe("Whether its state is kept."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    stop: z.string().describe("The task instance that a user stops."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation, or until all runs are over."),
    remove: taskName.describe(
      "The task that is removed from its DAG, so that no DAG declares its asset any more.",
    ),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    rewind: taskName.describe(
      "The task whose watermark a user sets back, to have the rows after it loaded again.",
    ),
    to: z.int().min(0).describe("The new watermark; one that is there and lower stays."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    trigger: taskName.describe(
      "The task with a watermark of which a user triggers a run by hand, whatever else runs.",
    ),
    logicalDate: duration.describe(
      "The virtual time that the run is for: it loads what arrived in the interval before it.",
    ),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    deploy: taskName.describe(
      "The task of which new code is deployed; attempts that begin later run it.",
    ),
    taskId: taskName.optional().describe("The task's new id."),
    externalIdKey: z.string().min(1).optional().describe("The new state key of the job's id."),
    durable: z.boolean().optional().describe("Whether the job's id is stored from now on."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    migrate: z
      .literal("database")
      .describe(
        "The database in which a column of the state store is renamed, while one worker after the other is replaced by one of the release that knows the new name.",
      ),
    every: duration.default(20_000).describe("How long after a worker the next one is replaced."),
  }),
]);

type TaskShape = {
  readonly [Member in Exclude<keyof TaskScenario, keyof ScenarioBase>]-?: z.ZodType<
    TaskScenario[Member],
    unknown
  >;
};

/** Scheduler, workers, API server, metadata database and tasks, as a scenario file says them. */
export const taskMembers: TaskShape = {
  world: z
    .literal("tasks")
    .describe(
      "A scheduler, workers, an API server, a metadata database and an external job system.",
    ),
  workers: count
    .max(16)
    .default(1)
    .describe("How many workers there are: worker-1, worker-2, and so on."),
  tasks: z.array(task).min(1).describe("The tasks that are run."),
  jobServer: jobServer.prefault({}).describe("The external system that jobs are submitted to."),
  schedulerEvery: duration.default(1_000).describe("How often the scheduler loops."),
  heartbeat: duration
    .default(5_000)
    .describe("How often a worker sends a heartbeat for its attempt."),
  deadAfter: duration
    .default(30_000)
    .describe("How long an attempt may go without a heartbeat before it is declared dead."),
  heartbeatFailures: z
    .int()
    .min(0)
    .default(3)
    .describe(
      "After how many failed heartbeats in a row a worker kills its own attempt; 0: never.",
    ),
  grace: duration.default(10_000).describe("How long a killed attempt may still run."),
  sweep: z
    .strictObject({
      every: duration.default(60_000).describe("How often."),
      batchSize: count.default(100).describe("How many entries one delete takes."),
      grace: duration
        .default(0)
        .describe("Entries that expired less than this ago are left alone."),
    })
    .optional()
    .describe("Deletes expired state entries at intervals; without it there is no sweep."),
  dashboard: z
    .strictObject({
      every: duration.default(2_000).describe("How often."),
      notes: z
        .boolean()
        .default(false)
        .describe("Whether they also write, change and delete entries of their own there."),
    })
    .optional()
    .describe(
      "Somebody looks at the state of one task or another over HTTP; without it nobody does.",
    ),
  payloads: z
    .strictObject({
      inlineChars: z
        .int()
        .min(0)
        .default(16_384)
        .describe("The longest JSON text, in characters, that stays in the database."),
    })
    .optional()
    .describe(
      "Workers keep larger values in a payload store, with a reference in the database; without it all values are kept in the database.",
    ),
  operations: z.array(operation).default([]).describe("What users and operators do."),
  faults: z
    .array(z.union([siteFault, hostFault, softKill, replicaLag, failOver]))
    .default([])
    .describe("The faults that strike, at calls or at times."),
  storm: z
    .strictObject({
      crashes: ratio.default(NEVER).describe("The probability that a host crashes, per minute."),
      pauses: ratio.default(NEVER).describe("The probability that a host stalls, per minute."),
      cuts: ratio
        .default(NEVER)
        .describe("The probability that a host is cut off from another, per minute."),
      softKills: ratio
        .default(NEVER)
        .describe("The probability that a worker gets SIGTERM, per minute."),
    })
    .optional()
    .describe("Random faults in addition to those listed, each at a rate per virtual minute."),
};
