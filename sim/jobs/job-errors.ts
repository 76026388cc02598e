/** The system knows no job by this id: never did, does not yet, or does not any more. */
export class JobNotFound extends Error {
  override readonly name = "JobNotFound";

  constructor(id: string) {
    super(`Cannot find job ${id}`);
  }
}

/** Another job has the id or name that was chosen for this one. */
export class JobConflict extends Error {
  override readonly name = "JobConflict";
  readonly chosen: string;

  constructor(chosen: string) {
    super(`Cannot submit a job as "${chosen}": it already exists`);
    this.chosen = chosen;
  }
}

/** The system did not take the job. */
export class JobRejected extends Error {
  override readonly name = "JobRejected";
  readonly reason: string;

  constructor(reason: string) {
    super(`Cannot submit a job: ${reason}`);
    this.reason = reason;
  }
}

/** The system would not cancel the job. */
export class JobCancelFailed extends Error {
  override readonly name = "JobCancelFailed";

  constructor(id: string) {
    super(`Cannot cancel job ${id}: the system refused`);
  }
}

/** There is no result: the job runs, or ended without one. */
export class NoJobResult extends Error {
  override readonly name = "NoJobResult";
  readonly status: string;

  constructor(id: string, status: string) {
    super(`Cannot fetch the result of job ${id}: its status is "${status}"`);
    this.status = status;
  }
}

/** There was a result and it is not kept any more, or was given away already. */
export class JobResultGone extends Error {
  override readonly name = "JobResultGone";

  constructor(id: string) {
    super(`Cannot fetch the result of job ${id}: it is not kept any more`);
  }
}
