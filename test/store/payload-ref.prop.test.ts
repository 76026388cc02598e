import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodePart } from "../../src/store/payload-ref.ts";

function decoded(part: string): string {
  return part.replaceAll(/~([0-9a-f]+)~/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

test("a part of a payload's name escapes what is no ASCII letter, digit or -_.", () => {
  expect(encodePart("Az09-_.")).toBe("Az09-_.");
  expect(encodePart("a/b~é")).toBe("a~2f~b~7e~~e9~");
});

test("for every text its part of a payload's name is plain, and can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const part = encodePart(text);
      expect(part).toMatch(/^[\w.~-]*$/);
      expect(decoded(part)).toBe(text);
    }),
  );
});
