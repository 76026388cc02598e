/** Which jobs to find: all fields that are present must match. */
export interface JobQuery {
  /** The kind of job. */
  readonly jobType?: string;
  /** The tag of its submission. */
  readonly tag?: string;
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
