import * as fc from "fast-check";
import { expect, test } from "vitest";
import { instantFromIso, isoFromInstant } from "../../src/store-http/iso-time.ts";

const instant = fc.integer({
  min: Date.UTC(1600, 0, 1),
  max: Date.UTC(9999, 11, 31, 23, 59, 59, 999),
});

test("for every instant, the text equals that of Date and parses back", () => {
  fc.assert(
    fc.property(instant, (at) => {
      expect(isoFromInstant(at)).toBe(new Date(at).toISOString());
      expect(instantFromIso(isoFromInstant(at))).toBe(at);
    }),
    { numRuns: 2_000 },
  );
});

test("for every offset, the instant equals that of Date", () => {
  const offset = fc.tuple(fc.constantFrom("+", "-"), fc.nat(23), fc.nat(59));
  fc.assert(
    fc.property(instant, offset, (at, [sign, hours, minutes]) => {
      const zone = `${sign}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
      const text = isoFromInstant(at).replace("Z", zone);
      expect(instantFromIso(text)).toBe(Date.parse(text));
    }),
  );
});
