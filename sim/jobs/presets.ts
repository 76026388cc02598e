import { checkedOptions } from "../../src/checked-options.ts";
import { type Idempotency, type JobSystemKnobs, TAME_SYSTEM } from "./job-knobs.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A second submit with the same key returns the first job, however that ended. */
const RETURNS_FIRST: Idempotency = {
  kind: "return-existing",
  windowMs: DAY_MS,
  evenIfTerminal: true,
};
/** Pods are deleted some time after they have succeeded. */
const CLEANED_UP = { on: "success", afterMs: 600 * SECOND_MS } as const;
const CONFLICTS: Idempotency = { kind: "conflict-409" };

/** The names of the job systems that `checkResumableJob` and scenarios can simulate. */
export type JobSystemName =
  | "spark-standalone"
  | "spark-on-yarn"
  | "spark-on-kubernetes"
  | "kubernetes-pod"
  | "livy"
  | "databricks"
  | "bigquery"
  | "snowflake"
  | "redshift-data"
  | "glue"
  | "emr-serverless"
  | "emr-on-eks"
  | "emr-step"
  | "aws-batch"
  | "sagemaker"
  | "dataproc"
  | "data-fusion"
  | "dbt-cloud"
  | "airbyte"
  | "snowpark-containers"
  | "anthropic-batches"
  | "trigger-dag-run"
  | "webhook";

/**
 * The job systems by name: how each differs from {@linkcode TAME_SYSTEM}.
 *
 * Two-part states are joined by "/". A rate is 0 unless the system is known for that behaviour. Some
 * details (how long finished jobs are kept, some words and keys) were not verified with the real
 * system: give {@linkcode jobSystemKnobs} other values where they matter.
 */
