import { describe, expect, test } from "vitest";
import { storyShape } from "../../sim/story/story-shape.ts";

describe("storyShape()", () => {
  const shapes: readonly (readonly [sentence: string, shape: string])[] = [
    [
      "record orders/1@1, published at 3660 ms, is not settled",
      "record #, published at # ms, is not settled",
    ],
    ['the poll of key ["topic","orders"] has ended', "the poll of key # has ended"],
    ['key ["a",[1,{"x":"]"}]] is held', "key # is held"],
    ["job 4, which is etl-2's", "job #, which is #'s"],
    ["orders/1@1, orders/1@2 and orders/1@3 are in 2 lanes", "# are in # lanes"],
    ['"cursor" of t1 reads {"a":[1,2]}', '"#" of # reads #'],
    ["order-7: it failed at 12.345 s.", "#: it failed at # s."],
    [
      "TypeError: Cannot read properties of undefined (reading 'id')",
      "TypeError: Cannot read properties of undefined (reading 'id')",
    ],
  ];
  for (const [sentence, shape] of shapes) {
    test(`of "${sentence}" has no numbers, ids, keys and times`, () => {
      expect(storyShape(sentence)).toBe(shape);
    });
  }

  test("differs where the words do", () => {
    const [lost, late] = ["ref-1 was lost", "ref-1 was late"].map(storyShape);
    expect(lost).not.toBe(late);
  });

  test("of a shape is that shape", () => {
    for (const [, shape] of shapes) expect(storyShape(shape)).toBe(shape);
  });
});
