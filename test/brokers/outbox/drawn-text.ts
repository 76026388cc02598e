import * as fc from "fast-check";

/** Joins parts that are drawn with the words between them. */
export function sql(
  words: TemplateStringsArray,
  ...parts: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<string> {
  return fc
    .tuple(...parts)
    .map((drawn) => words.map((word, at) => `${word}${drawn[at] ?? ""}`).join(""));
}

/** One of these texts. */
export function among(...texts: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...texts);
}
