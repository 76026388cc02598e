import { SeededChoices } from "../../choices/choices.ts";

/** Draws a whole number from `0..n-1`. */
export type Chance = (n: number) => number;

/**
 * Returns a random source for a strategy, separate from the choices of the run.
 *
 * Holds: equal seeds and names give equal sources; draws under one name do not affect another.
 */
export function chanceOf(seed: number, name: string): Chance {
  const stream = new SeededChoices(seed, { record: false }).stream("data", `search/${name}`);
  return (n) => stream.choose(n, name);
}

/** The range of priorities. Ties are rare; the task that became due first wins them. */
export const PRIORITIES: number = 1 << 30;
