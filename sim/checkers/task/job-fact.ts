/**
 * How far the id of a job came on its way to the store: the system alone knows it, or its submitter
 * does; it was sent in the instant in which it became known, or later.
 */
type IdReach = "system" | "attempt" | "sent" | "sent-late";

/** A job of the outside system, as its own trace describes it. */
export interface JobFact {
  readonly job: number;
  /** What the system calls it; empty where it gives no ids. */
  readonly id: string;
  readonly task: string;
  readonly key: string;
  /** The attempt that submitted it; 0: none, as where the network has made a copy of its call. */
  readonly attempt: number;
  /**
   * The key of the use of the mixin that it was submitted for; empty where there is one only. Where
   * several go on at once it is the likeliest one, until its id is sent to the store.
   */
  use: string;
  readonly acceptedAt: number;
  /** The job that was recorded when this one was accepted. */
  readonly replaces: JobFact | undefined;
  state: "live" | "success" | "failure" | "lost" | "cancelled";
  endedAt: number | undefined;
  /**
   * Whether its submitter had stored or read what names no job, and chose a key of which the system
   * takes notice: the key may be made of what is stored.
   */
  isForeseen: boolean;
  /** Whether its id ever was in the store, and whether it is now. */
  wasRecorded: boolean;
  isRecorded: boolean;
  /**
   * Whether its id was deleted from the store; an expiry does not count, nor does a task that
   * throws away the id of a job that has succeeded.
   */
  isCleared: boolean;
  /** Whether its task has stored anything since it succeeded, and so may go on without its id. */
  isFollowed: boolean;
  /** The attempt that threw its id away when it had succeeded. */
  thrownAwayBy: number | undefined;
  /** Whether the system itself does not know it any more. */
  isForgotten: boolean;
  /**
   * Whether an attempt submitted another job because a replica that lagged hid this one's id, or a
   * fail-over lost a write that named it.
   */
  isHidden: boolean;
  idReach: IdReach;
  /** Of several jobs at once: whether its id has surely reached its submitter. */
  isKnownAtOnce: boolean;
  /** Whether its submitter has submitted another job since its id was stored. */
  isPassed: boolean;
  /** When its id became known to its submitter. */
  repliedAt: number;
  /** Whether a poll for it came to its end. */
  isPolledThrough: boolean;
  /** Attempts that requested its status, and those that requested its cancellation. */
  readonly askedBy: Set<number>;
  /** Attempts that were told its status, and those that looked again after that. */
  readonly foundBy: Set<number>;
  readonly polledBy: Set<number>;
  /** Whether an attempt of its task was told its status when it was over. */
  isToldEnded: boolean;
  /** The keys under which its task stored something after that, and the attempts that read them. */
  readonly notes: Set<string>;
  readonly notedBy: Set<number>;
  /** Attempts that have sent its id to the store. */
  readonly sentBy: Set<number>;
  readonly cancelledBy: Set<number>;
  fetches: number;
}

type Accepted = "job" | "id" | "task" | "key" | "attempt" | "use" | "acceptedAt" | "replaces";

/** Returns what is known of a job that was just accepted. */
export function jobFactOf(accepted: Pick<JobFact, Accepted>): JobFact {
  return {
    ...accepted,
    state: "live",
    endedAt: undefined,
    isForeseen: false,
    wasRecorded: false,
    isRecorded: false,
    isCleared: false,
    isFollowed: false,
    thrownAwayBy: undefined,
    isForgotten: false,
    isHidden: false,
    idReach: "system",
    isKnownAtOnce: false,
    isPassed: false,
    repliedAt: 0,
    isPolledThrough: false,
    askedBy: new Set(),
    foundBy: new Set(),
    polledBy: new Set(),
    isToldEnded: false,
    notes: new Set(),
    notedBy: new Set(),
    sentBy: new Set(),
    cancelledBy: new Set(),
    fetches: 0,
  };
}

/** What a lookup of an attempt found: a job and its status; job 0: none. */
interface Look {
  readonly job: number;
  readonly status: string;
  /** Whether the job found is another task's. */
  readonly isForeign: boolean;
}

/** A call of an attempt to the job system, and the reply. */
export interface AttemptJobs {
  readonly task: string;
  /** Whether it goes on after a checkpoint. */
  readonly isResumed: boolean;
  /** Whether its operator is to store the id of its job. */
  isDurable: boolean;
  /** The keys of its uses of the mixin; empty where it has one use, under any key. */
  keys: readonly string[];
  /** Whether these go on at once; which of them a call is for is then not known by its place. */
  areAtOnce: boolean;
  /** Those that it has begun. */
  readonly begun: Set<string>;
  /** The keys of its resume decisions. */
  readonly decided: string[];
  /** The job of its last submit. */
  submitted: JobFact | undefined;
  /** Where the job's id is, or would be, stored; known from the resume decision on, or before. */
  idKey: string | undefined;
  /** The last reply to a lookup that reached it. */
  lastReply: { readonly word: string; readonly error: string } | undefined;
  /** Whether its operator's `getJobStatus` returned, by whatever call it found out. */
  hasStatus: boolean;
  /** Its lookups since the method under way was called. */
  looks: Look[];
  /** Replies and errors that reached it since then; a search for jobs is no lookup, but replies. */
  replies: number;
  /** How often it asked for a status since its last resume decision. */
  statusCalls: number;
  /** What it read from the store last, if that named one of its task's jobs. */
  read: { readonly key: string; readonly job: JobFact } | undefined;
  /** Whether it stored or read a value that names none of its task's jobs. */
  hasUnknownId: boolean;
  /** The jobs whose stored ids a replica that lagged kept from it. */
  readonly hidden: Set<JobFact>;
  /** The last status that `getJobStatus` returned of another task's job. */
  foreignStatus: { readonly job: number; readonly status: string } | undefined;
  /** Whether the calls of its operator's methods are traced. */
  isObserved: boolean;
  isPolling: boolean;
  /** The job that was recorded when the poll began. */
  polled: JobFact | undefined;
  /** How many cancels of it failed. */
  cancelsFailed: number;
  /** Whether its last submit failed as far as it knows. */
  isSubmitFailed: boolean;
}

/** Returns what is known of an attempt that has just begun. */
export function attemptJobsOf(task: string, isResumed = false): AttemptJobs {
  return {
    task,
    isResumed,
    isDurable: true,
    keys: [],
    areAtOnce: false,
    begun: new Set(),
    decided: [],
    submitted: undefined,
    idKey: undefined,
    lastReply: undefined,
    hasStatus: false,
    looks: [],
    replies: 0,
    statusCalls: 0,
    read: undefined,
    hasUnknownId: false,
    hidden: new Set(),
    foreignStatus: undefined,
    isObserved: false,
    isPolling: false,
    polled: undefined,
    cancelsFailed: 0,
    isSubmitFailed: false,
  };
}
