import * as fc from "fast-check";

/**
 * A command of ioredis: its name and its arguments. "#2" means the id of the second entry that was
 * added.
 */
export type Command = readonly (string | number)[];
export type Words = fc.Arbitrary<Command>;
export type Weighted = readonly (readonly [weight: number, Words])[];

type Part = string | number | fc.Arbitrary<unknown>;

export const words = (...list: Command): Words => fc.constant(list);

/** Joins words that are drawn one by one. */
export function command(...parts: readonly Part[]): Words {
  const drawn = parts.map((part) => (typeof part === "object" ? part : fc.constant(part)));
  return fc.tuple(...drawn).map((values) => values.flat() as Command);
}

export const maybe = (...parts: readonly Part[]): Words =>
  fc.oneof(words(), words(), command(...parts));
