import { checkedOptions } from "../checked-options.ts";
import type { JsonValue } from "../json-value.ts";
import { BaseOperator, type TaskContext } from "../operator/mod.ts";
import { JobFailed, type MaybePromise, type ResumableJob } from "../resumable/mod.ts";
import { type Clock, type DurationLike, millisecondsFrom, sleep } from "../time/mod.ts";

/** Settings of a {@linkcode JobOperator}. */
export interface JobOperatorOptions {
  /** How long a poll waits between two lookups; five seconds by default. */
  readonly pollEvery?: DurationLike;
  /** The key under which a form that stores the job's id does so; `remote_job_id` by default. */
  readonly externalIdKey?: string;
  /**
   * Whether `ResumableOperator` and `DeferrableOperator` store the job's id, and go on with the job
   * of an earlier attempt; true by default. The other forms have no use for it.
   */
  readonly durable?: boolean;
}

const POLL_EVERY_DEFAULT: DurationLike = { seconds: 5 };

/**
 * An operator that runs one job in another system. A subclass says what the system is; the classes
 * of this room say what an attempt does with the job.
 *
 * Holds: {@linkcode jobId} is the job that the attempt has submitted or waits for, so that `onKill`
 * can cancel it.
 *
 * @example
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 * import { JobOperator } from "faultlane/operators";
 * import { systemClock } from "faultlane/platform";
 *
 * class Batch extends JobOperator<string, number> {
 *   submit(): string {
 *     return "app-17";
 *   }
 *   status(_id: string): string {
 *     return "SUCCEEDED";
 *   }
 *   isJobActive(status: string): boolean {
 *     return status === "RUNNING";
 *   }
 *   isJobSucceeded(status: string): boolean {
 *     return status === "SUCCEEDED";
 *   }
 *   result(_id: string): number {
 *     return 42;
 *   }
 *   cancel(_id: string): void {}
 *   override execute(): number {
 *     return this.result("app-17");
 *   }
 * }
 *
 * const task = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1, tryNumber: 1 };
 * const ctx = { ...task, signal: new AbortController().signal, logger: silentLogger };
 * const outcome = await runTask(new Batch(systemClock), ctx);
 * console.log(outcome.kind === "success" && outcome.result); // => 42
 * ```
 */
export abstract class JobOperator<Id extends NonNullable<JsonValue>, Result>
  extends BaseOperator<Result>
  implements ResumableJob<Id, Result>
{
  readonly #clock: Clock;
  readonly #pollEveryMs: number;
  #jobId: Id | undefined;

  /** Takes the clock by which it waits between two lookups. */
  constructor(clock: Clock, options: JobOperatorOptions = {}) {
    super();
    const { pollEvery = POLL_EVERY_DEFAULT } = checkedOptions(
      options,
      ["pollEvery", "externalIdKey", "durable"],
      "JobOperator",
    );
    this.#clock = clock;
    this.#pollEveryMs = millisecondsFrom(pollEvery, "pollEvery");
  }

  /** Submits a job and returns its id. */
  abstract submit(ctx: TaskContext): MaybePromise<Id>;

  /**
   * Returns the job's status, as the system calls it. A new job may not be found for a while: wait
   * before you return a status that is neither active nor succeeded.
   */
  abstract status(id: Id): MaybePromise<string>;

  /** Returns the result of a job that has succeeded. */
  abstract result(id: Id): MaybePromise<Result>;

  /** Cancels the job; a job that has ended is left as it is. */
  abstract cancel(id: Id): MaybePromise<unknown>;

  /** Returns whether a job with this status may still end. */
  abstract isJobActive(status: string): boolean;

  /** Returns whether a job with this status has succeeded. */
  abstract isJobSucceeded(status: string): boolean;

  /** The job that this attempt has submitted or waits for. */
  get jobId(): Id | undefined {
    return this.#jobId;
  }

  /** Waits for a job that an earlier attempt has submitted, or for its own. */
  attend(id: Id): void {
    this.#jobId = id;
  }

  /**
   * Submits the job of this attempt.
   *
   * @throws the signal's reason when the attempt has been killed: nobody would cancel the job
   */
  async submitJob(ctx: TaskContext): Promise<Id> {
    ctx.signal.throwIfAborted();
    this.#jobId = await this.submit(ctx);
    return this.#jobId;
  }

  /** Looks up the job. */
  async getJobStatus(id: Id): Promise<string> {
    return this.status(id);
  }

  /**
   * Waits until the job has ended.
   *
   * @throws {JobFailed} when it has not succeeded
   */
  async pollUntilComplete(id: Id, ctx?: Pick<TaskContext, "signal">): Promise<void> {
    this.attend(id);
    const status = await this.finalStatus(id, ctx?.signal);
    if (!this.isJobSucceeded(status)) throw new JobFailed(id, status);
  }

  /** Returns the result of the job. */
  async getJobResult(id: Id): Promise<Result> {
    return this.result(id);
  }

  /** Looks until the job has ended, and returns its last status. */
  async finalStatus(id: Id, signal?: AbortSignal): Promise<string> {
    for (;;) {
      const status = await this.status(id);
      if (!this.isJobActive(status)) return status;
      await sleep(this.#clock, this.#pollEveryMs, signal);
    }
  }
}
