/**
 * Resumable jobs: a retry continues the external job that already runs, instead of paying for a
 * second one.
 *
 * ```ts
 * import { MemoryStateBackend, resumeOrSubmit, TaskStateStore } from "faultlane";
 * import type { ResumableJob } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const job: ResumableJob<string, number, object> = {
 *   submitJob: () => "app-17",
 *   getJobStatus: () => "RUNNING",
 *   isJobActive: (status) => ["PENDING", "RUNNING"].includes(status),
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
 * console.log(await taskStateStore.get("remote_job_id")); // => app-17
 * ```
 *
 * Holds:
 * - **Persist before poll**: the id is in the store before anybody waits for the job.
 * - **No second job while the first may run**: a stored job is submitted again only after its own
 *   system has reported a status that is neither active nor succeeded.
 * - **No guess**: a store, a status lookup or a predicate that fails, fails the attempt.
 * - **One result**: after a first run, a reconnect and a success alike it is that of
 *   `getJobResult`.
 * - **The polled job is the submitted job**: ids are passed unchanged, whatever their JSON type.
 * - **Duplicates have known causes**: a crash between the system's acceptance and the end of `set`,
 *   and an id that was lost from the store.
 * - **The decision only reads**, so it can be repeated after a crash.
 *
 * Why so, where the documents that this follows disagree or are silent:
 * - Only null and undefined mean "no id"; Airflow stores 0, "", [] and {} and then ignores them
 *   (Q1).
 * - A system that gives no ids is used with a warning at each run: nothing can be stored, and each
 *   retry submits again (B5). Airflow says nothing.
 * - A job that was submitted and whose id cannot be stored is told as an error with its id; Airflow
 *   raises what the store raised and logs nothing.
 * - The span has the id as JSON; Airflow has Python's text of it.
 * - Reconnecting polls and then returns `getJobResult`; Airflow returns what the poll returns (Q2).
 * - The id has the default retention of its store. For jobs that may outlive it, give the store a
 *   longer one or `NEVER_EXPIRE` (Q3).
 * - `ResumableJobMixin(Base)` extends its base, so there is no order of base classes to get wrong
 *   (Q9).
 * - The option has one name, `durable`; there are no aliases (B34).
 * - A missing method is a type error, and a TypeError of the call before anything is submitted. It
 *   is not an error of the constructor: methods that are class fields do not exist yet when the
 *   mixin's constructor runs (B37).
 * - A status that neither predicate knows is terminal, as in Airflow. A predicate that returns
 *   anything but a boolean fails the attempt, because a forgotten `return` would submit a running
 *   job again (B16).
 * - One key holds one job. An operator with two jobs gives each its own key (B38).
 * - The mixin does not cancel. For `onKill` remember the id in `submitJob` and in
 *   `pollUntilComplete`: every path to a running job calls one of them (B56).
 * - `findResumption` is the decision alone, for an operator that defers instead of polling (B57,
 *   B65).
 * - When a checkpoint and the store name different jobs, the store's job is looked up first, and
 *   the checkpoint's if that one has failed; the one found is stored (C38).
 * - The signal is checked before each call of the external system but never between submitting and
 *   persisting, where a kill would lose the id.
 *
 * @module
 */
export type { ResumeDecision } from "./decide.ts";
export { JobFailed } from "./errors.ts";
export type { JobIdStore, MaybePromise, ResumableJob, ResumeContext } from "./job.ts";
export {
  type OperatorConstructor,
  type ResumableConstructor,
  type ResumableExecution,
  ResumableJobMixin,
} from "./mixin.ts";
export {
  EXTERNAL_ID_KEY_DEFAULT,
  findResumption,
  type KnownJob,
  type ResumeOptions,
  type Resumption,
} from "./resume-decision.ts";
export { resumeOrSubmit } from "./resume-or-submit.ts";
export type { CounterPort, MeterPort, ResumeTelemetry, SpanPort, TracerPort } from "./telemetry.ts";
