import { expect, test } from "vitest";
import { keyFromLane, textFromLaneKey, type Lane } from "../../src/shared-stream/key.ts";

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

test("a lane that no array's text can be confused with is its own key", () => {
  expect(keyFromLane("orders[0]")).toBe("orders[0]");
  expect(keyFromLane('o"')).toBe('o"');
});
