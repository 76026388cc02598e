import { JobFailed, type ResumableJob, type ResumeContext } from "../../src/resumable/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";
import type { JobClient, JobOrder } from "../jobs/job-client.ts";
import { JobConflict, JobNotFound, JobRejected } from "../jobs/job-errors.ts";
import { type JobId, textFromJobId } from "../jobs/job-id.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";
import { keepSuccess, keptOutput } from "./kept-success.ts";

/** An id as the store can keep it: 64 bits as digits. */
export type StoredJobId = Exclude<JobId, bigint>;

export interface PresetJobOptions {
  readonly system: JobSystemName;
  /** Unique to the task instance, and to each time that a user clears it. */
  readonly name: string;
  readonly jobType?: string;
  readonly pollEveryMs?: number;
}

/** What a lookup says of a job that the system does not have. */
const NOT_FOUND = "NOT_FOUND";
const POLL_EVERY_MS = 5_000;
/** A job that is not found is looked for again after this: lists are consistent in the end. */
const PATIENCE_MS = 10_000;
/** So many looks in a row may fail on their way before the poll gives up. */
const LOOKS_FAILED_MAX = 5;
const JOB_TYPE = "batch";

/**
 * A job on one of the known systems, as one writes it for production.
 *
 * Holds:
 * - every status but the documented ends is active, unknown ones included;
 * - a job is missing only when it is still missing after a while, and a job of somebody else under
 *   the same id is a missing one;
 * - the name or key of a submission follows from the task and from the job that it replaces, so
 *   that a repeated submit finds the job of the first one and never a dead one;
 * - where finished jobs are cleaned away, a success and its result are remembered;
 * - ids keep all their digits;
 * - an error of a lookup is an error, and cancels nothing.
 *
 * Source: spec, task state store and resumable jobs, E and G.2
 */
export class PresetJob implements ResumableJob<StoredJobId, string, ResumeContext> {
  readonly #client: JobClient;
  readonly #clock: Clock;
  readonly #options: PresetJobOptions;
  readonly #documented: JobSystemKnobs;
  readonly #ends: ReadonlySet<string>;
  #replaced: StoredJobId | undefined;
  #jobId: StoredJobId | undefined;

  constructor(client: JobClient, clock: Clock, options: PresetJobOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#options = options;
    this.#documented = jobSystemKnobs(options.system);
    const { success, failure, cancelled } = this.#documented.statusVocabulary;
    this.#ends = new Set([...success, ...failure, cancelled ?? NOT_FOUND, NOT_FOUND]);
  }

  /** The job that a kill would cancel. */
  get jobId(): StoredJobId | undefined {
    return this.#jobId;
  }

  async submitJob(): Promise<StoredJobId> {
    const order = this.#order();
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
    const status = await this.#look(id);
    const isMissing = status === NOT_FOUND;
    if (!isMissing && !this.#mayFlap(status)) return status;
    const { objectVanishes, statusVocabulary } = this.#documented;
    if (isMissing && objectVanishes !== undefined && (await keptOutput(ctx, id)) !== undefined) {
      return statusVocabulary.success[0];
    }
    await sleep(this.#clock, PATIENCE_MS);
    return this.#look(id);
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
      const status = await this.#lookThroughFailures(id);
      if (!this.isJobActive(status)) {
        const confirmed = await this.getJobStatus(id, ctx);
        if (this.isJobSucceeded(confirmed)) break;
        if (!this.isJobActive(confirmed)) throw new JobFailed(id, confirmed);
      }
      await sleep(this.#clock, this.#options.pollEveryMs ?? POLL_EVERY_MS, ctx.signal ?? undefined);
    }
    if (this.#documented.objectVanishes === undefined) return;
    await keepSuccess(ctx, id, await this.getJobResult(id, ctx));
  }

  async getJobResult(id: StoredJobId, ctx?: ResumeContext): Promise<string> {
    const { objectVanishes } = this.#documented;
    const kept = objectVanishes === undefined ? undefined : await keptOutput(ctx, id);
    return kept ?? (await this.#client.result(this.#asked(id))).output;
  }

  async cancel(id: StoredJobId | undefined = this.#jobId): Promise<void> {
    if (id !== undefined) await this.#client.cancel(this.#asked(id));
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

  /** The job that an attempt before this one got accepted and could not store. */
  async #ownJob(order: JobOrder, error: unknown): Promise<StoredJobId | undefined> {
    const isConflict = error instanceof JobConflict;
    if (!isConflict && !(error instanceof JobRejected)) return undefined;
    if (isConflict && this.#documented.idKind === "client-chosen") return order.clientId;
    const { cancelling } = this.#documented.statusVocabulary;
    const found = await this.#client.find({ tag: this.#options.name });
    const own = found.findLast(({ id, status }) => {
      if (isConflict) return typeof id === "object" && "name" in id && id.name === order.clientId;
      return this.isJobActive(status) && status !== cancelling;
    });
    return own === undefined ? undefined : storedFrom(own.id);
  }

  async #look(id: StoredJobId): Promise<string> {
    try {
      const { status, tag } = await this.#client.describe(this.#asked(id));
      return tag === this.#options.name ? status : NOT_FOUND;
    } catch (error) {
      if (error instanceof JobNotFound) return NOT_FOUND;
      throw error;
    }
  }

  async #lookThroughFailures(id: StoredJobId): Promise<string> {
    for (let failed = 1; ; failed += 1) {
      try {
        return await this.#look(id);
      } catch (error) {
        if (failed === LOOKS_FAILED_MAX) throw error;
        await sleep(this.#clock, this.#options.pollEveryMs ?? POLL_EVERY_MS);
      }
    }
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

/** The same for every attempt that submits in place of the same job. */
function submissionName(name: string, replaced: StoredJobId | undefined): string {
  if (replaced === undefined) return `${name}.1`;
  const text = textFromJobId(replaced);
  const ordinal = text.startsWith(`${name}.`) ? Number(text.slice(name.length + 1)) : Number.NaN;
  if (Number.isSafeInteger(ordinal)) return `${name}.${ordinal + 1}`;
  if (typeof replaced === "object" && "uid" in replaced) return `${name}.after-${replaced.uid}`;
  return `${name}.after-${text}`;
}
