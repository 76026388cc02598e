import type { TaskContext } from "../operator/mod.ts";
import type { Logger } from "../time/mod.ts";

/** A value, or a promise of it: each of the six methods may be synchronous. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * What a resumable job needs to know of its task; a `TaskContext` fits, and so does less of one.
 */
export interface ResumeContext {
  readonly taskStateStore?: TaskContext["taskStateStore"];
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  readonly statsTags?: Readonly<Record<string, string>> | undefined;
}

/**
 * How to talk to one outside system about one job.
 *
 * Shape: `Id` is any JSON value; null says that the system names no jobs, and then nothing can be
 * resumed.
 * Holds, as the author's duty:
 * - `submitJob` does nothing after the system accepted the job but return its id.
 * - `isJobActive` is true for every status of a job that may still run, unknown ones included: what
 *   is neither active nor succeeded is submitted again.
 * - A job that the system has forgotten is a status too, and an error of the lookup is an error.
 * - `pollUntilComplete` answers at once for a job that has ended, rejects when it failed, and
 *   remembers the id that it is given if `onKill` needs one.
 * - `getJobResult` may be called again for the same job.
 *
 * Source: Airflow 3.3, ResumableJobMixin, "Interface"
 */
export interface ResumableJob<Id, Result, Ctx extends ResumeContext = TaskContext> {
  submitJob(ctx: Ctx): MaybePromise<Id>;
  /** The system's own word. */
  getJobStatus(externalId: Id, ctx: Ctx): MaybePromise<string>;
  isJobActive(status: string): MaybePromise<boolean>;
  isJobSucceeded(status: string): MaybePromise<boolean>;
  pollUntilComplete(externalId: Id, ctx: Ctx): MaybePromise<unknown>;
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
 * Refuses a job with a method missing, before anything is asked of the outside system.
 *
 * @throws {TypeError} when one of the six is no function; the message names all that are missing
 */
export function checkJob(job: object, name: string): void {
  const missing = METHODS.filter((method) => {
    return typeof (job as Readonly<Record<string, unknown>>)[method] !== "function";
  });
  if (missing.length === 0) return;
  throw new TypeError(`Cannot resume or submit ${name}: it has no ${missing.join(", no ")}`);
}

/**
 * Whether `id` says "no id". Only null and undefined do: 0, "", false, [] and {} name jobs (Q1).
 */
export function isNoId(id: unknown): id is null | undefined {
  return id === null || id === undefined;
}
