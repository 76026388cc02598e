import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyFromStorable, storableFromKey } from "../../src/store/sql/storable-key.ts";
import { compareKeys } from "../../src/store/state-key.ts";

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

/** Compares as a binary collation does: by code point, a lone surrogate by its own number. */
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
  test("for every key, the text is well formed, has no zero character, and converts back", () => {
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

  test("for every two keys, their texts have the same order by code point", () => {
    fc.assert(
      fc.property(awkwardText, awkwardText, (left, right) => {
        const expected = byCodePoint(left, right);
        expect(Math.sign(compareKeys(left, right))).toBe(expected);
        expect(byCodePoint(storableFromKey(left), storableFromKey(right))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test("for every two of a few awkward units, in pairs, the order is that of a collation", () => {
    const texts = AWKWARD.flatMap((one) => AWKWARD.map((other) => one + other));
    const wrong = texts.flatMap((left) =>
      texts.flatMap((right) =>
        Math.sign(compareKeys(left, right)) === byCodePoint(left, right) ? [] : [[left, right]],
      ),
    );
    expect(wrong).toEqual([]);
  });
});
