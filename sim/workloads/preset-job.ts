import { JobFailed, type ResumableJob, type ResumeContext } from "../../src/resumable/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";
import type { JobDescription } from "../jobs/job.ts";
import type { JobClient, JobOrder } from "../jobs/job-client.ts";
import { JobConflict, JobMismatch, JobNotFound, JobRejected } from "../jobs/job-errors.ts";
import { type JobId, textFromJobId } from "../jobs/job-id.ts";
import { givesIdsAnew, type JobSystemKnobs } from "../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";
import { recordSuccess, recordedOutput, SUCCESS_KEY } from "./recorded-success.ts";

/** A job id that can be stored as JSON: 64-bit numbers become digits. */
export type StoredJobId = Exclude<JobId, bigint>;

export interface PresetJobOptions {
  readonly system: JobSystemName;
  /** Unique to the task instance; a new one each time a user clears it. */
  readonly name: string;
  readonly jobType?: string;
  readonly pollEveryMs?: number;
  /** Where its success is remembered; default "succeeded_job". */
  readonly successKey?: string;
}

/** The status of a job that the system does not know. */
const NOT_FOUND = "NOT_FOUND";
const POLL_EVERY_MS = 5_000;
/** A job that is not found is looked up again after this, because reads may lag behind. */
const RECHECK_MS = 10_000;
/** After this many failed status calls in a row the poll gives up. */
const STATUS_FAILURES_MAX = 5;
const JOB_TYPE = "batch";

/**
 * A resumable job on one of the simulated job systems, written as for production.
 *
 * Holds:
 * - every status other than the documented final ones counts as active, including unknown ones;
 * - a job counts as missing only if it is still missing after a while;
 * - another owner's job under the same id counts as missing, too, where ids come again; elsewhere it
 *   is an error, since the id that was read cannot be the one that was stored;
 * - the name or key of a submission is derived from the task and the job that it replaces, so a
 *   repeated submit finds the first one's job, and never one that has ended;
 * - where the system deletes finished jobs, a success and its result are stored;
 * - ids keep all their digits;
 * - where the system gives no id, the job is the newest under the task's tag, and each attempt
 *   submits again;
 * - a failed status call is reported as an error and does not cancel the job.
 */
export class PresetJob implements ResumableJob<StoredJobId, string | null, ResumeContext> {
  readonly #client: JobClient;
  readonly #clock: Clock;
  readonly #options: PresetJobOptions;
  readonly #documented: JobSystemKnobs;
  readonly #ends: ReadonlySet<string>;
  #replaced: StoredJobId | undefined;
  /** The jobs that this attempt has seen to have failed. */
  readonly #failed = new Set<string>();
  #jobId: StoredJobId | undefined;
  /** When the newest job under the tag was submitted, as it was before this attempt's own. */
  #submittedBefore = -Infinity;

  constructor(client: JobClient, clock: Clock, options: PresetJobOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#options = options;
    this.#documented = jobSystemKnobs(options.system);
    const { success, failure, cancelled } = this.#documented.statusVocabulary;
    this.#ends = new Set([...success, ...failure, cancelled ?? NOT_FOUND, NOT_FOUND]);
  }

  /** The id of the job that this attempt has submitted or waits for, if there is one. */
  get jobId(): NonNullable<StoredJobId> | undefined {
    return this.#jobId ?? undefined;
  }

  async submitJob(): Promise<StoredJobId> {
    for (;;) {
      const id = await this.#submit();
      // An id that was checkpointed may be older than the stored one, whose submission it repeats.
      if (id === null || !this.#failed.delete(textFromJobId(id))) return id;
      this.#replaced = id;
    }
  }

  async #submit(): Promise<StoredJobId> {
    const order = this.#order();
    if (this.#documented.idKind === "none") {
      this.#submittedBefore = (await this.#newest())?.submittedAt ?? -Infinity;
    }
    try {
      this.#jobId = storedFrom(await this.#client.submit(order));
    } catch (error) {
      const own = await this.#ownJob(order, error);
      if (own === undefined) throw error;
      this.#jobId = own;
    }
    return this.#jobId;
  }

  async getJobStatus(id: StoredJobId, ctx?: ResumeContext): Promise<string> {
    this.#replaced = id;
    const status = await this.#lookUpTwice(id, ctx);
    if (status !== NOT_FOUND && !this.isJobActive(status) && !this.isJobSucceeded(status)) {
      this.#failed.add(textFromJobId(id));
    }
    return status;
  }

