import { recogniseAnyCopy } from "../../src/any-copy.ts";

/**
 * The system does not know a job of this id: it never did, does not yet, or does not any more.
 *
 * @example
 * ```ts
 * import { JobNotFound } from "faultlane/check";
 *
 * console.log(new JobNotFound("batch-7").message); // => Cannot find job batch-7
 * ```
 */
export class JobNotFound extends Error {
  static {
    recogniseAnyCopy(this, "JobNotFound");
  }

  /** Always "JobNotFound". */
  override readonly name = "JobNotFound";

  /** Creates the error for the job of this id. */
  constructor(id: string) {
    super(`Cannot find job ${id}`);
  }
}

/**
 * The system answered about another job than the one it was asked about, and the client noticed.
 *
 * @example
 * ```ts
 * import { JobMismatch } from "faultlane/check";
 *
 * const error = new JobMismatch("batch-7", "batch-2");
 * console.log(error.message); // => Cannot use the answer about job batch-7: it is about job batch-2
 * ```
 */
export class JobMismatch extends Error {
  static {
    recogniseAnyCopy(this, "JobMismatch");
  }

  /** Always "JobMismatch". */
  override readonly name = "JobMismatch";

  /** Creates the error for the job that was asked for, and the one that the answer is about. */
  constructor(asked: string, answered: string) {
    super(`Cannot use the answer about job ${asked}: it is about job ${answered}`);
  }
}

/**
 * Another job already has the id or name that was chosen for this one.
 *
 * @example
 * ```ts
 * import { JobConflict } from "faultlane/check";
 *
 * console.log(new JobConflict("nightly.1").chosen); // => nightly.1
 * ```
 */
export class JobConflict extends Error {
  static {
    recogniseAnyCopy(this, "JobConflict");
  }

  /** Always "JobConflict". */
  override readonly name = "JobConflict";
  /** The id or name that is taken. */
  readonly chosen: string;

  /** Creates the error for the id or name that is taken. */
  constructor(chosen: string) {
    super(`Cannot submit a job as "${chosen}": it already exists`);
    this.chosen = chosen;
  }
}

/**
 * The system did not accept the job.
 *
 * @example
 * ```ts
 * import { JobRejected } from "faultlane/check";
 *
 * console.log(new JobRejected("try again later").message);
 * // => Cannot submit a job: try again later
 * ```
 */
export class JobRejected extends Error {
  static {
    recogniseAnyCopy(this, "JobRejected");
  }

  /** Always "JobRejected". */
  override readonly name = "JobRejected";
  /** Why, in the system's words. */
  readonly reason: string;

  /** Creates the error with the system's reason. */
  constructor(reason: string) {
    super(`Cannot submit a job: ${reason}`);
    this.reason = reason;
  }
}

/**
 * The system refused to cancel the job.
 *
 * @example
 * ```ts
 * import { JobCancelFailed } from "faultlane/check";
 *
 * console.log(new JobCancelFailed("batch-7").message);
 * // => Cannot cancel job batch-7: the system refused
 * ```
 */
export class JobCancelFailed extends Error {
  static {
    recogniseAnyCopy(this, "JobCancelFailed");
  }

  /** Always "JobCancelFailed". */
  override readonly name = "JobCancelFailed";

  /** Creates the error for the job of this id. */
  constructor(id: string) {
    super(`Cannot cancel job ${id}: the system refused`);
  }
}

/**
 * The job has no result: it has not ended, or not in success.
 *
 * @example
 * ```ts
 * import { NoJobResult } from "faultlane/check";
 *
 * console.log(new NoJobResult("batch-7", "RUNNING").status); // => RUNNING
 * ```
 */
export class NoJobResult extends Error {
  static {
    recogniseAnyCopy(this, "NoJobResult");
  }

  /** Always "NoJobResult". */
  override readonly name = "NoJobResult";
  /** The status at that time, in the system's words. */
  readonly status: string;

  /** Creates the error for a job and its status. */
  constructor(id: string, status: string) {
    super(`Cannot fetch the result of job ${id}: its status is "${status}"`);
    this.status = status;
  }
}

/**
 * The result is not kept any more, or may be fetched only once and was fetched before.
 *
 * @example
 * ```ts
 * import { JobResultGone } from "faultlane/check";
 *
 * console.log(new JobResultGone("batch-7").name); // => JobResultGone
 * ```
 */
export class JobResultGone extends Error {
  static {
    recogniseAnyCopy(this, "JobResultGone");
  }

  /** Always "JobResultGone". */
  override readonly name = "JobResultGone";

  /** Creates the error for the job of this id. */
  constructor(id: string) {
    super(`Cannot fetch the result of job ${id}: it is not kept any more`);
  }
}
