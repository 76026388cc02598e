import { createRequire } from "node:module";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { murmur2 } from "../../sim/brokers/kafka/kafka-partitioner.ts";

const require = createRequire(import.meta.url);
const real = require("kafkajs/src/producer/partitioners/default/murmur2") as (
  key: Uint8Array | string,
) => number;

test("for every key murmur2() is the library's hash", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "grapheme" }), fc.uint8Array({ maxLength: 40 })),
      (key) => {
        expect(murmur2(key)).toBe(real(typeof key === "string" ? key : Buffer.from(key)));
      },
    ),
  );
});
