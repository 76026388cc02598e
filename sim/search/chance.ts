import { SeededChoices } from "../choices.ts";

/** Draws a whole number from `0..n-1`. */
export type Chance = (n: number) => number;

/**
 * What a strategy draws for itself, apart from the choices of the run: equal for equal seed and
 * name, and no draw of one name reshuffles another.
 */
export function chanceOf(seed: number, name: string): Chance {
  const stream = new SeededChoices(seed, { record: false }).stream("data", `search/${name}`);
  return (n) => stream.choose(n, name);
}

/** Priorities are drawn from so many: a tie is rare, and goes to whoever was due first. */
export const PRIORITIES: number = 1 << 30;
