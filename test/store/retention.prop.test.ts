import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  EXPIRES_AT_MAX_MS,
  expiresAtFrom,
  isExpired,
  NEVER_EXPIRE,
} from "../../src/store/retention.ts";

const now = fc.oneof(fc.constant(0), fc.nat(), fc.constant(EXPIRES_AT_MAX_MS - 5));
const milliseconds = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1 }));
const FALLBACK = { milliseconds: 3 };

/** What the documentation says, where the retention is a duration. */
function expectExpiry(expiresAt: () => number | null, at: number, ms: number): void {
  if (at + ms <= EXPIRES_AT_MAX_MS) expect(expiresAt()).toBe(at + ms);
  else expect(expiresAt).toThrow(RangeError);
}

test("for every retention the entry expires so long after the write, or it is refused", () => {
  fc.assert(
    fc.property(now, milliseconds, (at, ms) => {
      expectExpiry(() => expiresAtFrom({ milliseconds: ms }, FALLBACK, at), at, ms);
    }),
  );
});

test("for every fallback it applies where no retention is given", () => {
  fc.assert(
    fc.property(now, milliseconds, (at, ms) => {
      expectExpiry(() => expiresAtFrom(undefined, { milliseconds: ms }, at), at, ms);
    }),
  );
});

test("for every time NEVER_EXPIRE and a fallback of zero mean never", () => {
  fc.assert(
    fc.property(now, (at) => {
      expect(expiresAtFrom(NEVER_EXPIRE, FALLBACK, at)).toBeNull();
      expect(expiresAtFrom(undefined, NEVER_EXPIRE, at)).toBeNull();
      expect(expiresAtFrom(undefined, { milliseconds: 0 }, at)).toBeNull();
    }),
  );
});

test("the last instant of the year 9999 is the latest end", () => {
  const last = { milliseconds: 1 };
  expect(expiresAtFrom(last, FALLBACK, EXPIRES_AT_MAX_MS - 1)).toBe(EXPIRES_AT_MAX_MS);
  expect(() => expiresAtFrom(last, FALLBACK, EXPIRES_AT_MAX_MS)).toThrow(
    new RangeError(
      "Cannot use 1 milliseconds as retention: it ends after the year 9999, write NEVER_EXPIRE instead",
    ),
  );
});

test("for every end an entry is expired from that instant on, and without one never", () => {
  fc.assert(
    fc.property(now, now, (end, at) => {
      expect(isExpired(end, at)).toBe(at >= end);
      expect(isExpired(null, at)).toBe(false);
    }),
  );
});
