import { silentLogger } from "../time/mod.ts";
import { decideResume, type JobStatusClass, type ResumeDecision } from "./decide.ts";
import { textFromId } from "./errors.ts";
import { isNoId, type ResumableJob, type ResumeContext } from "./job.ts";
import { countFor, DECISION_SPAN, inSpan, type ResumeTelemetry } from "./telemetry.ts";

/** The key that a job's id is stored under unless the job says another. */
export const EXTERNAL_ID_KEY_DEFAULT = "remote_job_id";

export interface ResumeOptions {
  /** Whether the store is used at all; true unless given. A checkpoint is honoured either way. */
  readonly durable?: boolean;
  /** Renamed while tasks are in flight, it hides their jobs, which are then submitted again. */
  readonly externalIdKey?: string;
  readonly telemetry?: ResumeTelemetry;
  /** The job that a checkpoint named, for a resume; the store's job is asked first. */
  readonly checkpointedId?: unknown;
}

/** A decision, and the job that it is about. */
export type Resumption<Id> =
  | { readonly decision: "fresh_submit" | "no_task_state_store" }
  | {
      readonly decision: "reconnect" | "already_succeeded" | "terminal_resubmit";
      readonly externalId: Id;
      readonly status: string;
      /** False when the id is a checkpoint's and the store does not hold it. */
      readonly stored: boolean;
    };

interface Found<Id> {
  readonly decision: Exclude<ResumeDecision, "fresh_submit" | "no_task_state_store">;
  readonly externalId: Id;
  readonly status: string;
  readonly stored: boolean;
}

/**
 * Finds out which way on, and does nothing about it: for an operator that cannot block, before
 * `defer`.
 *
 * Holds: reads only, so it may be repeated; asks for one status, or for two when a checkpoint names
 * another job than the store and the store's has failed; every failure rejects and is never taken
 * for absence.
 *
 * @throws whatever the store, `getJobStatus` or a predicate throws
 *
 * Source: Airflow 3.3, resumablejobmixin, the span `resumable_job.resume_decision`
 */
export async function findResumption<Id, Result, Ctx extends ResumeContext>(
  job: ResumableJob<Id, Result, Ctx>,
  ctx: Ctx,
  options: ResumeOptions = {},
): Promise<Resumption<Id>> {
  const {
    durable = true,
    externalIdKey = EXTERNAL_ID_KEY_DEFAULT,
    telemetry = {},
    checkpointedId,
  } = options;
  if (!durable && isNoId(checkpointedId)) return { decision: "fresh_submit" };
  const operator = telemetry.operator ?? job.constructor.name;
  const count = countFor(telemetry, operator, ctx.statsTags);
  return inSpan(telemetry.tracer, DECISION_SPAN, async (setAttribute) => {
    setAttribute("operator", operator);
    setAttribute("resumable.external_id_key", externalIdKey);
    const storedId = durable ? await ctx.taskStateStore?.get(externalIdKey) : undefined;
    const ids = knownIds<Id>(storedId, checkpointedId);
    if (ids.length === 0) {
      const store = ctx.taskStateStore;
      const decision = decideResume({ kind: store === undefined ? "no_store" : "absent" });
      setAttribute("resumable.decision", decision);
      if (decision === "fresh_submit") count("fresh_submit");
      tellNothingFound(ctx, externalIdKey);
      return { decision } as Resumption<Id>;
    }
    count("reconnect_attempt");
    const found = await askJobs(job, ctx, ids);
    setAttribute("resumable.external_id", textFromId(found.externalId));
    setAttribute("resumable.prior_status", found.status);
    setAttribute("resumable.decision", found.decision);
    count(found.decision === "reconnect" ? "reconnect_success" : found.decision);
    tellFound(ctx, externalIdKey, found);
    return found;
  });
}

interface KnownId<Id> {
  readonly externalId: Id;
  readonly stored: boolean;
}

function knownIds<Id>(storedId: unknown, checkpointedId: unknown): readonly KnownId<Id>[] {
  const ids: KnownId<Id>[] = [];
  if (!isNoId(storedId)) ids.push({ externalId: storedId as Id, stored: true });
  if (isNoId(checkpointedId)) return ids;
  const same = !isNoId(storedId) && textFromId(storedId) === textFromId(checkpointedId);
  if (!same) ids.push({ externalId: checkpointedId as Id, stored: false });
  return ids;
}

/**
 * The first job that has not failed; the last one asked if all have.
 *
 * Why the store's and the checkpoint's id may differ, and why this finds the newest: (1) attempt 1
 * stores A, A fails. (2) Attempt 2 submits B and is killed while it stores B, so the checkpoint
 * says B and the store A. Or: (1) attempt 1 checkpoints A, A fails. (2) The resume submits and
 * stores B and is lost, so the checkpoint says A and the store B. Either way a job was submitted
 * only after the other one had failed.
 */
async function askJobs<Id, Result, Ctx extends ResumeContext>(
  job: ResumableJob<Id, Result, Ctx>,
  ctx: Ctx,
  ids: readonly KnownId<Id>[],
): Promise<Found<Id>> {
  let found: Found<Id> | undefined;
  for (const { externalId, stored } of ids) {
    const status = await job.getJobStatus(externalId, ctx);
    const record = { kind: "present", status: await classOf(job, status) } as const;
    found = { decision: decideResume(record), externalId, status, stored } as Found<Id>;
    if (found.decision !== "terminal_resubmit") break;
  }
  return found as Found<Id>;
}

async function classOf<Id, Result, Ctx extends ResumeContext>(
  job: ResumableJob<Id, Result, Ctx>,
  status: string,
): Promise<JobStatusClass> {
  if (answer(await job.isJobActive(status), "isJobActive", status)) return "active";
  return answer(await job.isJobSucceeded(status), "isJobSucceeded", status)
    ? "succeeded"
    : "terminal";
}

/** A forgotten `return` answers undefined; taken for false it would submit a job that runs. */
function answer(said: unknown, predicate: string, status: string): boolean {
  if (typeof said === "boolean") return said;
  throw new TypeError(
    `Cannot use ${String(said)} as the answer of ${predicate} for "${status}": true or false`,
  );
}

function tellNothingFound(ctx: ResumeContext, externalIdKey: string): void {
  const { logger = silentLogger } = ctx;
  if (ctx.taskStateStore === undefined) {
    logger.warn("No task state store in the context, crash recovery is disabled for this run");
  } else {
    logger.debug("No stored external id, submitting a fresh job", { externalIdKey });
  }
}

function tellFound(ctx: ResumeContext, externalIdKey: string, found: Found<unknown>): void {
  const { logger = silentLogger } = ctx;
  const { decision, externalId, status } = found;
  if (decision === "reconnect") {
    logger.info("Reconnecting to the running job", { externalIdKey, externalId, status });
  } else if (decision === "already_succeeded") {
    logger.info("The job already succeeded", { externalIdKey, externalId });
  } else {
    const fields = { externalIdKey, externalId, status };
    logger.warn("The job ended without success, submitting a fresh one", fields);
  }
}
