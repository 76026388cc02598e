import { expect, test } from "vitest";
import {
  isSameKey,
  keyFromLane,
  textFromLaneKey,
  type Lane,
  type StreamKey,
} from "../../src/shared-stream/key.ts";

// Lanes whose texts begin alike: each is a lane of its own.
const LANES: readonly Lane[] = [
  [1],
  "[1]",
  ["1"],
  '["1"]',
  '"[1]"',
  "1",
  1,
  1n,
  '"',
  "[",
  "",
  "null",
  null,
  undefined,
  "true",
  true,
  [null],
  [],
  "[]",
  "a[",
  'a"',
];

test("different lanes have different keys and texts", () => {
  const keys = LANES.map(keyFromLane);
  expect(new Set(keys).size).toBe(LANES.length);
  expect(new Set(keys.map(textFromLaneKey)).size).toBe(LANES.length);
});

test("the text of a lane is what a log can hold", () => {
  const texts = LANES.map((lane) => textFromLaneKey(keyFromLane(lane)));
  expect(texts.every((text) => typeof text === "string")).toBe(true);
  const shown = [undefined, null, "", "a", 1, 1n, [1, null]] as const;
  expect(shown.map((lane) => textFromLaneKey(keyFromLane(lane)))).toEqual([
    "",
    "null",
    '""',
    '"a"',
    "1",
    "1n",
    "[1,null]",
  ]);
});

test("a lane that no array's text can be confused with is its own key", () => {
  expect(keyFromLane("orders[0]")).toBe("orders[0]");
  expect(keyFromLane('o"')).toBe('o"');
});

// Each is a key of its own: by type, by length, by order and by any part.
const KEYS: readonly StreamKey[] = [
  "a",
  "1",
  1,
  1n,
  true,
  "true",
  [],
  ["a"],
  ["b"],
  ["a", "b"],
  ["b", "a"],
  ["a", "b", "c"],
  ["a", null],
  [null],
  [1],
  [1n],
  ["1"],
];

test("keys are the same if they are equal by value, and only then", () => {
  for (const [at, one] of KEYS.entries()) {
    const copy = structuredClone(one);
    const same = KEYS.flatMap((other, place) => (isSameKey(copy, other) ? place : []));
    expect(same).toEqual([at]);
  }
});