const PRESETS: Readonly<Record<JobSystemName, Partial<JobSystemKnobs>>> = {
  "spark-standalone": {
    statusVocabulary: {
      active: ["SUBMITTED", "RUNNING", "RELAUNCHING"],
      success: ["FINISHED"],
      failure: ["FAILED", "ERROR", "KILLED"],
      // Reported for running jobs while the master fails over.
      unmapped: ["UNKNOWN"],
    },
    unknownBursts: { rate: { numerator: 1, denominator: 50 }, lengthMs: 20 * SECOND_MS },
    serverRestartForgets: true,
  },
  "spark-on-yarn": {
    statusVocabulary: {
      active: ["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING"],
      success: ["SUCCEEDED"],
      failure: ["FAILED", "KILLED"],
      unmapped: [],
    },
    retention: { kind: "count", count: 1_000 },
  },
  "spark-on-kubernetes": {
    idKind: "object",
    statusVocabulary: {
      active: ["Pending", "Running"],
      success: ["Succeeded"],
      failure: ["Failed"],
      unmapped: ["Unknown"],
    },
    idempotency: CONFLICTS,
    objectVanishes: CLEANED_UP,
    retention: { kind: "count", count: 100 },
  },
  "kubernetes-pod": {
    idKind: "object",
    statusVocabulary: {
      active: ["Pending", "Running"],
      success: ["Succeeded"],
      failure: ["Failed"],
      unmapped: ["Unknown"],
    },
    idempotency: CONFLICTS,
    objectVanishes: CLEANED_UP,
    retention: { kind: "time", ms: HOUR_MS },
  },
  livy: {
    idKind: "int-from-0",
    statusVocabulary: {
      active: ["not_started", "starting", "recovering", "idle", "running", "busy", "shutting_down"],
      success: ["success"],
      failure: ["error", "dead", "killed"],
      unmapped: [],
    },
    serverRestartForgets: true,
    idReset: true,
  },
  databricks: {
    idKind: "bigint64",
    statusVocabulary: {
      active: ["PENDING", "QUEUED", "RUNNING", "BLOCKED", "WAITING_FOR_RETRY", "TERMINATING"],
      success: ["TERMINATED/SUCCESS"],
      failure: ["TERMINATED/FAILED", "INTERNAL_ERROR/FAILED", "SKIPPED/"],
      unmapped: [],
      cancelling: "TERMINATING",
      cancelled: "TERMINATED/CANCELED",
    },
    idempotency: RETURNS_FIRST,
    cancel: { kind: "async", delayMs: 10 * SECOND_MS },
    retention: { kind: "time", ms: 60 * DAY_MS },
  },
  bigquery: {
    idKind: "client-chosen",
    statusVocabulary: {
      active: ["PENDING", "RUNNING"],
      success: ["DONE"],
      failure: ["DONE/errorResult"],
      unmapped: [],
      cancelled: "DONE/errorResult",
    },
    idempotency: CONFLICTS,
    flappingTerminal: { rate: { numerator: 1, denominator: 50 }, lengthMs: 3 * SECOND_MS },
  },
  snowflake: {
    idKind: "list",
    submitLatencyMs: 45 * SECOND_MS,
    statusVocabulary: {
      active: ["queued", "running"],
      success: ["success"],
      failure: ["error"],
      unmapped: [],
    },
    idempotency: RETURNS_FIRST,
    result: { ttlMs: DAY_MS, idempotentFetch: true },
  },
  "redshift-data": {
    statusVocabulary: {
      active: ["SUBMITTED", "PICKED", "STARTED"],
      success: ["FINISHED"],
      failure: ["FAILED", "ABORTED"],
      unmapped: [],
    },
    idempotency: RETURNS_FIRST,
    result: { ttlMs: DAY_MS, idempotentFetch: true },
  },
  glue: {
    concurrencyLimit: 1,
    statusVocabulary: {
      active: ["STARTING", "RUNNING", "WAITING"],
      success: ["SUCCEEDED"],
      failure: ["FAILED", "TIMEOUT", "ERROR", "EXPIRED"],
      unmapped: [],
      cancelling: "STOPPING",
      // It does not say who stopped it, or whether it was finished: a failure.
      cancelled: "STOPPED",
    },
    retention: { kind: "time", ms: 90 * DAY_MS },
  },
  "emr-serverless": {
    statusVocabulary: {
      active: ["SUBMITTED", "QUEUED", "PENDING", "SCHEDULED", "RUNNING"],
      success: ["SUCCESS"],
      failure: ["FAILED", "CANCELLED"],
      unmapped: [],
      cancelling: "CANCELLING",
    },
    idempotency: RETURNS_FIRST,
  },
  "emr-on-eks": {
    statusVocabulary: {
      active: ["PENDING", "SUBMITTED", "RUNNING"],
      success: ["COMPLETED"],
      failure: ["FAILED", "CANCELLED"],
      unmapped: [],
      cancelling: "CANCEL_PENDING",
    },
    idempotency: RETURNS_FIRST,
  },
  "emr-step": {
    idKind: "composite",
    statusVocabulary: {
      active: ["PENDING", "RUNNING"],
      success: ["COMPLETED"],
      failure: ["FAILED", "INTERRUPTED", "CANCELLED"],
      unmapped: [],
      cancelling: "CANCEL_PENDING",
    },
    serverRestartForgets: true,
  },
  "aws-batch": {
    statusVocabulary: {
      active: ["SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING"],
      success: ["SUCCEEDED"],
      failure: ["FAILED"],
      unmapped: [],
    },
    retention: { kind: "time", ms: 7 * DAY_MS },
  },
  // Training jobs: their names are chosen by the client, and never free again.
  sagemaker: {
    idKind: "client-chosen",
    statusVocabulary: {
      active: ["InProgress"],
      success: ["Completed"],
      failure: ["Failed"],
      unmapped: [],
      cancelling: "Stopping",
      cancelled: "Stopped",
    },
    idempotency: CONFLICTS,
    cancel: { kind: "async", delayMs: 60 * SECOND_MS },
  },
  dataproc: {
    statusVocabulary: {
      active: ["PENDING", "SETUP_DONE", "RUNNING"],
      success: ["DONE"],
      failure: ["ERROR", "CANCELLED"],
      unmapped: [],
      cancelling: "CANCEL_STARTED",
    },
    idempotency: RETURNS_FIRST,
    serverSideRetry: {
      rate: { numerator: 1, denominator: 2 },
      delayMs: 5 * SECOND_MS,
      status: "ATTEMPT_FAILURE",
    },
  },
  "data-fusion": {
    statusVocabulary: {
      active: ["PENDING", "STARTING", "RUNNING", "SUSPENDED", "RESUMING"],
      success: ["COMPLETED"],
      failure: ["FAILED", "REJECTED", "KILLED"],
      // New versions have new words; a word in neither set above means that the job is running.
      unmapped: ["REBALANCING"],
    },
  },
  "dbt-cloud": {
    idKind: "int-from-0",
    statusVocabulary: {
      active: ["1", "2", "3"],
      success: ["10"],
      failure: ["20"],
      unmapped: [],
      cancelled: "30",
    },
  },
  airbyte: {
    idKind: "int-from-0",
    concurrencyLimit: 1,
    statusVocabulary: {
      active: ["pending", "running"],
      success: ["succeeded"],
      failure: ["failed", "cancelled"],
      unmapped: [],
    },
    serverSideRetry: {
      rate: { numerator: 1, denominator: 2 },
      delayMs: 5 * SECOND_MS,
      status: "incomplete",
    },
  },
  "snowpark-containers": {
    idKind: "client-chosen",
    statusVocabulary: {
      active: ["PENDING", "RUNNING"],
      success: ["DONE"],
      failure: ["FAILED"],
      unmapped: [],
    },
    idempotency: CONFLICTS,
    retention: { kind: "time", ms: HOUR_MS },
  },
  "anthropic-batches": {
    statusVocabulary: {
      active: ["in_progress"],
      success: ["ended"],
      failure: ["ended/failed"],
      unmapped: [],
      cancelling: "canceling",
      cancelled: "ended/canceled",
    },
    result: { ttlMs: 29 * DAY_MS, idempotentFetch: true },
  },
  "trigger-dag-run": {
    idKind: "client-chosen",
    statusVocabulary: {
      active: ["queued", "running"],
      success: ["success"],
      failure: ["failed"],
      unmapped: [],
    },
    idempotency: CONFLICTS,
  },
  // A request starts a job and is answered without an id; a page lists what runs, by its tag.
  webhook: {
    idKind: "none",
    statusVocabulary: {
      active: ["accepted", "running"],
      success: ["done"],
      failure: ["failed"],
      unmapped: [],
    },
    cancel: { kind: "fails" },
  },
};

/** The names of all job systems. */
export const JOB_SYSTEM_NAMES: readonly JobSystemName[] = Object.freeze(
  Object.keys(PRESETS) as JobSystemName[],
);

/**
 * Returns the behaviour of a job system, with `changes` applied.
 *
 * @throws {TypeError} when one of them is no knob
 */
export function jobSystemKnobs(
  name: JobSystemName,
  changes: Partial<JobSystemKnobs> = {},
): JobSystemKnobs {
  const known = Object.keys(TAME_SYSTEM) as (keyof JobSystemKnobs)[];
  checkedOptions(changes, known, `the job system ${name}`);
  return { ...TAME_SYSTEM, ...PRESETS[name], ...changes };
}
