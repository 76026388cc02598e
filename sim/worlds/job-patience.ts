import type { JobSystemKnobs } from "../jobs/job-knobs.ts";

/** So many attempts a task may need without faults, whatever its system is like. */
const ATTEMPTS_MIN = 5;
const ATTEMPTS_MAX = 1_000;
/** How seldom a correct task may need more attempts than it is allowed. */
const UNLUCKY = 1e-9;
/** An operator sees how a job has ended, and looks again before it believes it. */
const LOOKS = 2;
/** So many bursts in a row are as good as none, or have no end. */
const BURSTS_MAX = 100;

/**
 * Returns how many attempts a task may need once the faults are over: some in any case, one for
 * each job that must fail, and more where the system fails, rejects or hides jobs at random.
 */
export function calmAttemptsMax(knobs: JobSystemKnobs): number {
  const { failureRate, rejectRate, failFirst } = knobs;
  const succeeds =
    (1 - failureRate.numerator / failureRate.denominator) *
    (1 - rejectRate.numerator / rejectRate.denominator) *
    (1 - unseenRate(knobs)) *
    (1 - misreadRate(knobs));
  // What never succeeds needs no attempts.
  const most = succeeds === 0 ? ATTEMPTS_MIN : ATTEMPTS_MAX;
  let attempts = 0;
  let unlucky = 1;
  while (attempts < most && (attempts < ATTEMPTS_MIN || unlucky > UNLUCKY)) {
    attempts += 1;
    unlucky *= 1 - succeeds;
  }
  return attempts + failFirst;
}

/** Returns how long the system may take to show what has become of a job, in milliseconds. */
export function latencyOf(knobs: JobSystemKnobs): number {
  const { submitLatencyMs, visibilityLag, cancel, serverSideRetry } = knobs;
  const { unknownBursts, flappingTerminal } = knobs;
  const cancelMs = cancel.kind === "async" ? cancel.delayMs : 0;
  const retryMs = serverSideRetry?.delayMs ?? 0;
  const wrongMs = (unknownBursts?.lengthMs ?? 0) + (flappingTerminal?.lengthMs ?? 0);
  return 2 * (submitLatencyMs + visibilityLag.ms + cancelMs + retryMs + wrongMs);
}

/**
 * Returns how often nobody can see how a job has ended: bursts of undocumented statuses follow one
 * another until the system has forgotten the job. No operator can help it, and the next job may be
 * hidden in the same way.
 */
function unseenRate({ unknownBursts, retention, objectVanishes }: JobSystemKnobs): number {
  if (unknownBursts === undefined) return 0;
  const keptMs = Math.min(
    retention.kind === "time" ? retention.ms : Infinity,
    objectVanishes?.afterMs ?? Infinity,
  );
  const { rate, lengthMs } = unknownBursts;
  // Between the end of a burst and the next look there may be as long a wait.
  const bursts = Math.max(1, Math.floor(keptMs / (2 * lengthMs)));
  const hidden = repeated(rate.numerator / rate.denominator, Math.min(bursts, BURSTS_MAX));
  return 1 - repeated(1 - hidden, LOOKS);
}

/**
 * Returns how often an attempt is spent on a job that failed, or was cancelled, in an earlier one:
 * at its first look the status is undocumented, so that it waits for the job instead of submitting
 * the next. A kill may have cancelled several jobs, each of which takes an attempt of its own.
 */
function misreadRate({ unknownBursts }: JobSystemKnobs): number {
  if (unknownBursts === undefined) return 0;
  return unknownBursts.rate.numerator / unknownBursts.rate.denominator;
}

/** Returns how likely something is that must happen `times` times, by multiplication alone. */
function repeated(rate: number, times: number): number {
  let likely = 1;
  for (let nth = 0; nth < times; nth += 1) likely *= rate;
  return likely;
}
