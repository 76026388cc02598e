/** Among how many of the first plans the calmest and the most troubled ones are looked for. */
const LOOKED_AT_MAX = 16;

/**
 * Chooses the plans that run twice before anything is judged: the first one, and of those after it
 * the one with the fewest faults and the one with the most.
 *
 * @param faultsOf - returns how many faults the plan of a seed has
 */
export function plansToRepeat(
  { seed, numRuns }: { readonly seed: number; readonly numRuns: number },
  faultsOf: (seed: number) => number,
): readonly number[] {
  const count = Math.min(numRuns, LOOKED_AT_MAX);
  const byFaults = Array.from({ length: count }, (_, at) => seed + at)
    .map((one) => ({ one, faults: faultsOf(one) }))
    .toSorted((left, right) => left.faults - right.faults || left.one - right.one);
  const ends = [byFaults.at(0), byFaults.at(-1)].flatMap((plan) => plan?.one ?? []);
  return [...new Set([seed, ...ends])];
}

/** How often a run of a check is repeated: the plans above come first, one in so many follows. */
const REPEATED_ONE_IN = 128;

/** Whether the run at this place of a check is repeated although nothing broke in it. */
export function isRepeated(at: number): boolean {
  return at % REPEATED_ONE_IN === REPEATED_ONE_IN - 1;
}
