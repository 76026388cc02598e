import { checkedOptions } from "../checked-options.ts";
import { consoleLogger } from "../time/mod.ts";
import { decideResume, type JobStatusClass, type ResumeDecision } from "./decide.ts";
import { textFromId } from "./errors.ts";
import { isNoId, type ResumableJob, type ResumeContext } from "./job.ts";
import { countFor, DECISION_SPAN, inSpan, type ResumeTelemetry } from "./telemetry.ts";

/** The key under which a job's id is stored by default. */
export const EXTERNAL_ID_KEY_DEFAULT = "remote_job_id";

/** Settings of {@linkcode resumeOrSubmit} and {@linkcode findResumption}. */
export interface ResumeOptions {
  /** Whether the state store is used; true by default. A checkpoint is honoured in either case. */
  readonly durable?: boolean;
  /**
   * The key of the job's id; by default {@linkcode EXTERNAL_ID_KEY_DEFAULT}. Changing it while
   * tasks are in flight hides their jobs, which are then submitted again.
   */
  readonly externalIdKey?: string;
  /** Where the decision is reported. */
  readonly telemetry?: ResumeTelemetry;
  /** The job id of a checkpoint that is resumed; the job in the store is looked up first. */
  readonly checkpointedId?: unknown;
}

const OPTIONS: readonly (keyof ResumeOptions)[] = [
  "durable",
  "externalIdKey",
  "telemetry",
  "checkpointedId",
];

/**
 * Returns `options` unchanged after checking that there is no other one.
 *
 * @throws {TypeError} when there is, because a misspelt `durable` would be ignored
 */
export function checkedResumeOptions(options: ResumeOptions, method: string): ResumeOptions {
  return checkedOptions(options, OPTIONS, method);
}

/** A decision, and the job that it concerns. */
export type Resumption<Id> =
  | { readonly decision: "fresh_submit" | "no_task_state_store" }
  | KnownJob<Id>;

/** An earlier job of this task, and how to continue. */
export interface KnownJob<Id> {
  /** How to continue. */
  readonly decision: Exclude<ResumeDecision, "fresh_submit" | "no_task_state_store">;
  /** The id of the job in the external system. */
  readonly externalId: Id;
  /** The job's status, as the external system calls it. */
  readonly status: string;
  /** False when the id comes from a checkpoint and is not in the store. */
  readonly stored: boolean;
}

/**
 * Returns how to continue, and does nothing else: for an operator that defers instead of polling.
 *
 * Holds: it only reads, so that it can be repeated. It looks up one status, or two when a
 * checkpoint names another job than the store and the store's job has failed. Every failure
 * rejects and is never treated as absence.
 *
 * @example
 * ```ts
 * import { findResumption, type ResumableJob } from "faultlane";
 *
 * const job: ResumableJob<string, number> = {
 *   submitJob: () => "app-17",
 *   getJobStatus: () => "RUNNING",
 *   isJobActive: (status) => status === "RUNNING",
 *   isJobSucceeded: (status) => status === "SUCCEEDED",
 *   pollUntilComplete: () => undefined,
 *   getJobResult: () => 42,
 * };
 * const taskStateStore = { get: async () => "app-16", set: async () => undefined };
 * const resumption = await findResumption<string, number, object>(job, { taskStateStore });
 * console.log(resumption.decision); // => reconnect
 * ```
 *
 * @throws {TypeError} when there is another option
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
  } = checkedResumeOptions(options, "findResumption");
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
      logNothingFound(ctx, externalIdKey);
      return { decision } as Resumption<Id>;
    }
    count("reconnect_attempt");
    const found = await newestJob(job, ctx, ids, setAttribute);
    setAttribute("resumable.decision", found.decision);
    count(found.decision === "reconnect" ? "reconnect_success" : found.decision);
    logFound(ctx, externalIdKey, found);
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
 * Returns the first job that has not failed, or the last one if all have; it is the newest.
 *
 * The store and the checkpoint can name different jobs in two ways. Either (1) attempt 1 stores A,
 * and A fails; (2) attempt 2 submits B and is killed while it stores B, so that the checkpoint has
 * B and the store has A. Or (1) attempt 1 checkpoints A, and A fails; (2) the resume submits and
 * stores B and is lost, so that the checkpoint has A and the store has B. In both, the second job
 * was submitted only after the first had failed.
 */
async function newestJob<Id, Result, Ctx extends ResumeContext>(
  job: ResumableJob<Id, Result, Ctx>,
  ctx: Ctx,
  ids: readonly KnownId<Id>[],
  setAttribute: (key: string, value: string) => void,
): Promise<KnownJob<Id>> {
  let found: KnownJob<Id> | undefined;
  for (const { externalId, stored } of ids) {
    const status = await job.getJobStatus(externalId, ctx);
    // Before the predicates are asked, so that the span has them when a predicate throws.
    setAttribute("resumable.external_id", textFromId(externalId));
    setAttribute("resumable.prior_status", status);
    const record = { kind: "present", status: await classOf(job, status) } as const;
    found = { decision: decideResume(record), externalId, status, stored } as KnownJob<Id>;
    if (found.decision !== "terminal_resubmit") break;
  }
  return found as KnownJob<Id>;
}

async function classOf<Id, Result, Ctx extends ResumeContext>(
  job: ResumableJob<Id, Result, Ctx>,
  status: string,
): Promise<JobStatusClass> {
  if (assertBoolean(await job.isJobActive(status), "isJobActive", status)) return "active";
  return assertBoolean(await job.isJobSucceeded(status), "isJobSucceeded", status)
    ? "succeeded"
    : "terminal";
}

/** Returns `value`. Without the check a forgotten `return` would resubmit a job that still runs. */
function assertBoolean(value: unknown, predicate: string, status: string): boolean {
  if (typeof value === "boolean") return value;
  throw new TypeError(
    `Cannot use ${String(value)} as the result of ${predicate} for "${status}": return true or false`,
  );
}

function logNothingFound(ctx: ResumeContext, externalIdKey: string): void {
  const { logger = consoleLogger } = ctx;
  if (ctx.taskStateStore === undefined) {
    logger.warn("No task state store in the context, crash recovery is disabled for this run");
  } else {
    logger.debug("No stored external id, submitting a new job", { externalIdKey });
  }
}

function logFound(ctx: ResumeContext, externalIdKey: string, found: KnownJob<unknown>): void {
  const { logger = consoleLogger } = ctx;
  const { decision, externalId, status } = found;
  if (decision === "reconnect") {
    logger.info("Reconnecting to the running job", { externalIdKey, externalId, status });
  } else if (decision === "already_succeeded") {
    logger.info("The job already succeeded", { externalIdKey, externalId });
  } else {
    const fields = { externalIdKey, externalId, status };
    logger.warn("The job ended without success, submitting a new one", fields);
  }
}
