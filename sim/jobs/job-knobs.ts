import type { Ratio } from "../faults/rule.ts";
import type { JobIdKind } from "./job-id.ts";

/**
 * The words that a system has for the state of a job, in the order in which a job passes them.
 *
 * The first active word is that of a job that waits to be started; the others share its run.
 */
export interface StatusVocabulary {
  readonly active: readonly [string, ...string[]];
  readonly success: readonly [string, ...string[]];
  readonly failure: readonly [string, ...string[]];
  /** Words that no documentation has; they come in bursts. */
  readonly unmapped: readonly string[];
  /** While a cancel is under way; absent: the last active word. */
  readonly cancelling?: string;
  /** After a cancel; absent: the last failure word. */
  readonly cancelled?: string;
}

/** What becomes of a second submit with the same key, or the same chosen id. */
export type Idempotency =
  | { readonly kind: "none" }
  | {
      readonly kind: "return-existing";
      readonly windowMs: number;
      /** Whether a job that has ended is answered as well. */
      readonly evenIfTerminal: boolean;
    }
  | { readonly kind: "conflict-409" };

/** How long a finished job is still known. */
export type JobRetention =
  | { readonly kind: "forever" }
  | { readonly kind: "time"; readonly ms: number }
  | { readonly kind: "count"; readonly count: number };

export type CancelBehaviour =
  | { readonly kind: "async"; readonly delayMs: number }
  | { readonly kind: "noop" }
  | { readonly kind: "fails" };

interface Span {
  readonly min: number;
  readonly max: number;
}

/**
 * How an outside job system behaves. Durations are virtual milliseconds.
 *
 * What the system does to a call on its way (a lost request, a lost reply, an error) is no knob: it
 * is a fault at one of the sites `job.submit`, `job.status`, `job.result`, `job.cancel`.
 *
 * Source: spec, task state store and resumable jobs, G.3
 */
export interface JobSystemKnobs {
  readonly idKind: JobIdKind;
  /** Between the acceptance of a job and its answer. */
  readonly submitLatencyMs: number;
  readonly rejectRate: Ratio;
  /** So many jobs may be live at once; undefined: any number. */
  readonly concurrencyLimit: number | undefined;
  readonly idempotency: Idempotency;
  /** For how long reads do not know a new job, or tell what was so long ago. */
  readonly visibilityLag: { readonly ms: number; readonly shows: "missing" | "stale" };
  readonly statusVocabulary: StatusVocabulary;
  /** At this rate a read begins a time in which every read answers an unmapped word. */
  readonly unknownBursts: { readonly rate: Ratio; readonly lengthMs: number } | undefined;
  /** At this rate a job is told to have succeeded halfway, for so long. */
  readonly flappingTerminal: { readonly rate: Ratio; readonly lengthMs: number } | undefined;
  readonly cancel: CancelBehaviour;
  readonly retention: JobRetention;
  /** After which ends somebody cleans the job away, and when; undefined: nobody does. */
  readonly objectVanishes:
    | { readonly on: "success" | "failure" | "both"; readonly afterMs: number }
    | undefined;
  /** Whether the name of a job that has ended is given to the next one. */
  readonly nameReuse: boolean;
  /** Whether a restart loses every job, those that run among them. */
  readonly serverRestartForgets: boolean;
  /** Whether a restart begins to count ids again. */
  readonly idReset: boolean;
  /** How often a job succeeds although parts of it failed. */
  readonly partialSuccessRate: Ratio;
  /** How often the system itself runs a failed job again, and what it says meanwhile. */
  readonly serverSideRetry:
    | { readonly rate: Ratio; readonly delayMs: number; readonly status: string }
    | undefined;
  readonly neverStartsRate: Ratio;
  /** How far the clock is ahead that ends windows and retentions and dates jobs. */
  readonly clockSkewMs: number;
  readonly result: {
    /** Undefined: as long as the job is known. */
    readonly ttlMs: number | undefined;
    /** Whether it may be fetched more than once. */
    readonly idempotentFetch: boolean;
  };
  readonly queuedMs: Span;
  readonly runMs: Span;
  readonly failureRate: Ratio;
  /** The first so many jobs of each task fail. */
  readonly failFirst: number;
}

const NEVER: Ratio = Object.freeze({ numerator: 0, denominator: 1 });

/** The tamest system there is: everything works, at once, forever. */
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
