import { expect, test } from "vitest";
import { type DurationLike, millisecondsFrom } from "../../src/time/duration.ts";

// The fields that a Temporal.Duration has beside those of DurationLike.
const UNUSED = { years: 0, months: 0, weeks: 0, microseconds: 0, nanoseconds: 0 };

test("a unit that is refused may be there with 0, as Temporal.Duration's are", () => {
  const duration: DurationLike = { ...UNUSED, minutes: 1, seconds: 30 };
  expect(millisecondsFrom(duration, "ackTimeout")).toBe(90_000);
});

test.for(Object.keys(UNUSED))("%s are refused", (unit) => {
  const duration: DurationLike = { ...UNUSED, minutes: 1, [unit]: 1 };
  expect(() => millisecondsFrom(duration, "ackTimeout")).toThrow(
    `Cannot use ${unit} in ackTimeout: write days, hours, minutes, seconds or milliseconds`,
  );
});

test("an unknown unit is refused, also with 0", () => {
  expect(() => millisecondsFrom({ hours: 1, fortnights: 0 } as DurationLike, "ackTimeout")).toThrow(
    'Cannot use the unit "fortnights" in ackTimeout',
  );
});
