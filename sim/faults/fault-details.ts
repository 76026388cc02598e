/**
 * What chance is asked about a fault that strikes in any case: when, whom, for how long.
 *
 * A search may draw whether a fault strikes as it likes, and leaves these draws alone.
 */
export const FAULT_DETAILS = {
  when: "when in the minute",
  downFor: "down for",
  pausedFor: "paused for",
  cutOffFrom: "cut off from",
  cutFor: "cut for",
  stream: "which",
  worker: "which worker",
  partition: "retention",
} as const;
