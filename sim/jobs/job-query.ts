/** Which jobs to find: all fields that are present must match. */
export interface JobQuery {
  /** The kind of job. */
  readonly jobType?: string;
  /** The tag of its submission. */
  readonly tag?: string;
  /** How many are returned at most, the newest; at least 1. Default: all. */
  readonly last?: number;
}

/** Who asks for a job's status. */
export interface JobAsker {
  /** The task that asks. */
  readonly by: string;
  /** The attempt that asks; 0 or nothing if it is none. */
  readonly attempt?: number;
  /** Whether the answer is about a job of another task, if there is one. */
  readonly isLiedTo?: boolean;
}

/** Whether a submission has what a query asks for. */
export function isAskedFor(request: Omit<JobQuery, "last">, { jobType, tag }: JobQuery): boolean {
  const isOfType = jobType === undefined || request.jobType === jobType;
  return isOfType && (tag === undefined || request.tag === tag);
}
