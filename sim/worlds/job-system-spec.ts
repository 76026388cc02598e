import type { Ratio } from "../faults/rule.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";

/**
 * The external system that jobs are submitted to: a preset, and how this installation differs.
 *
 * Units: virtual milliseconds.
 */
export interface JobSystemSpec {
  /** The preset. */
  readonly system: JobSystemName;
  /** How long a job runs. */
  readonly takes?: { readonly min: number; readonly max: number } | undefined;
  /** How long a job waits before it runs. */
  readonly queued?: { readonly min: number; readonly max: number } | undefined;
  /** How many of the first jobs of each task instance fail. */
  readonly failFirst?: number | undefined;
  /** The probability that a job fails. */
  readonly failureRate?: Ratio | undefined;
  /** The probability that a submit is rejected. */
  readonly rejectRate?: Ratio | undefined;
  /** Whether the system forgets its jobs when it restarts. */
  readonly restartForgets?: boolean | undefined;
  /** How long a new job is not found. */
  readonly visibilityLag?: number | undefined;
  /** How long a job that has ended is known. */
  readonly retention?: number | undefined;
  /** The probability that a lookup begins a burst of undocumented statuses. */
  readonly unknownStatuses?: Ratio | undefined;
  /** How long a cancelled job takes to end, where the system cancels jobs. */
  readonly cancelTakes?: number | undefined;
  /** How long each job is reported to have succeeded while it is still running. */
  readonly falseSuccess?: number | undefined;
}

/** How long a burst of unknown statuses lasts. */
const UNKNOWN_BURST_MS = 15_000;
/** The undocumented status of a system for which none is known. */
const UNKNOWN = "UNKNOWN";
const ALWAYS: Ratio = { numerator: 1, denominator: 1 };

/** Returns the settings of a job system; `knobs` take precedence over its preset. */
export function knobsFrom(
  spec: JobSystemSpec,
  knobs: Partial<JobSystemKnobs> = {},
): JobSystemKnobs {
  const preset = jobSystemKnobs(spec.system, knobs);
  const { takes, queued, failFirst, failureRate, rejectRate, restartForgets } = spec;
  const { visibilityLag, falseSuccess, cancelTakes } = spec;
  return {
    ...preset,
    ...(takes === undefined ? {} : { runMs: takes }),
    ...(queued === undefined ? {} : { queuedMs: queued }),
    ...(failFirst === undefined ? {} : { failFirst }),
    ...(failureRate === undefined ? {} : { failureRate }),
    ...(rejectRate === undefined ? {} : { rejectRate }),
    ...(restartForgets === undefined ? {} : { serverRestartForgets: restartForgets }),
    ...(visibilityLag === undefined
      ? {}
      : { visibilityLag: { ms: visibilityLag, shows: "missing" } }),
    ...(falseSuccess === undefined
      ? {}
      : { flappingTerminal: { rate: ALWAYS, lengthMs: falseSuccess } }),
    ...(cancelTakes === undefined || preset.cancel.kind !== "async"
      ? {}
      : { cancel: { kind: "async", delayMs: cancelTakes } }),
    ...retained(spec, preset),
    ...unknown(spec, preset),
  };
}

/** Objects of ended jobs are deleted no later than the system forgets the jobs. */
function retained(
  { retention: ms }: JobSystemSpec,
  { objectVanishes }: JobSystemKnobs,
): Partial<JobSystemKnobs> {
  if (ms === undefined) return {};
  const retention = { kind: "time", ms } as const;
  if (objectVanishes === undefined) return { retention };
  return { retention, objectVanishes: { ...objectVanishes, afterMs: ms } };
}

function unknown(
  { unknownStatuses: rate }: JobSystemSpec,
  { statusVocabulary }: JobSystemKnobs,
): Partial<JobSystemKnobs> {
  if (rate === undefined) return {};
  const unknownBursts = { rate, lengthMs: UNKNOWN_BURST_MS };
  if (statusVocabulary.unmapped.length > 0) return { unknownBursts };
  return { unknownBursts, statusVocabulary: { ...statusVocabulary, unmapped: [UNKNOWN] } };
}
