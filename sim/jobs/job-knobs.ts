import type { Ratio } from "../faults/rule.ts";
import type { JobIdKind } from "./job-id.ts";

/**
 * A system's words for the states of a job, in the order in which a job passes through them.
 *
 * The first active word is that of a queued job; the others divide its run evenly.
 */
export interface StatusVocabulary {
  /** Words for a job that has not ended. */
  readonly active: readonly [string, ...string[]];
  /** Words for a job that has succeeded. */
  readonly success: readonly [string, ...string[]];
  /** Words for a job that has failed. */
  readonly failure: readonly [string, ...string[]];
  /** Undocumented words; they appear in bursts. */
  readonly unmapped: readonly string[];
  /** During a cancellation; default: the last active word. */
  readonly cancelling?: string;
  /** After a cancellation; default: the last failure word. */
  readonly cancelled?: string;
}

/** How the system handles a second submit with the same idempotency key or chosen id. */
export type Idempotency =
  | { readonly kind: "none" }
  | {
      readonly kind: "return-existing";
      readonly windowMs: number;
      /** Whether a job that has ended is returned as well. */
      readonly evenIfTerminal: boolean;
    }
  | { readonly kind: "conflict-409" };

/** How long the system knows a finished job. */
export type JobRetention =
  | { readonly kind: "forever" }
  | { readonly kind: "time"; readonly ms: number }
  | { readonly kind: "count"; readonly count: number };

/** What a cancel request does: cancel after a delay, nothing, or fail. */
export type CancelBehaviour =
  | { readonly kind: "async"; readonly delayMs: number }
  | { readonly kind: "noop" }
  | { readonly kind: "fails" };

/** A range of durations in virtual milliseconds, from which one is drawn for each job. */
export interface DurationRange {
  /** The shortest duration. */
  readonly min: number;
  /** The longest duration. */
  readonly max: number;
}

/**
 * How an external job system behaves. Durations are virtual milliseconds.
 *
 * Network failures (a lost request, a lost reply, an error) are not part of it: they are faults at
 * the sites `job.submit`, `job.status`, `job.result` and `job.cancel`.
 */
export interface JobSystemKnobs {
  /** The form of the job ids. */
  readonly idKind: JobIdKind;
  /** The delay between the acceptance of a job and the reply. */
  readonly submitLatencyMs: number;
  /** The rate at which submits are refused. */
  readonly rejectRate: Ratio;
  /** How many jobs may be live at once; undefined: no limit. */
  readonly concurrencyLimit: number | undefined;
  /** How a second submit with the same key is handled. */
  readonly idempotency: Idempotency;
  /** How long reads lag behind: new jobs are missing, or the state is that of `ms` ago. */
  readonly visibilityLag: { readonly ms: number; readonly shows: "missing" | "stale" };
  /** The words for the states of a job. */
  readonly statusVocabulary: StatusVocabulary;
  /** The rate at which a read begins a period in which every read returns an unmapped word. */
  readonly unknownBursts: { readonly rate: Ratio; readonly lengthMs: number } | undefined;
  /** The rate of jobs that are reported as successful for a while, in the middle of their run. */
  readonly flappingTerminal: { readonly rate: Ratio; readonly lengthMs: number } | undefined;
  /** What a cancel request does. */
  readonly cancel: CancelBehaviour;
  /** How long a finished job is known. */
  readonly retention: JobRetention;
  /** After which outcomes, and how soon, finished jobs are deleted; undefined: they are not. */
  readonly objectVanishes:
    | { readonly on: "success" | "failure" | "both"; readonly afterMs: number }
    | undefined;
  /** Whether the name of an ended job is given to a later one. */
  readonly nameReuse: boolean;
  /** Whether a restart of the server loses all jobs, including running ones. */
  readonly serverRestartForgets: boolean;
  /** Whether ids count from the beginning after a restart. */
  readonly idReset: boolean;
  /** The rate of jobs that succeed although one of their parts failed. */
  readonly partialSuccessRate: Ratio;
  /** The rate at which the system itself reruns a failed job, and the status it shows meanwhile. */
  readonly serverSideRetry:
    | { readonly rate: Ratio; readonly delayMs: number; readonly status: string }
    | undefined;
  /** The rate of jobs that stay queued forever. */
  readonly neverStartsRate: Ratio;
  /** How far the server's clock is ahead, which decides about windows, retention and dates. */
  readonly clockSkewMs: number;
  /** How results are kept. */
  readonly result: {
    /** How long the result is kept; undefined: as long as the job is known. */
    readonly ttlMs: number | undefined;
    /** Whether it may be fetched more than once. */
    readonly idempotentFetch: boolean;
  };
  /** How long jobs are queued. */
  readonly queuedMs: DurationRange;
  /** How long jobs run. */
  readonly runMs: DurationRange;
  /** The rate of jobs that fail. */
  readonly failureRate: Ratio;
  /** How many of the first jobs of each task fail. */
  readonly failFirst: number;
}

const NEVER: Ratio = Object.freeze({ numerator: 0, denominator: 1 });

/** A system without any faults or limits. */
export const TAME_SYSTEM: JobSystemKnobs = Object.freeze<JobSystemKnobs>({
  idKind: "string",
  submitLatencyMs: 0,
  rejectRate: NEVER,
  concurrencyLimit: undefined,
  idempotency: { kind: "none" },
  visibilityLag: { ms: 0, shows: "missing" },
  statusVocabulary: {
    active: ["PENDING", "RUNNING"],
    success: ["SUCCEEDED"],
    failure: ["FAILED"],
    unmapped: [],
    cancelled: "CANCELLED",
  },
  unknownBursts: undefined,
  flappingTerminal: undefined,
  cancel: { kind: "async", delayMs: 2_000 },
  retention: { kind: "forever" },
  objectVanishes: undefined,
  nameReuse: false,
  serverRestartForgets: false,
  idReset: false,
  partialSuccessRate: NEVER,
  serverSideRetry: undefined,
  neverStartsRate: NEVER,
  clockSkewMs: 0,
  result: { ttlMs: undefined, idempotentFetch: true },
  queuedMs: { min: 1_000, max: 3_000 },
  runMs: { min: 10_000, max: 60_000 },
  failureRate: NEVER,
  failFirst: 0,
});

/** Whether the id of a job may later be that of another, or there are no ids at all. */
export function givesIdsAnew({
  idKind,
  idReset,
  nameReuse,
}: Pick<JobSystemKnobs, "idKind" | "idReset" | "nameReuse">): boolean {
  return idKind === "none" || idReset || nameReuse;
}
