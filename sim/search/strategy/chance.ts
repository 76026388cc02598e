import { SeededChoices } from "../../choices/choices.ts";

/** Draws a whole number from `0..n-1`. */
export type Chance = (n: number) => number;

/**
 * Returns a source of chance for a strategy, apart from the choices of the run: equal for equal
 * seed and name, and draws under one name do not affect another.
 */
export function chanceOf(seed: number, name: string): Chance {
  const stream = new SeededChoices(seed, { record: false }).stream("data", `search/${name}`);
  return (n) => stream.choose(n, name);
}

/** The range of priorities: ties are rare, and the task that was due first wins them. */
export const PRIORITIES: number = 1 << 30;
