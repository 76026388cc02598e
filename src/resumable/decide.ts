/** What the two predicates of a job say about a status; active wins where both are true. */
export type JobStatusClass = "active" | "succeeded" | "terminal";

/** What is known about an earlier job of this task. */
export type JobRecord =
  | { readonly kind: "no_store" }
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly status: JobStatusClass };

/** How to continue; exactly the values of Airflow's span attribute `resumable.decision`. */
export type ResumeDecision =
  | "fresh_submit"
  | "reconnect"
  | "already_succeeded"
  | "terminal_resubmit"
  | "no_task_state_store";

/**
 * Returns how to continue after `record`. A pure function.
 *
 * Source: Airflow 3.3, ResumableJobMixin, "How it works"
 */
export function decideResume(record: JobRecord): ResumeDecision {
  switch (record.kind) {
    case "no_store":
      return "no_task_state_store";
    case "absent":
      return "fresh_submit";
    case "present":
      return decisionFromStatus(record.status);
    default:
      return record satisfies never;
  }
}

function decisionFromStatus(status: JobStatusClass): ResumeDecision {
  switch (status) {
    case "active":
      return "reconnect";
    case "succeeded":
      return "already_succeeded";
    case "terminal":
      return "terminal_resubmit";
    default:
      return status satisfies never;
  }
}

/**
 * What a decision requires. The result is fetched from the job in every case, so that a crash does
 * not change it (Q2).
 */
export interface ResumeSteps {
  readonly submits: boolean;
  readonly persists: boolean;
  readonly polls: boolean;
}

const STEPS: Readonly<Record<ResumeDecision, ResumeSteps>> = Object.freeze({
  fresh_submit: { submits: true, persists: true, polls: true },
  reconnect: { submits: false, persists: false, polls: true },
  already_succeeded: { submits: false, persists: false, polls: false },
  terminal_resubmit: { submits: true, persists: true, polls: true },
  no_task_state_store: { submits: true, persists: false, polls: true },
});

/** Returns what `decision` requires. */
export function stepsFrom(decision: ResumeDecision): ResumeSteps {
  return STEPS[decision];
}
