/** The states that a task instance row takes; Airflow's values. */
export type TaskRowState =
  | "scheduled"
  | "queued"
  | "running"
  | "up_for_retry"
  | "deferred"
  | "checkpointed"
  | "success"
  | "failed";

/** What became of task instances: rows of the database, attempts on workers, users' acts. */
type TaskInstanceEvent =
  | {
      readonly kind: "task-state";
      readonly task: string;
      readonly state: TaskRowState;
      readonly tryNumber: number;
      /** Who may write now; 0: nobody. */
      readonly attempt: number;
      /** Of a success: what the task returned, as JSON; empty otherwise. */
      readonly result: string;
    }
  | {
      readonly kind: "attempt";
      readonly task: string;
      /** Unique in the run; the token of the attempt. */
      readonly attempt: number;
      readonly tryNumber: number;
      /** The scope of its task instance in the state store. */
      readonly scope: string;
      readonly start: "execute" | "resume" | "event";
    }
  | {
      readonly kind: "attempt-ended";
      readonly task: string;
      readonly attempt: number;
      readonly outcome: string;
      /** Of a failure: the error's name. */
      readonly error: string;
    }
  | {
      readonly kind: "kill";
      readonly task: string;
      readonly attempt: number;
      readonly category: string;
      readonly grace: number;
    }
  | { readonly kind: "declared-dead"; readonly task: string; readonly attempt: number }
  | { readonly kind: "refused"; readonly attempt: number; readonly what: string }
  | { readonly kind: "user-cleared"; readonly task: string; readonly keepState: boolean }
  /** The next thing that the job system tells is its answer to this attempt. */
  | { readonly kind: "job-call"; readonly attempt: number }
  | { readonly kind: "resume-counted"; readonly attempt: number; readonly counter: string };

/** What crosses the face of the state store in the metadata database; values are JSON texts. */
type StateEvent =
  | {
      readonly kind: "state-set";
      readonly scope: string;
      readonly key: string;
      readonly value: string;
      readonly expiresAt: number | null;
      /** The writing attempt; 0: no attempt. */
      readonly attempt: number;
    }
  | {
      readonly kind: "state-got";
      readonly scope: string;
      readonly key: string;
      /** Null: there was no such key. */
      readonly value: string | null;
      readonly attempt: number;
    }
  | { readonly kind: "state-deleted"; readonly scope: string; readonly key: string }
  | {
      readonly kind: "state-cleared";
      readonly scope: string;
      readonly all: boolean;
      readonly why: "task" | "success" | "user";
      /** Every scope that held something before and holds less now. */
      readonly emptied: readonly string[];
    }
  | {
      readonly kind: "state-swept";
      readonly scope: string;
      readonly key: string;
      /** What "expired" meant to the sweep, in milliseconds since the epoch. */
      readonly now: number;
    };

/** What tasks do to their target. */
type LoadEvent =
  | {
      readonly kind: "page-loaded";
      readonly task: string;
      readonly attempt: number;
      readonly page: number;
    }
  | {
      readonly kind: "rows-loaded";
      readonly process: string;
      readonly attempt: number;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "rows-arrived"; readonly process: string; readonly to: number };

export type TaskEvent = TaskInstanceEvent | StateEvent | LoadEvent;
