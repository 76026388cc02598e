import type { JobSystemKnobs } from "../jobs/job-knobs.ts";

/** So many attempts a task may need without faults, whatever its system is like. */
const ATTEMPTS_MIN = 5;
const ATTEMPTS_MAX = 1_000;
/** How seldom a correct task may need more attempts than it is allowed. */
const UNLUCKY = 1e-9;

/**
 * Returns how many attempts a task may need once the faults are over: some in any case, one for
 * each job that must fail, and more where the system fails or rejects jobs at random.
 */
export function calmAttemptsMax({ failureRate, rejectRate, failFirst }: JobSystemKnobs): number {
  const succeeds =
    (1 - failureRate.numerator / failureRate.denominator) *
    (1 - rejectRate.numerator / rejectRate.denominator);
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