  /** Looks a job up that is missing, or may succeed too early, again after a while. */
  async #lookUpTwice(id: StoredJobId, ctx?: ResumeContext): Promise<string> {
    const status = await this.#lookUp(id);
    const isMissing = status === NOT_FOUND;
    if (!isMissing && !this.#mayFlap(status)) return status;
    const { objectVanishes, statusVocabulary } = this.#documented;
    if (
      isMissing &&
      objectVanishes !== undefined &&
      (await this.#recorded(ctx, id)) !== undefined
    ) {
      return statusVocabulary.success[0];
    }
    await sleep(this.#clock, RECHECK_MS);
    return this.#lookUp(id);
  }

  isJobActive(status: string): boolean {
    return status.split(",").some((word) => !this.#ends.has(word));
  }

  isJobSucceeded(status: string): boolean {
    const words: readonly string[] = this.#documented.statusVocabulary.success;
    return status.split(",").every((word) => words.includes(word));
  }

  async pollUntilComplete(id: StoredJobId, ctx: ResumeContext): Promise<void> {
    this.#jobId = id;
    for (;;) {
      const status = await this.#lookUpWithRetries(id);
      if (!this.isJobActive(status)) {
        const confirmed = await this.getJobStatus(id, ctx);
        if (this.isJobSucceeded(confirmed)) break;
        if (!this.isJobActive(confirmed)) throw new JobFailed(id, confirmed);
      }
      await sleep(this.#clock, this.#options.pollEveryMs ?? POLL_EVERY_MS, ctx.signal ?? undefined);
    }
    if (this.#documented.objectVanishes === undefined) return;
    const key = this.#options.successKey ?? SUCCESS_KEY;
    const { output } = await this.#client.result(this.#asked(id));
    await recordSuccess(ctx, id, { key, output });
  }

  /** Null where the system gives no id to fetch a result by. */
  async getJobResult(id: StoredJobId, ctx?: ResumeContext): Promise<string | null> {
    if (id === null) return null;
    const { objectVanishes } = this.#documented;
    const recorded = objectVanishes === undefined ? undefined : await this.#recorded(ctx, id);
    return recorded ?? (await this.#client.result(this.#asked(id))).output;
  }

  /** Cancels the job; one without an id cannot be named, and runs on. */
  async cancel(id: StoredJobId | undefined = this.#jobId): Promise<void> {
    if (id !== undefined && id !== null) await this.#client.cancel(this.#asked(id));
  }

  #order(): JobOrder {
    const { name, jobType = JOB_TYPE } = this.#options;
    const { idKind, idempotency } = this.#documented;
    const submission = submissionName(name, this.#replaced);
    const isChosen = idKind === "client-chosen" || idempotency.kind === "conflict-409";
    return {
      jobType,
      tag: name,
      ...(isChosen ? { clientId: submission } : {}),
      ...(idempotency.kind === "return-existing" ? { idempotencyKey: submission } : {}),
    };
  }

  /** Finds the job that an earlier attempt has submitted but could not store. */
  async #ownJob(order: JobOrder, error: unknown): Promise<StoredJobId | undefined> {
    const isConflict = error instanceof JobConflict;
    if (!isConflict && !(error instanceof JobRejected)) return undefined;
    if (isConflict && this.#documented.idKind === "client-chosen") return order.clientId;
    const { cancelling } = this.#documented.statusVocabulary;
    const found = await this.#client.find({ tag: this.#options.name });
    const own = found.findLast(({ id, status }) => {
      if (isConflict)
        return id !== null && typeof id === "object" && "name" in id && id.name === order.clientId;
      return this.isJobActive(status) && status !== cancelling;
    });
    return own === undefined ? undefined : storedFrom(own.id);
  }

  async #lookUp(id: StoredJobId): Promise<string> {
    if (id === null) {
      const newest = await this.#newest();
      return newest !== undefined && newest.submittedAt > this.#submittedBefore
        ? newest.status
        : NOT_FOUND;
    }
    try {
      const { id: about, status, tag } = await this.#client.describe(this.#asked(id));
      // An answer about another job says nothing about this one.
      if (textFromJobId(about) !== textFromJobId(id)) {
        throw new JobMismatch(textFromJobId(id), textFromJobId(about));
      }
      if (tag === this.#options.name) return status;
      if (!givesIdsAnew(this.#documented)) throw new JobMismatch(this.#options.name, String(tag));
      return NOT_FOUND;
    } catch (error) {
      if (error instanceof JobNotFound) return NOT_FOUND;
      throw error;
    }
  }

  /** The job under the task's tag that was submitted last. */
  async #newest(): Promise<JobDescription<JobId> | undefined> {
    return (await this.#client.find({ tag: this.#options.name, last: 1 })).at(-1);
  }

  async #lookUpWithRetries(id: StoredJobId): Promise<string> {
    for (let failed = 1; ; failed += 1) {
      try {
        return await this.#lookUp(id);
      } catch (error) {
        if (failed === STATUS_FAILURES_MAX) throw error;
        await sleep(this.#clock, this.#options.pollEveryMs ?? POLL_EVERY_MS);
      }
    }
  }

  #recorded(ctx: ResumeContext | undefined, id: StoredJobId): Promise<string | undefined> {
    return recordedOutput(ctx, id, this.#options.successKey ?? SUCCESS_KEY);
  }

  #mayFlap(status: string): boolean {
    return this.#documented.flappingTerminal !== undefined && this.isJobSucceeded(status);
  }

  #asked(id: StoredJobId): JobId {
    return this.#documented.idKind === "bigint64" && typeof id === "string" ? BigInt(id) : id;
  }
}

function storedFrom(id: JobId): StoredJobId {
  return typeof id === "bigint" ? String(id) : id;
}

/** Returns the same name for every attempt that submits in place of the same job. */
function submissionName(name: string, replaced: StoredJobId | undefined): string {
  if (replaced === undefined) return `${name}.1`;
  const text = textFromJobId(replaced);
  const ordinal = text.startsWith(`${name}.`) ? Number(text.slice(name.length + 1)) : Number.NaN;
  if (Number.isSafeInteger(ordinal)) return `${name}.${ordinal + 1}`;
  if (replaced !== null && typeof replaced === "object" && "uid" in replaced)
    return `${name}.after-${replaced.uid}`;
  return `${name}.after-${text}`;
}
