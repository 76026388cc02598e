import * as fc from "fast-check";
import { type Drawn, oddValue } from "./odd-values.ts";
import { ODD_NAMES } from "./redis-slips-program.ts";
import { named } from "./slips-steps.ts";

export const c = fc.constant;
export const of = (...all: readonly Drawn[]): fc.Arbitrary<Drawn> => fc.constantFrom(...all);
export const odd = fc.oneof(oddValue, of(...ODD_NAMES.map(named)), of(named("callback")));

export type Words = fc.Arbitrary<readonly Drawn[]>;
type Part = string | number | fc.Arbitrary<Drawn> | Words;

/** Joins words that are drawn one by one; lists among them are words, too. */
export function words(...parts: readonly Part[]): Words {
  const drawn = parts.map((part) => (typeof part === "object" ? part : c(part)));
  return fc.tuple(...(drawn as fc.Arbitrary<Drawn>[])).map((all) => all.flat());
}

export const none: Words = c([]);
export const maybe = (...parts: readonly Part[]): Words =>
  fc.oneof(none, none, none, words(...parts));
