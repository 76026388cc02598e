import { z } from "zod";
import { JOB_SYSTEM_NAMES } from "../jobs/presets.ts";
import type {
  JobOperator,
  TaskOperation,
  TaskScenario,
  TaskSpec,
  SoftKill,
} from "./task-scenario.ts";
import type { ScenarioBase } from "./scenario-parts.ts";
import { count, duration, hostFault, NEVER, ratio, siteFault } from "./schema-parts.ts";

const taskName = z.string().regex(/^[a-z][a-z0-9_-]*$/, {
  error: 'expected a name in small letters such as "nightly-report"',
});

const taskBase = {
  name: taskName,
  runs: count.default(1),
  every: duration.default(60_000),
  mapped: z.int().min(0).max(100).default(0),
  retries: z.int().min(0).max(100).default(3),
  retryDelay: duration.default(5_000),
  executionTimeout: duration.optional(),
  clearOnSuccess: z.boolean().default(false),
  retention: z.union([z.literal("never"), duration]).optional(),
};

const progressScope = z.enum(["task-instance", "task", "process", "asset", "xcom"]);

const jobServer = z.strictObject({
  system: z.enum(JOB_SYSTEM_NAMES).default("aws-batch"),
  takes: z.strictObject({ min: duration, max: duration }).optional(),
  failFirst: z.int().min(0).optional(),
  failureRate: ratio.optional(),
  restartForgets: z.boolean().optional(),
});

const JOB_OPERATORS = [
  "resumable",
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
    operator: z.literal("pages"),
    pages: count.default(10),
    pageTakes: duration.default(0),
    progressIn: progressScope.default("task-instance"),
  }),
  z.strictObject({
    ...taskBase,
    operator: z.literal("watermark"),
    progressIn: progressScope.default("task"),
    rowsEvery: duration.default(5_000),
  }),
  z.strictObject({
    ...taskBase,
    operator: z.enum(JOB_OPERATORS),
    externalIdKey: z.string().min(1).default("remote_job_id"),
    durable: z.boolean().default(true),
    pollEvery: duration.default(5_000),
  }),
]);

const softKill: z.ZodType<SoftKill, unknown> = z.strictObject({
  at: duration,
  softKill: z.string(),
  category: z.enum(["infrastructure", "timeout", "user"]).default("infrastructure"),
  grace: duration.default(30_000),
  restartAfter: duration.default(3_000),
});

const operation: z.ZodType<TaskOperation, unknown> = z.union([
  z.strictObject({ at: duration, clear: z.string(), keepState: z.boolean().default(true) }),
  z.strictObject({ at: duration, stop: z.string() }),
  z.strictObject({
    at: duration,
    deploy: taskName,
    taskId: taskName.optional(),
    externalIdKey: z.string().min(1).optional(),
    durable: z.boolean().optional(),
  }),
]);

type TaskWorldShape = {
  readonly [Member in Exclude<keyof TaskScenario, keyof ScenarioBase>]-?: z.ZodType<
    TaskScenario[Member],
    unknown
  >;
};

/** Scheduler, workers, API server, metadata database and tasks, as a scenario file says them. */
export const taskWorld: TaskWorldShape = {
  world: z.literal("tasks"),
  workers: count.max(16).default(1),
  tasks: z.array(task).min(1),
  jobServer: jobServer.prefault({}),
  schedulerEvery: duration.default(1_000),
  heartbeat: duration.default(5_000),
  deadAfter: duration.default(30_000),
  heartbeatFailures: z.int().min(0).default(3),
  grace: duration.default(10_000),
  sweep: z
    .strictObject({
      every: duration.default(60_000),
      batchSize: count.default(100),
      grace: duration.default(0),
    })
    .optional(),
  operations: z.array(operation).default([]),
  faults: z.array(z.union([siteFault, hostFault, softKill])).default([]),
  storm: z
    .strictObject({
      crashes: ratio.default(NEVER),
      pauses: ratio.default(NEVER),
      cuts: ratio.default(NEVER),
      softKills: ratio.default(NEVER),
    })
    .optional(),
};
