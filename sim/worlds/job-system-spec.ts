import type { Ratio } from "../faults/rule.ts";
import type { JobSystemKnobs } from "../jobs/job-knobs.ts";
import { type JobSystemName, jobSystemKnobs } from "../jobs/presets.ts";

/**
 * The outside system that jobs are submitted to: a preset, and what this installation of it does
 * differently. Durations are virtual milliseconds.
 */
export interface JobSystemSpec {
  readonly system: JobSystemName;
  /** How long a job runs, and how long it waits before. */
  readonly takes?: { readonly min: number; readonly max: number } | undefined;
  readonly queued?: { readonly min: number; readonly max: number } | undefined;
  /** How many of the first jobs of each task instance fail. */
  readonly failFirst?: number | undefined;
  readonly failureRate?: Ratio | undefined;
  readonly rejectRate?: Ratio | undefined;
  readonly restartForgets?: boolean | undefined;
  /** How long a new job is not found. */
  readonly visibilityLag?: number | undefined;
  /** How long a job that has ended is known. */
  readonly retention?: number | undefined;
  /** How many lookups begin a burst of statuses that no documentation has. */
  readonly unknownStatuses?: Ratio | undefined;
  /** How long each job is reported to have succeeded while it is still running. */
  readonly falseSuccess?: number | undefined;
}

/** How long a burst of unknown statuses lasts. */
const UNKNOWN_BURST_MS = 15_000;
/** The unknown status of a system of which none is known. */
const UNKNOWN = "UNKNOWN";
const ALWAYS: Ratio = { numerator: 1, denominator: 1 };

/** The behaviour of a job system; `knobs` given in code come before what its preset says. */
export function knobsFrom(
  spec: JobSystemSpec,
  knobs: Partial<JobSystemKnobs> = {},
): JobSystemKnobs {
  const preset = jobSystemKnobs(spec.system, knobs);
  const { takes, queued, failFirst, failureRate, rejectRate, restartForgets } = spec;
  const { visibilityLag, falseSuccess } = spec;
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
    ...retained(spec, preset),
    ...unknown(spec, preset),
  };
}

/** Who deletes jobs that have ended does so no later than the system forgets them. */
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
