/** The entries of the corpus that no producer has planted, and why. */
export const NOT_PLANTED: readonly (readonly [id: string, why: string])[] = [
  ["P-20", "no bug: a dead letter that is written again after a failure is allowed, and not told"],
  ["P-29", "costs memory and breaks no promise: the payload is the producer's own affair"],
  ["P-115", "breaks no promise: a burst overflows a queue of 1,024 only from 1,025 events on"],
  ["P-119", "costs memory and breaks no promise: what is never pruned is seen by nobody"],
];
