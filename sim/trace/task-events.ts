import type { HttpEvent } from "./http-events.ts";

/** The states of a task instance row, named as in Airflow. */
export type TaskRowState =
  | "scheduled"
  | "queued"
  | "running"
  | "up_for_retry"
  | "up_for_reschedule"
  | "deferred"
  | "checkpointed"
  | "success"
  | "failed";

/** Task instances: their database rows, their attempts on workers, and what users do to them. */
export type TaskInstanceEvent =
  | {
      readonly kind: "task-state";
      readonly task: string;
      readonly state: TaskRowState;
      readonly tryNumber: number;
      /** The attempt that may write now; 0: none. */
      readonly attempt: number;
      /** What a successful task returned, as JSON; empty in every other state. */
      readonly result: string;
      /** How long a deferral may wait, in milliseconds; present where it has a time-out. */
      readonly waits?: number;
    }
  | {
      readonly kind: "attempt";
      readonly task: string;
      /** The attempt's number, unique in the run; it is also the attempt's token. */
      readonly attempt: number;
      readonly tryNumber: number;
      /** The scope of the task instance in the state store. */
      readonly scope: string;
      readonly start: "execute" | "resume" | "event";
    }
  | {
      readonly kind: "attempt-ended";
      readonly task: string;
      readonly attempt: number;
      readonly outcome: string;
      /**
       * The error of a failed attempt: its name, of an operator under test as `errorWords` writes
       * it; empty for every other outcome.
       */
      readonly error: string;
      /** The job's id in the checkpoint that it left; of an operator under test alone. */
      readonly checkpoint?: string;
      /** The idempotency key of a deferral, a checkpoint or a reschedule of the kit's own runner. */
      readonly departureKey?: string;
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
  | {
      readonly kind: "user-cleared";
      readonly task: string;
      readonly keepState: boolean;
      /** Present where its operator has no `onKill`, and so leaves its jobs alone. */
      readonly leavesJobs?: true;
    }
  | { readonly kind: "user-stopped"; readonly task: string; readonly leavesJobs?: true }
  | {
      /** Its triggerer has created the trigger of a deferral, calls its `cleanup`, or ends it. */
      readonly kind: "deferral-trigger";
      readonly task: string;
      /** Its number at this incarnation of the triggerer. */
      readonly trigger: number;
      readonly state: "created" | "cleaned" | "over";
    }
  | {
      /** What the task returns in a run without faults, as JSON. */
      readonly kind: "result-expected";
      readonly task: string;
      readonly result: string;
      /** Present where nothing befalls the run: no faults, and a system without oddities. */
      readonly isCalm?: true;
      /** Where its operator keeps the ids of its jobs; present where not each in a key alone. */
      readonly ids?: {
        readonly places: readonly { readonly key: string; readonly path: readonly string[] }[];
        readonly others: readonly string[];
      };
    };

/** What an attempt sends and receives, and what its operator's methods say. */
export type OperatorEvent =
  | {
      /** The job system's reply has reached the attempt. */
      readonly kind: "job-reply";
      readonly attempt: number;
      readonly call: "submit" | "status" | "cancel";
      /** The status that was returned, empty when no job was found; "no id" for such a submit. */
      readonly word: string;
      /** The name of the error when the call failed; empty otherwise. */
      readonly error: string;
    }
  | {
      /** The attempt sends a write to the state store. */
      readonly kind: "state-sent";
      readonly attempt: number;
      readonly key: string;
      readonly value: string;
      /** Present where it is to be written only if the value has not changed since it was read. */
      readonly isCompared?: true;
    }
  | { readonly kind: "method-called"; readonly attempt: number; readonly method: JobMethod }
  | {
      readonly kind: "method-returned";
      readonly attempt: number;
      readonly method: JobMethod;
      /** What `getJobStatus` returned; empty for `pollUntilComplete`. */
      readonly status: string;
    }
  /** `isJobActive` or `isJobSucceeded` returned true for this status. */
  | { readonly kind: "status-believed"; readonly attempt: number; readonly status: string }
  | {
      readonly kind: "resume-decided";
      readonly attempt: number;
      /** Where the job's id is stored. */
      readonly key: string;
      readonly decision: string;
    }
  | {
      /** The operator of this attempt was told not to store the id of its job. */
      readonly kind: "not-durable";
      readonly attempt: number;
      /** Where it would store the id; present where it may read other keys. */
      readonly key?: string;
    }
  | {
      /** The operator of this attempt uses the mixin several times, each time with its own key. */
      readonly kind: "uses";
      readonly attempt: number;
      readonly keys: readonly string[];
      /** Whether it begins one of them before another has come to its end. */
      readonly areAtOnce?: true;
    }
  | { readonly kind: "resume-counted"; readonly attempt: number; readonly counter: string };

/** The methods of a resumable job that may take long. */
export type JobMethod = "getJobStatus" | "pollUntilComplete";

/** Calls of the state store in the metadata database; values are JSON texts. */
export type StateEvent =
  | {
      readonly kind: "state-set";
      readonly scope: string;
      readonly key: string;
      readonly value: string;
      readonly expiresAt: number | null;
      /** The attempt that wrote; 0: not written by an attempt. */
      readonly attempt: number;
    }
  | {
      readonly kind: "state-got";
      readonly scope: string;
      readonly key: string;
      /** Null: the key does not exist. */
      readonly value: string | null;
      readonly attempt: number;
    }
  | {
      readonly kind: "state-deleted";
      readonly scope: string;
      readonly key: string;
      /** The attempt that deleted; 0: not deleted by an attempt. */
      readonly attempt: number;
    }
  | {
      readonly kind: "state-cleared";
      readonly scope: string;
      readonly all: boolean;
      readonly why: "task" | "success" | "user" | "orphaned";
      /** Every scope that has fewer keys than before. */
      readonly emptied: readonly string[];
      /** Scopes that were to be cleared and still have keys; absent where there are none. */
      readonly left?: readonly string[];
    }
  | {
      readonly kind: "state-swept";
      readonly scope: string;
      readonly key: string;
      /** Keys whose expiry is at or before this instant were swept; milliseconds since the epoch. */
      readonly now: number;
    }
  | {
      /** A sweep has found nothing more to delete. */
      readonly kind: "sweep-done";
      /** When it began, in virtual milliseconds. */
      readonly since: number;
      /** By the sweeper's clock, less its grace: what expired before was to be deleted. */
      readonly now: number;
      /** The grace, in milliseconds. */
      readonly grace: number;
    }
  | {
      /** How long the attempt asks its entries to live. */
      readonly kind: "retention-asked";
      readonly attempt: number;
      /** The entry; empty: each for which nothing else is asked. */
      readonly key: string;
      /** In milliseconds; null: for ever. */
      readonly ms: number | null;
    }
  | {
      /** An attempt was told that what it deletes or clears of its own state is gone. */
      readonly kind: "state-removed";
      readonly attempt: number;
      readonly scope: string;
      /** The entry; undefined: all of the scope. */
      readonly key?: string;
      /** Whether it clears all map indices of its task. */
      readonly all: boolean;
      /** When it asked for that, in virtual milliseconds. */
      readonly since: number;
    }
  | {
      /** What an attempt was told that its own store holds. */
      readonly kind: "state-read";
      readonly attempt: number;
      readonly key: string;
      /** As JSON; null: nothing, or what has expired. */
      readonly value: string | null;
    }
  /** No DAG declares the asset with this scope any more. */
  | { readonly kind: "asset-undeclared"; readonly scope: string }
  /** A clean-up of the state of assets that no DAG declares is over; it began at `since`. */
  | { readonly kind: "orphans-cleared"; readonly since: number }
  /** The state of this task instance is to go when it succeeds. */
  | { readonly kind: "clear-asked"; readonly task: string }
  | {
      /** Until then reads of the store get what was committed at least so long before them. */
      readonly kind: "reads-lag";
      /** In virtual milliseconds; 0: no more. */
      readonly by: number;
      readonly until: number;
    }
  /** A fail-over has lost every commit of the metadata database after `since`, acknowledged or not. */
  | { readonly kind: "commits-lost"; readonly since: number }
  /** A migration has changed which columns the table of the state store has. */
  | { readonly kind: "schema-changed"; readonly columns: string };

/** Rows and pages: what arrives at a task's source and what the task loads into its target. */
export type LoadEvent =
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
  /** A user set a watermark back, so that the rows after `to` are loaded again. */
  | { readonly kind: "user-rewound"; readonly process: string; readonly to: number }
  | {
      /** A user has started a run for a logical date, beside those that are scheduled. */
      readonly kind: "run-triggered";
      readonly task: string;
      readonly process: string;
      /** The logical date, as a virtual time. */
      readonly logicalAt: number;
    }
  | { readonly kind: "rows-arrived"; readonly process: string; readonly to: number };

/** What happens to tasks, their state and their targets. */
export type TaskEvent = TaskInstanceEvent | OperatorEvent | StateEvent | HttpEvent | LoadEvent;
