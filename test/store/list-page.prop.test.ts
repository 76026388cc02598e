import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkedPage } from "../../src/store/list-page.ts";

const whole = fc.oneof(fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER), fc.nat());
const refused = fc.oneof(
  fc.constantFrom(-1, -0.5, 0.5, NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER + 1),
  fc.integer({ max: -1 }),
);

test("for every limit and offset of whole numbers from 0 the page is returned as it is", () => {
  fc.assert(
    fc.property(whole, whole, (limit, offset) => {
      const page = { limit, offset, now: 0 };
      expect(checkedPage(page)).toBe(page);
    }),
  );
});

test.for(["limit", "offset"] as const)("for every other %s the page is refused", (name) => {
  fc.assert(
    fc.property(refused, whole, (count, other) => {
      const page = { limit: other, offset: other, now: 0, [name]: count };
      expect(() => checkedPage(page)).toThrow(
        new RangeError(
          `Cannot use ${count} as the ${name} of a page: write an integer of 0 or more`,
        ),
      );
    }),
  );
});
