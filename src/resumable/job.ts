import type { JsonValue } from "../json-value.ts";
import type { TaskContext } from "../operator/mod.ts";
import type { Logger } from "../time/mod.ts";

/** A value or a promise of it: each of the six methods may be synchronous. */
export type MaybePromise<T> = T | PromiseLike<T>;

/** The part of a state store in which the id of a job is kept; a `TaskStateStore` fits. */
export interface JobIdStore {
  /** Returns the value under `key`; null or undefined when it is absent. */
  get(key: string): Promise<unknown>;
  /** Writes or overwrites one key. */
  set(key: string, value: NonNullable<JsonValue>): Promise<void>;
}

/** What a resumable job needs to know about its task; a `TaskContext` fits. */
export interface ResumeContext {
  /** Where the id of the job is stored; without it a retry cannot find the job. */
  readonly taskStateStore?: JobIdStore | undefined;
  /** Aborts when the attempt is killed. */
  readonly signal?: AbortSignal | undefined;
  /** Where decisions are logged. */
  readonly logger?: Logger | undefined;
  /** Tags for every metric, such as `team_name`. */
  readonly statsTags?: Readonly<Record<string, string>> | undefined;
}

/**
 * How to submit a job to an external system, watch it and fetch its result.
 *
 * Shape: `Id` is any JSON value. Null means that the system has no job ids; then nothing can be
 * resumed.
 * Holds, as the author's duty:
 * - `submitJob` does nothing but return the id once the system has accepted the job.
 * - `isJobActive` returns true for every status of a job that may still run, unknown ones included:
 *   a job that is neither active nor succeeded is submitted again.
 * - A job that the system has forgotten has a status, too; a failing lookup throws.
 * - `pollUntilComplete` returns at once for a job that has ended, rejects when the job failed, and
 *   remembers the id if `onKill` needs it.
 * - `getJobResult` can be called again for the same job.
 *
 * Source: Airflow 3.3, ResumableJobMixin, "Interface"
 */
export interface ResumableJob<Id, Result, Ctx extends ResumeContext = TaskContext> {
  /** Submits the job and returns its id. */
  submitJob(ctx: Ctx): MaybePromise<Id>;
  /** Returns the job's status, as the external system calls it. */
  getJobStatus(externalId: Id, ctx: Ctx): MaybePromise<string>;
  /** Returns whether a job with this status may still run. */
  isJobActive(status: string): MaybePromise<boolean>;
  /** Returns whether a job with this status has succeeded. */
  isJobSucceeded(status: string): MaybePromise<boolean>;
  /** Waits until the job has ended; rejects when it failed. */
  pollUntilComplete(externalId: Id, ctx: Ctx): MaybePromise<unknown>;
  /** Returns the result of a job that has succeeded. */
  getJobResult(externalId: Id, ctx: Ctx): MaybePromise<Result>;
}

const METHODS = [
  "submitJob",
  "getJobStatus",
  "isJobActive",
  "isJobSucceeded",
  "pollUntilComplete",
  "getJobResult",
] as const;

/**
 * Checks that a job has all six methods, before the external system is called.
 *
 * @throws {TypeError} when one is missing; the message names all that are
 */
export function checkJob(job: object, name: string): void {
  const missing = METHODS.filter((method) => {
    return typeof (job as Readonly<Record<string, unknown>>)[method] !== "function";
  });
  if (missing.length === 0) return;
  throw new TypeError(`Cannot resume or submit ${name}: it has no ${missing.join(", no ")}`);
}

/**
 * Returns whether `id` means "no id". Only null and undefined do: 0, "", false, [] and {} are ids
 * (Q1).
 */
export function isNoId(id: unknown): id is null | undefined {
  return id === null || id === undefined;
}
