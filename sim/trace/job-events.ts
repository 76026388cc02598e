/** How a job that was not cancelled ended; `lost`: the server lost it while it was running. */
export type JobOutcome = "success" | "failure" | "lost";

/**
 * What happens in the external job system, traced by the system itself.
 *
 * `job` is the simulator's own number of the job, counted from 1 and never reused, unlike the id
 * that the system gives out; 0 where the system found no job. `task` is the logical task key that
 * the job was submitted for, `by` that of the caller; `attempt` is the caller's attempt, 0 where
 * the call came from elsewhere.
 */
export type JobEvent =
  | {
      /** The system starts; what can be expected of it. */
      readonly kind: "job-system";
      /** Whether a second submit with one key is recognised, and how. */
      readonly idempotency: "none" | "return-existing" | "conflict-409";
      /** Whether it is recognised also after the first job has ended. */
      readonly knowsEnded: boolean;
      /** Whether somebody deletes finished jobs as a matter of course. */
      readonly deletesEnded: boolean;
      /** Statuses that say nothing about the job. */
      readonly unmapped: readonly string[];
    }
  | {
      readonly kind: "job-accepted";
      readonly job: number;
      /** The id that the system gave out, as text; empty where it gives none. */
      readonly id: string;
      readonly task: string;
      /** The idempotency key or chosen id; empty when there was none. */
      readonly key: string;
      readonly attempt: number;
      /** It was submitted by a copy of a call, which the network has made. */
      readonly isCopy?: true;
    }
  | {
      readonly kind: "job-rejected";
      readonly task: string;
      readonly key: string;
      readonly reason: string;
      readonly attempt: number;
    }
  | {
      readonly kind: "job-deduplicated";
      readonly job: number;
      readonly task: string;
      readonly key: string;
      readonly attempt: number;
      /** What was submitted is of another type than the job. */
      readonly isOtherType?: true;
    }
  | { readonly kind: "job-started"; readonly job: number }
  | { readonly kind: "job-finished"; readonly job: number; readonly outcome: JobOutcome }
  | {
      readonly kind: "job-cancel-asked";
      readonly job: number;
      readonly by: string;
      readonly attempt: number;
    }
  | { readonly kind: "job-cancelled"; readonly job: number }
  | { readonly kind: "job-forgotten"; readonly job: number }
  | {
      readonly kind: "job-status";
      readonly job: number;
      /** The status that was returned; empty for "not found". */
      readonly status: string;
      readonly by: string;
      readonly attempt: number;
    }
  | {
      readonly kind: "job-result";
      readonly job: number;
      readonly by: string;
      readonly attempt: number;
    };
