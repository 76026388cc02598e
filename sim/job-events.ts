/** How a job that nobody cancelled ended; `lost`: its server forgot it while it ran. */
export type JobOutcome = "success" | "failure" | "lost";

/**
 * What the outside system knows of its jobs, told by the system itself.
 *
 * `job` is the true number, counted from 1 and never used again, whatever the system calls it; 0
 * where the system found no job. `task` and `by` are logical task keys: who the job was submitted
 * for, and who asks.
 */
export type JobEvent =
  | {
      readonly kind: "job-accepted";
      readonly job: number;
      /** What the system calls it, as text. */
      readonly id: string;
      readonly task: string;
      /** The idempotency key or chosen id; empty when there was none. */
      readonly key: string;
    }
  | {
      readonly kind: "job-rejected";
      readonly task: string;
      readonly key: string;
      readonly reason: string;
    }
  | {
      readonly kind: "job-deduplicated";
      readonly job: number;
      readonly task: string;
      readonly key: string;
    }
  | { readonly kind: "job-started"; readonly job: number }
  | { readonly kind: "job-finished"; readonly job: number; readonly outcome: JobOutcome }
  | { readonly kind: "job-cancel-asked"; readonly job: number; readonly by: string }
  | { readonly kind: "job-cancelled"; readonly job: number }
  | { readonly kind: "job-forgotten"; readonly job: number }
  | {
      readonly kind: "job-status";
      readonly job: number;
      /** What was answered; empty when it was "not found". */
      readonly status: string;
      readonly by: string;
    }
  | { readonly kind: "job-result"; readonly job: number; readonly by: string };
