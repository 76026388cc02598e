import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { md5OfAttributes } from "../../sim/brokers/sqs/sqs-attributes.ts";

const label = fc.constantFrom("", ".png", ".Binary", ".String");
const attribute = fc.oneof(
  fc.record({
    DataType: fc.tuple(fc.constantFrom("String", "Number"), label).map((parts) => parts.join("")),
    StringValue: fc.string({ minLength: 1, unit: "grapheme" }),
  }),
  fc.record({
    DataType: label.map((text) => `Binary${text}`),
    BinaryValue: fc.uint8Array({ minLength: 1, maxLength: 20 }),
  }),
);

function withLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

test("for all attributes the sum is over names, types and values, each behind its length", () => {
  const names = fc.string({
    minLength: 1,
    maxLength: 8,
    unit: fc.constantFrom("a", "B", "_", "7"),
  });
  fc.assert(
    fc.property(fc.dictionary(names, attribute, { maxKeys: 5 }), (attributes) => {
      const hash = createHash("md5");
      for (const name of Object.keys(attributes).toSorted()) {
        const one = attributes[name] as (typeof attributes)[string];
        const isBinary = "BinaryValue" in one;
        hash.update(withLength(Buffer.from(name))).update(withLength(Buffer.from(one.DataType)));
        hash.update(Uint8Array.of(isBinary ? 2 : 1));
        hash.update(withLength(isBinary ? one.BinaryValue : Buffer.from(one.StringValue)));
      }
      expect(md5OfAttributes(attributes)).toBe(hash.digest("hex"));
    }),
    { seed: 14, numRuns: 200 },
  );
});
