import type { JsonValue } from "../json-value.ts";
import { consoleLogger } from "../time/mod.ts";
import { stepsFrom } from "./decide.ts";
import { checkJob, isNoId, type ResumableJob, type ResumeContext } from "./job.ts";
import {
  checkedResumeOptions,
  EXTERNAL_ID_KEY_DEFAULT,
  findResumption,
  type ResumeOptions,
  type Resumption,
} from "./resume-decision.ts";

/**
 * Continues the job that an earlier attempt submitted, or submits one, and returns its result.
 *
 * Holds:
 * - **Persist before poll**: nothing happens between `submitJob` and `set` of the state store,
 *   neither an await nor a check of the signal. Polling starts after `set` has resolved.
 * - **One result**: in every case the result is that of `getJobResult`.
 * - **No guess**: a failing store, status lookup or predicate rejects, and nothing is submitted.
 * - **Duplicates are bounded**: the number of jobs is at most 1, plus crashes between the system's
 *   acceptance and the end of `set`, plus observed failures of the job, plus ids that were lost
 *   from the store (expired, cleared, renamed).
 *
 * @example
 * ```ts
 * import { MemoryStateBackend, resumeOrSubmit, TaskStateStore } from "faultlane";
 * import type { ResumableJob } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * let submitted = 0;
 * const job: ResumableJob<string, number, object> = {
 *   submitJob: () => `app-${(submitted += 1)}`,
 *   getJobStatus: () => "SUCCEEDED",
 *   isJobActive: (status) => status === "RUNNING",
 *   isJobSucceeded: (status) => status === "SUCCEEDED",
 *   pollUntilComplete: () => undefined,
 *   getJobResult: () => 42,
 * };
 * const taskStateStore = new TaskStateStore(
 *   new MemoryStateBackend(),
 *   { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 },
 *   { clock: systemClock },
 * );
 * console.log(await resumeOrSubmit(job, { taskStateStore })); // => 42
 * console.log(await resumeOrSubmit(job, { taskStateStore })); // => 42
 * console.log(submitted); // => 1
 * ```
 *
 * @throws the signal's reason when it aborts before the next call of the external system
 * @throws {TypeError} when one of the six methods is missing, or a predicate returns no boolean, or
 *   there is another option
 * @throws whatever the job or the store throws
 *
 * Source: Airflow 3.3, ResumableJobMixin, "How it works"
 */
export async function resumeOrSubmit<Id, Result, Ctx extends ResumeContext>(
  given: ResumableJob<Id, Result, Ctx>,
  ctx: Ctx,
  options: ResumeOptions = {},
): Promise<Result> {
  checkedResumeOptions(options, "resumeOrSubmit");
  const job = options.telemetry?.observe?.(given) ?? given;
  checkJob(job, options.telemetry?.operator ?? job.constructor.name);
  ctx.signal?.throwIfAborted();
  const resumption = await findResumption(job, ctx, options);
  ctx.signal?.throwIfAborted();
  const externalId = await obtainJob(job, ctx, options, resumption);
  if (stepsFrom(resumption.decision).polls) {
    ctx.signal?.throwIfAborted();
    await job.pollUntilComplete(externalId, ctx);
  }
  return job.getJobResult(externalId, ctx);
}

/** Returns the id of the earlier job, or submits one; either way the id is then in the store. */
async function obtainJob<Id, Result, Ctx extends ResumeContext>(
  job: ResumableJob<Id, Result, Ctx>,
  ctx: Ctx,
  options: ResumeOptions,
  resumption: Resumption<Id>,
): Promise<Id> {
  const { submits, persists } = stepsFrom(resumption.decision);
  if (submits || !("externalId" in resumption)) {
    const externalId = await job.submitJob(ctx);
    if (persists) await persist(ctx, options, externalId);
    return externalId;
  }
  const { externalId, stored } = resumption;
  if (!stored) await persist(ctx, options, externalId);
  return externalId;
}

async function persist(
  ctx: ResumeContext,
  options: ResumeOptions,
  externalId: unknown,
): Promise<void> {
  if (options.durable === false) return;
  const { externalIdKey = EXTERNAL_ID_KEY_DEFAULT } = options;
  const { logger = consoleLogger } = ctx;
  if (isNoId(externalId)) {
    logger.warn("The job has no external id, a retry will submit a new one", { externalIdKey });
    return;
  }
  try {
    // The store refuses what is no JSON value.
    await ctx.taskStateStore?.set(externalIdKey, externalId as NonNullable<JsonValue>);
  } catch (error) {
    // This line is the only trace of a running job that no retry will find.
    logger.error("The id of a running job was not stored", { externalIdKey, externalId });
    throw error;
  }
  logger.debug("Stored the external id", { externalIdKey, externalId });
}
