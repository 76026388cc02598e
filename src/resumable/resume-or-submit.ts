import { silentLogger } from "../time/mod.ts";
import { stepsFrom } from "./decide.ts";
import { checkJob, isNoId, type ResumableJob, type ResumeContext } from "./job.ts";
import {
  EXTERNAL_ID_KEY_DEFAULT,
  findResumption,
  type ResumeOptions,
  type Resumption,
} from "./resume-decision.ts";

/**
 * Goes on with the job that an earlier attempt submitted, or submits one, and answers its result.
 *
 * Holds:
 * - **Persist before poll**: between the answer of `submitJob` and the store's `set` there is
 *   nothing, neither an await nor a look at the signal; polling starts after `set` is fulfilled.
 * - **The same result**: whichever way was taken, the result is what `getJobResult` says.
 * - **No guess**: a failing store, status or predicate rejects and nothing is submitted.
 * - **Duplicates are bounded**: at most 1 + crashes between the system's acceptance and the end of
 *   `set` + failures of the job that were observed + ids that were taken from the store (expired,
 *   cleared, renamed).
 *
 * @throws the signal's reason, unwrapped, when it is aborted before the next step outside
 * @throws {TypeError} when one of the six methods is missing, or a predicate answers no boolean
 * @throws whatever the job or the store throws, as it is
 *
 * Source: Airflow 3.3, ResumableJobMixin, "How it works"
 */
export async function resumeOrSubmit<Id, Result, Ctx extends ResumeContext>(
  job: ResumableJob<Id, Result, Ctx>,
  ctx: Ctx,
  options: ResumeOptions = {},
): Promise<Result> {
  checkJob(job, options.telemetry?.operator ?? job.constructor.name);
  ctx.signal?.throwIfAborted();
  const resumption = await findResumption(job, ctx, options);
  ctx.signal?.throwIfAborted();
  const externalId = await jobOf(job, ctx, options, resumption);
  if (stepsFrom(resumption.decision).polls) {
    ctx.signal?.throwIfAborted();
    await job.pollUntilComplete(externalId, ctx);
  }
  return job.getJobResult(externalId, ctx);
}

async function jobOf<Id, Result, Ctx extends ResumeContext>(
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
  if (isNoId(externalId) || options.durable === false) return;
  const { externalIdKey = EXTERNAL_ID_KEY_DEFAULT } = options;
  const { logger = silentLogger } = ctx;
  try {
    await ctx.taskStateStore?.set(externalIdKey, externalId);
  } catch (error) {
    // The only trace of a job that runs and that no retry will find.
    logger.error("Job is running and its id was not stored", { externalIdKey, externalId });
    throw error;
  }
  logger.debug("Stored the external id", { externalIdKey, externalId });
}
