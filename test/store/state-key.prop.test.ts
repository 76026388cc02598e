import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareKeys, keyFromStorable, storableFromKey } from "../../src/store/state-key.ts";

const AWKWARD = [
  "\0",
  "\u0001",
  "\u0002",
  "\u0001#",
  "\ud7ff",
  "\ud800",
  "\udbff",
  "\udc00",
  "\udfff",
  "\ue000",
  "\uffff",
  "😀",
  "\u0100",
  "\u08ff",
  "a",
];
const awkwardText = fc.oneof(
  fc.array(fc.constantFrom(...AWKWARD), { maxLength: 6 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 6 }),
);

/** The order of a binary collation: by code point, a lone surrogate where its number says. */
function byCodePoint(left: string, right: string): number {
  const [one, other] = [left, right].map((text) =>
    Array.from(text, (point) => point.codePointAt(0) ?? 0),
  );
  for (const [at, point] of (one ?? []).entries()) {
    const difference = point - (other?.[at] ?? -1);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign((one?.length ?? 0) - (other?.length ?? 0));
}

describe("a key as a database stores it", () => {
  test("for every key, it is well formed, has no zero character, and comes back", () => {
    fc.assert(
      fc.property(awkwardText, (key) => {
        const text = storableFromKey(key);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain("\0");
        expect(keyFromStorable(text)).toBe(key);
      }),
      { numRuns: 1_000 },
    );
  });

  test("for every two keys, their order by code point stays", () => {
    fc.assert(
      fc.property(awkwardText, awkwardText, (left, right) => {
        const expected = byCodePoint(left, right);
        expect(Math.sign(compareKeys(left, right))).toBe(expected);
        expect(byCodePoint(storableFromKey(left), storableFromKey(right))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
