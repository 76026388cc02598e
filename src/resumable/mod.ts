/**
 * Resumable jobs: a retry goes on with the outside job that is already running, and does not pay
 * for it twice.
 *
 * ```ts
 * class RunBatch extends ResumableJobMixin(BaseOperator) {
 *   static override readonly externalIdKey = "batch_job_id";
 *   override execute(ctx: TaskContext): Promise<unknown> {
 *     return this.executeResumable(ctx);
 *   }
 *   submitJob(): Promise<string> { return batch.submit("nightly"); }
 *   getJobStatus(id: string): Promise<string> { return batch.status(id); }
 *   isJobActive(status: string): boolean { return ["PENDING", "RUNNING"].includes(status); }
 *   isJobSucceeded(status: string): boolean { return status === "SUCCEEDED"; }
 *   pollUntilComplete(id: string): Promise<void> { return batch.wait(id); }
 *   getJobResult(id: string): Promise<number> { return batch.rows(id); }
 * }
 * ```
 *
 * Holds:
 * - **Persist before poll**: the id is in the store before anybody waits for the job.
 * - **Never a second job while the first may run**: a stored job is submitted again only after its
 *   own system said that it is neither active nor succeeded.
 * - **Never a guess**: a store, a status lookup or a predicate that fails, fails the attempt.
 * - **One result**: first run, reconnect and return all answer `getJobResult`.
 * - **The job polled is the job submitted**: ids pass through unchanged, of whatever JSON type.
 * - **The window is named**: duplicates come from crashes between the system's acceptance and the
 *   end of `set`, from ids that left the store, and from nowhere else.
 * - **The decision only reads**: it may crash and be repeated.
 *
 * Why so, where the seed is silent or upstream disagrees with it (numbers of
 * spec/store-and-resumable.md):
 * - Q1: only null and undefined are "no id"; upstream stores 0, "", [] and {} and then ignores
 *   them.
 * - Q2: reconnecting polls and then returns `getJobResult`; upstream returns what the poll returns.
 * - Q3: the id gets the default retention of its store; give the store a longer one, or
 *   `NEVER_EXPIRE`, for jobs that may outlive it.
 * - Q9: `ResumableJobMixin(Base)` wraps its base, so there is no order of bases to get wrong.
 * - B34: one name, `durable`; the earlier names are no aliases.
 * - B37: a missing method is an error of the types, and of the call before anything is submitted.
 *   Not of the construction: methods that are class fields do not exist yet while the mixin's
 *   constructor runs.
 * - B16: a status that neither predicate knows is terminal, as upstream; a predicate that answers
 *   anything but true or false fails the attempt, as a forgotten `return` would submit a running
 *   job again.
 * - B38: one key holds one job. An operator with two jobs gives each a key of its own.
 * - B56: the mixin has no cancel. Remember the id in `submitJob` and in `pollUntilComplete`, which
 *   both ways pass.
 * - B57, B65: `findResumption` is the decision alone, for an operator that defers instead of
 *   polling.
 * - C38: where a checkpoint and the store name different jobs, the store's is asked first and the
 *   checkpoint's if that one has failed; what is found is stored.
 * - An abort is looked at before each step outside, never between submit and persist: it would
 *   widen the window.
 *
 * @module
 */
export {
  decideResume,
  type JobRecord,
  type JobStatusClass,
  type ResumeDecision,
  type ResumeSteps,
  stepsFrom,
} from "./decide.ts";
export { JobFailed } from "./errors.ts";
export type { MaybePromise, ResumableJob, ResumeContext } from "./job.ts";
export { type ResumableConstructor, type ResumableExecution, ResumableJobMixin } from "./mixin.ts";
export {
  EXTERNAL_ID_KEY_DEFAULT,
  findResumption,
  type ResumeOptions,
  type Resumption,
} from "./resume-decision.ts";
export { resumeOrSubmit } from "./resume-or-submit.ts";
export {
  type CounterPort,
  DECISION_SPAN,
  type MeterPort,
  type ResumeCounter,
  type ResumeTelemetry,
  type SpanPort,
  type TracerPort,
} from "./telemetry.ts";
